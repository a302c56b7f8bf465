// ONNX Attention (opset 23, 24) and FlexAttention without modifiers.
// https://onnx.ai/onnx/operators/onnx__Attention.html
#include <cmath>

#include "conformance/attention_forms.h"
#include "conformance/operators.h"
#include "kernels/attention/attention.h"

namespace sqrtdk::conformance {
namespace {

// [batch, n, heads · d] as [batch, heads, n, d]; 4 dimensions are so already.
Floats heads_of(const Tensor& tensor, int64_t n_heads) {
  Floats x(tensor);
  if (tensor.dims.size() == 4) return x;
  if (tensor.dims.size() != 3 || n_heads < 1 || tensor.dims[2] % n_heads != 0) {
    throw std::runtime_error("input " + tensor.name + " has no " + std::to_string(n_heads) + " heads");
  }
  return swap_middle(x.reshape({tensor.dims[0], tensor.dims[1], n_heads, tensor.dims[2] / n_heads}));
}

// A mask whose last dimension ends before the keys do masks those beyond.
Tensor padded(const Tensor& mask, int64_t n_k, bool boolean) {
  if (mask.dims.empty() || mask.dims.back() >= n_k) return mask;
  Tensor result = mask;
  const int64_t width = mask.dims.back(), rows = width > 0 ? size_of(mask.dims) / width : 0;
  result.dims.back() = n_k;
  result.values.assign(static_cast<size_t>(size_of(result.dims)), boolean ? 0 : -INFINITY);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < width; ++i) {
      result.values[static_cast<size_t>(row * n_k + i)] = mask.values[static_cast<size_t>(row * width + i)];
    }
  }
  return result;
}

// Keys or values with the cache's before them.
Floats present(const Tensor* past, const Floats& x) {
  if (!past) return x;
  const Floats before(*past);
  Floats all(x.shape().with_last(before.shape()[-2] + x.shape()[-2], x.shape()[-1]));
  append_rows(before.view(), x.view(), all.view());
  return all;
}

// What qk_matmul_output_mode asks to see: 0 the scaled products, 1 these after softcap, 2 after bias and
// masks too, 3 after softmax.
Floats seen(int64_t mode, const Floats& q, const Floats& k, const Floats& v, const AttentionOptions& options,
            const ExplainableForward& forward) {
  if (mode == 3) return forward.weights;
  if (mode == 2) return forward.scores;
  AttentionOptions unmasked;
  unmasked.scale = options.scale;
  if (mode == 1) unmasked.softcap = options.softcap;
  return ExplainableForward(q, k, v, unmasked).scores;
}

}  // namespace

void onnx_attention(Case& reference, Results& results) {
  const bool flat = reference.required(0).dims.size() == 3;
  const int64_t q_heads = reference.integer("q_num_heads", 0),
                kv_heads = reference.integer("kv_num_heads", 0);
  const Tensor* past = reference.input(4);
  const Floats q = heads_of(reference.required(0), q_heads);
  const Floats k = present(past, heads_of(reference.required(1), kv_heads));
  const Floats v = present(reference.input(5), heads_of(reference.required(2), kv_heads));

  AttentionOptions options;
  if (reference.has("scale")) options.scale = static_cast<float>(reference.number("scale", 0));
  options.softcap = static_cast<float>(reference.number("softcap", 0));
  std::optional<Mask> mask;
  std::optional<Floats> bias;
  if (const Tensor* tensor = reference.input(3)) {
    const bool boolean = tensor->dtype == "bool";
    const Tensor whole = padded(*tensor, k.shape()[-2], boolean);
    if (boolean)
      options.mask = mask.emplace(whole, true).view();
    else
      options.bias = bias.emplace(whole).view();
  }
  std::optional<Indices> lengths;
  if (const Tensor* nonpad_kv_seqlen = reference.input(6))
    options.lengths = lengths.emplace(*nonpad_kv_seqlen).view();
  if (reference.integer("is_causal", 0) != 0) {
    // Without a cache of its own, the queries are the last of the keys that are no padding.
    options.causal = !past && lengths ? Causal::kBottomRight : Causal::kTopLeft;
    options.n_past = past ? past->dims.at(2) : 0;
  }

  const auto merged = [&](const Floats& out) {
    const Shape& shape = out.shape();
    return flat ? swap_middle(out).reshape({shape[0], shape[2], shape[1] * shape[3]}) : out;
  };
  const ExplainableForward explainable(q, k, v, options);
  const TiledForward tiled(q, k, v, options);
  results.add(0, merged(explainable.out), kExplainable);
  results.add(0, merged(tiled.out), kTiled);
  results.add(1, k);
  results.add(2, v);
  if (reference.output(3)) {
    const int64_t mode = reference.integer("qk_matmul_output_mode", 0);
    results.add(3, seen(mode, q, k, v, options, explainable));
  }
}

void onnx_flex_attention(Case& reference, Results& results) {
  for (const char* modifier : {"score_mod", "prob_mod", "mask_mod"}) {
    if (reference.has(modifier)) throw Skip(std::string("no ") + modifier);
  }
  onnx_attention(reference, results);
}

}  // namespace sqrtdk::conformance
