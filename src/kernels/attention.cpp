#include "kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/matmul.h"
#include "kernels/softmax.h"
#include "simd/f32x4.h"

namespace sqrtdk {
namespace {

using namespace simd;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Sizes {
  int64_t n_q, n_k, d_k, d_v;
};

// Which keys a query attends to. Masked ones are left out of every sum, not multiplied by 0, so that
// what stands there (NaN, infinity) changes no bit.
struct Masking {
  const uint8_t* mask;
  const float* bias;
  int64_t mask_step, bias_step;  // from batch to batch; 0 where all share one
  Causal causal;
  int64_t n_q, n_k;

  bool none() const { return !mask && !bias && causal == Causal::kNo; }

  bool live(int64_t batch, int64_t query, int64_t key) const {
    if (causal == Causal::kTopLeft && key > query) return false;
    if (causal == Causal::kBottomRight && key > query + n_k - n_q) return false;
    const int64_t at = query * n_k + key;
    return (!mask || mask[batch * mask_step + at] != 0) &&
           (!bias || bias[batch * bias_step + at] != -kInfinity);
  }
};

Masking masking_of(const AttentionOptions& options, const Sizes& sizes) {
  const int64_t plane = sizes.n_q * sizes.n_k;
  return {options.mask.data,
          options.bias.data,
          options.mask.shape.rank() > 2 ? plane : 0,
          options.bias.shape.rank() > 2 ? plane : 0,
          options.causal,
          sizes.n_q,
          sizes.n_k};
}

float scale_of(const AttentionOptions& options, const Sizes& sizes) {
  const double d_k = static_cast<double>(std::max<int64_t>(sizes.d_k, 1));
  return options.scale ? *options.scale : static_cast<float>(1 / std::sqrt(d_k));
}

// out[0 .. 4 kVectors) += sum over the listed rows of factors[row * factor_step] * rows[row][..]
template <int kVectors>
void add_rows(const float* factors, int64_t factor_step, const float* rows, int64_t row_step,
              const int32_t* listed, int64_t count, float* out) {
  f32x4 sums[kVectors];
  for (f32x4& sum : sums) sum = zero();
  for (int64_t i = 0; i < count; ++i) {
    const f32x4 factor = load_splat(factors + listed[i] * factor_step);
    const float* row = rows + listed[i] * row_step;
    for (int v = 0; v < kVectors; ++v) sums[v] = add(sums[v], mul(factor, load(row + 4 * v)));
  }
  for (int v = 0; v < kVectors; ++v) store(out + 4 * v, add(load(out + 4 * v), sums[v]));
}

// out[0 .. d) = sum over the live i of factors[i * factor_step] * rows[i]: what matmul computes, in the same
// order, without the others.
template <class Live>
void sum_live_rows(const float* factors, int64_t factor_step, const float* rows, int64_t n, int64_t d,
                   Live live, float* out) {
  std::fill(out, out + d, 0.0f);
  for (int64_t start = 0; start < n; start += kSumBlock) {
    int32_t listed[kSumBlock];
    int64_t count = 0;
    for (int64_t i = start; i < std::min(start + kSumBlock, n); ++i) {
      if (live(i)) listed[count++] = static_cast<int32_t>(i - start);
    }
    const float* f = factors + start * factor_step;
    const float* r = rows + start * d;
    int64_t j = 0;
    for (; j + 32 <= d; j += 32) add_rows<8>(f, factor_step, r + j, d, listed, count, out + j);
    for (; j + 4 <= d; j += 4) add_rows<1>(f, factor_step, r + j, d, listed, count, out + j);
    for (; j < d; ++j) {
      float sum = 0;
      for (int64_t i = 0; i < count; ++i) sum = sum + f[listed[i] * factor_step] * r[listed[i] * d + j];
      out[j] = out[j] + sum;
    }
  }
}

// out [n_q, d] = factors [n_q, n_k] · keys [n_k, d] over the live keys of each query
void times_live_keys(ConstView factors, ConstView keys, const Masking& masking, View out) {
  if (masking.none()) return matmul(factors, Transpose::kNo, keys, Transpose::kNo, out);
  const int64_t n_q = masking.n_q, n_k = masking.n_k, d = keys.shape[-1];
  for (int64_t row = 0; row < factors.shape.leading(1); ++row) {
    const int64_t batch = row / n_q, query = row % n_q;
    sum_live_rows(
        factors.data + row * n_k, 1, keys.data + batch * n_k * d, n_k, d,
        [&](int64_t key) { return masking.live(batch, query, key); }, out.data + row * d);
  }
}

// out [n_k, d] = factorsᵀ [n_k, n_q] · queries [n_q, d] over the queries for which the key is live
void times_live_queries(ConstView factors, ConstView queries, const Masking& masking, View out) {
  if (masking.none()) return matmul(factors, Transpose::kYes, queries, Transpose::kNo, out);
  const int64_t n_q = masking.n_q, n_k = masking.n_k, d = queries.shape[-1];
  for (int64_t row = 0; row < out.shape.leading(1); ++row) {
    const int64_t batch = row / n_k, key = row % n_k;
    sum_live_rows(
        factors.data + batch * n_q * n_k + key, n_k, queries.data + batch * n_q * d, n_q, d,
        [&](int64_t query) { return masking.live(batch, query, key); }, out.data + row * d);
  }
}

void set_masked(View x, const Masking& masking, float value) {
  if (masking.none()) return;
  const int64_t n_q = masking.n_q, n_k = masking.n_k;
  for (int64_t row = 0; row < x.shape.leading(1); ++row) {
    for (int64_t key = 0; key < n_k; ++key) {
      if (!masking.live(row / n_q, row % n_q, key)) x.data[row * n_k + key] = value;
    }
  }
}

void multiply(View x, float factor) {
  const int64_t size = x.shape.size();
  for (int64_t i = 0; i < size; ++i) x.data[i] = factor * x.data[i];
}

// ---- Shapes

struct Shapes {
  Sizes sizes;
  Shape scores, out;
};

Shapes check_inputs(const char* op, ConstView q, ConstView k, ConstView v, const AttentionOptions& options) {
  check_rank(op, "q", q.shape, 2, "(.., n_q, d_k)");
  check_rank(op, "k", k.shape, 2, "(.., n_k, d_k)");
  check_rank(op, "v", v.shape, 2, "(.., n_k, d_v)");
  const Sizes sizes{q.shape[-2], k.shape[-2], q.shape[-1], v.shape[-1]};
  const Shapes shapes{sizes, q.shape.with_last(sizes.n_q, sizes.n_k),
                      q.shape.with_last(sizes.n_q, sizes.d_v)};
  check_shape(op, "k", k.shape, q.shape.with_last(sizes.n_k, sizes.d_k));
  check_shape(op, "v", v.shape, q.shape.with_last(sizes.n_k, sizes.d_v));
  const Shape plane{sizes.n_q, sizes.n_k};
  if (options.mask && options.mask.shape != plane) check_shape(op, "mask", options.mask.shape, shapes.scores);
  if (options.bias && options.bias.shape != plane) check_shape(op, "bias", options.bias.shape, shapes.scores);
  return shapes;
}

}  // namespace

void attention_forward(ConstView q, ConstView k, ConstView v, const AttentionOptions& options, View scores,
                       View weights, View out) {
  const Shapes shapes = check_inputs("attention", q, k, v, options);
  check_shape("attention", "scores", scores.shape, shapes.scores);
  check_shape("attention", "weights", weights.shape, shapes.scores);
  check_shape("attention", "out", out.shape, shapes.out);
  const Masking masking = masking_of(options, shapes.sizes);

  matmul(q, Transpose::kNo, k, Transpose::kYes, scores);
  multiply(scores, scale_of(options, shapes.sizes));
  if (masking.bias) {
    const int64_t plane = masking.n_q * masking.n_k, size = scores.shape.size();
    for (int64_t i = 0; i < size; ++i) {
      scores.data[i] = scores.data[i] + masking.bias[masking.bias_step ? i : i % plane];
    }
  }
  set_masked(scores, masking, -kInfinity);
  softmax_forward(scores, weights);
  set_masked(weights, masking, 0);  // also where the whole row is masked, or NaN
  times_live_keys(weights, v, masking, out);
}

void attention_backward(ConstView q, ConstView k, ConstView v, const AttentionOptions& options,
                        ConstView weights, ConstView dout, View dscores, View dq, View dk, View dv) {
  const Shapes shapes = check_inputs("attention_backward", q, k, v, options);
  check_shape("attention_backward", "weights", weights.shape, shapes.scores);
  check_shape("attention_backward", "dout", dout.shape, shapes.out);
  check_shape("attention_backward", "dscores", dscores.shape, shapes.scores);
  check_shape("attention_backward", "dq", dq.shape, q.shape);
  check_shape("attention_backward", "dk", dk.shape, k.shape);
  check_shape("attention_backward", "dv", dv.shape, v.shape);
  const Masking masking = masking_of(options, shapes.sizes);
  const float scale = scale_of(options, shapes.sizes);

  // out = weights · v
  times_live_queries(weights, dout, masking, dv);
  const View dweights = dscores;
  matmul(dout, Transpose::kNo, v, Transpose::kYes, dweights);
  set_masked(dweights, masking, 0);
  // weights = softmax(scores)
  softmax_backward(weights, dweights, dscores);
  set_masked(dscores, masking, 0);
  // scores = scale · q kᵀ (+ bias)
  times_live_keys(dscores, k, masking, dq);
  times_live_queries(dscores, q, masking, dk);
  multiply(dq, scale);
  multiply(dk, scale);
}

}  // namespace sqrtdk
