// PyTorch's scaled dot-product attention with its gradients. Masks: True = masked out.
#include <algorithm>
#include <cmath>

#include "conformance/attention_forms.h"
#include "conformance/operators.h"

namespace sqrtdk::conformance {
namespace {

// The options of a case and what they point to.
struct Masks {
  explicit Masks(const Case& reference) {
    const Shape q = shape_of(reference.required("Q").dims), k = shape_of(reference.required("K").dims);
    if (q.rank() < 3 || k.rank() != q.rank())
      throw std::runtime_error("Q and K have fewer than 3 dimensions, or differ in them");
    scores = q.with_last(q[-2], k[-2]);
    if (reference.has("scale")) options.scale = static_cast<float>(reference.number("scale", 1));
    options.causal = causal_of(reference.text("causal", "none"));
    const Tensor* attn_mask = reference.input("attn_mask_bool");
    const Tensor* padding = reference.input("key_padding_mask");
    if (attn_mask && padding) {
      mask.emplace(both(*attn_mask, of_keys(*padding)), false);
    } else if (attn_mask) {
      mask.emplace(*attn_mask, false);
    } else if (padding) {
      mask.emplace(of_keys(*padding), false);
    }
    if (mask) options.mask = mask->view();
    if (const Tensor* attn_bias = reference.input("attn_bias"))
      options.bias = bias.emplace(*attn_bias).view();
  }
  static Causal causal_of(const std::string& name) {
    if (name == "none") return Causal::kNo;
    if (name == "top-left") return Causal::kTopLeft;
    if (name == "bottom-right") return Causal::kBottomRight;
    throw std::runtime_error("case.json: causal " + name);
  }
  Tensor of_keys(Tensor padding) const {  // [batch, n_k], of each sequence
    const auto ones = static_cast<size_t>(scores.rank() - 2);
    padding.dims.insert(padding.dims.end() - 1, ones, 1);
    return padding;
  }
  // Masked where either masks.
  Tensor both(const Tensor& a, const Tensor& b) const {
    const Floats x = broadcast(Floats(a), scores), y = broadcast(Floats(b), scores);
    Tensor result = a;
    result.dims = dims_of(scores);
    result.values.clear();
    for (int64_t i = 0; i < x.size(); ++i) result.values.push_back(x[i] != 0 || y[i] != 0);
    return result;
  }
  // Whether a query's row of scores, counted through all planes, has no key at all.
  std::vector<bool> empty_rows() const {
    Floats unmasked(scores, 1);
    if (mask) {
      Floats values(mask->shape);
      for (int64_t i = 0; i < values.size(); ++i) values[i] = mask->values[static_cast<size_t>(i)];
      unmasked = broadcast(values, scores);
    }
    const Floats added = bias ? broadcast(*bias, scores) : Floats(scores, 0);
    const int64_t n_q = scores[-2], n_k = scores[-1];
    std::vector<bool> empty(static_cast<size_t>(scores.leading(1)), true);
    for (int64_t i = 0; i < unmasked.size(); ++i) {
      const int64_t query = i / n_k % n_q, key = i % n_k;
      const int64_t last = options.causal == Causal::kNo        ? n_k
                           : options.causal == Causal::kTopLeft ? query
                                                                : query + n_k - n_q;
      if (unmasked[i] != 0 && added[i] != -INFINITY && key <= last)
        empty[static_cast<size_t>(i / n_k)] = false;
    }
    return empty;
  }

  Shape scores;
  AttentionOptions options;
  std::optional<Mask> mask;
  std::optional<Floats> bias;
};

Tensor* find(Case& reference, const std::string& name) {
  for (Tensor& tensor : reference.outputs) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

// dL/dbias: dL/dscores summed over the dimensions in which the bias was broadcast.
std::vector<double> bias_gradient(const Shape& bias, const Shape& scores,
                                  const std::vector<double>& dscores) {
  Floats places(bias);
  for (int64_t i = 0; i < places.size(); ++i) places[i] = static_cast<float>(i);
  const Floats where = broadcast(places, scores);
  std::vector<double> sums(static_cast<size_t>(bias.size()));
  for (size_t i = 0; i < dscores.size(); ++i) {
    sums[static_cast<size_t>(where[static_cast<int64_t>(i)])] += dscores[i];
  }
  return sums;
}

// A row without keys is NaN in PyTorch 1.13, and so is every gradient that it reaches. Here such a row is 0
// and has no gradient: what is expected of the others follows from PyTorch's own weights of the other rows,
// in double. O = A V, dA = dO Vᵀ, dscores = A ∘ (dA - rowsum(dA ∘ A)).
void expect_zero_rows(Case& reference, const Masks& masks) {
  const std::vector<bool> empty = masks.empty_rows();
  Tensor* weights = find(reference, "A");
  if (!weights || std::find(empty.begin(), empty.end(), true) == empty.end()) return;
  const Tensor &q = reference.required("Q"), &k = reference.required("K"), &v = reference.required("V");
  const Tensor& dout = reference.required("grad_O");
  const auto n_q = static_cast<size_t>(masks.scores[-2]), n_k = static_cast<size_t>(masks.scores[-1]);
  const auto d_k = static_cast<size_t>(q.dims.back()), d_v = static_cast<size_t>(v.dims.back());
  const size_t rows = empty.size();
  std::vector<double>& a = weights->values;
  std::vector<double> out(rows * d_v), dscores(a.size()), dq(q.values.size()), dk(k.values.size()),
      dv(v.values.size());
  const double scale = masks.options.scale.value_or(static_cast<float>(1 / std::sqrt(d_k)));

  for (size_t row = 0; row < rows; ++row) {
    if (empty[row]) std::fill_n(a.begin() + static_cast<std::ptrdiff_t>(row * n_k), n_k, 0.0);
    const size_t first_key = row / n_q * n_k;
    std::vector<double> da(n_k);
    double sum = 0;
    for (size_t j = 0; j < n_k; ++j) {
      const double weight = a[row * n_k + j];
      for (size_t c = 0; c < d_v; ++c) {
        const double value = v.values[(first_key + j) * d_v + c], upstream = dout.values[row * d_v + c];
        out[row * d_v + c] += weight * value;
        da[j] += upstream * value;
        dv[(first_key + j) * d_v + c] += weight * upstream;
      }
      sum += da[j] * weight;
    }
    for (size_t j = 0; j < n_k; ++j) {
      const double dscore = dscores[row * n_k + j] = a[row * n_k + j] * (da[j] - sum);
      for (size_t c = 0; c < d_k; ++c) {
        dq[row * d_k + c] += scale * dscore * k.values[(first_key + j) * d_k + c];
        dk[(first_key + j) * d_k + c] += scale * dscore * q.values[row * d_k + c];
      }
    }
  }
  const auto replace = [&](const std::string& name, const std::vector<double>& values) {
    Tensor* tensor = find(reference, name);
    for (size_t i = 0; tensor && i < values.size(); ++i) {
      if (std::isnan(tensor->values[i])) tensor->values[i] = values[i];
    }
  };
  replace("O", out), replace("d_Q", dq), replace("d_K", dk), replace("d_V", dv);
  if (masks.bias) replace("d_attn_bias", bias_gradient(masks.bias->shape(), masks.scores, dscores));
}

void add_gradients(Results& results, const AttentionGradients& gradients, const char* form) {
  results.add("d_Q", gradients.dq, form);
  results.add("d_K", gradients.dk, form);
  results.add("d_V", gradients.dv, form);
}

}  // namespace

void torch_attention(Case& reference, Results& results) {
  const Masks masks(reference);
  const AttentionOptions& options = masks.options;
  expect_zero_rows(reference, masks);
  const Floats q(reference.required("Q")), k(reference.required("K")), v(reference.required("V"));
  const Floats dout(reference.required("grad_O"));

  const ExplainableForward explainable(q, k, v, options);
  results.add("O", explainable.out, kExplainable);
  results.add("A", explainable.weights, kExplainable);
  Floats dscores(explainable.weights.shape());
  add_gradients(results, explainable_backward(q, k, v, options, explainable, dout, dscores), kExplainable);
  if (masks.bias) {
    const std::vector<double> sums = bias_gradient(masks.bias->shape(), masks.scores, dscores.doubles());
    Floats dbias(masks.bias->shape());
    for (int64_t i = 0; i < dbias.size(); ++i) dbias[i] = static_cast<float>(sums[static_cast<size_t>(i)]);
    results.add("d_attn_bias", dbias, kExplainable);
  }

  const TiledForward tiled(q, k, v, options);
  results.add("O", tiled.out, kTiled);
  add_gradients(results, tiled_backward(q, k, v, options, tiled, dout), kTiled);
}

}  // namespace sqrtdk::conformance
