#include "kernels/attention/attention.h"

#include <algorithm>
#include <limits>

#include "kernels/attention/masked_products.h"
#include "kernels/elementwise.h"
#include "simd/tanh.h"

namespace sqrtdk {
namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

// x = c tanh(x / c)
void cap(float* x, int64_t n, float c) {
  using namespace simd;
  const f32x4 cs = splat(c);
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) store(x + i, cs * simd::tanh(load(x + i) / cs));
  for (; i < n; ++i) x[i] = c * simd::tanh(x[i] / c);
}

// What v is multiplied with.
const float* factors_of(const char* op, const AttentionCall& call, const ConstView& weights,
                        const WeightDropout* dropout) {
  if (!dropout) return weights.data;
  check_shape(op, "dropped", dropout->dropped.shape, call.scores);
  check_probability(op, dropout->probability);
  return dropout->dropped.data;
}

}  // namespace

void attention_forward(const ConstView& q, const ConstView& k, const ConstView& v,
                       const AttentionOptions& options, const View& scores, const View& weights,
                       const View& out, const WeightDropout* dropout) {
  const AttentionCall call("attention", q, k, v, options);
  check_shape("attention", "scores", scores.shape, call.scores);
  check_shape("attention", "weights", weights.shape, call.scores);
  check_shape("attention", "out", out.shape, call.out);
  const float* const factors = factors_of("attention", call, weights, dropout);

  // scores = softcap(scale · q kᵀ) + bias, with softcap(x) = c tanh(x / c)
  multiply_unmasked_pairs(call, q.data, k.data, call.d_k, scores.data);
  each_row(call, [&](const HeadMask& mask, int64_t query, int64_t begin) {
    float* row = scores.data + begin;
    const int64_t end = mask.end(query);
    const float scale = call.scale_of(begin / std::max<int64_t>(call.n_q * call.n_k, 1));
    for (int64_t key = 0; key < end; ++key) row[key] = scale * row[key];
    if (call.softcap > 0) cap(row, end, call.softcap);
    for (int64_t key = 0; mask.bias && key < end; ++key) row[key] = row[key] + mask.bias_at(query, key);
  });
  // scores_ij = -inf where key j is masked for query i
  set_masked(call, scores.data, kMasked);
  // weights_ij = exp(scores_ij) / Σ_j exp(scores_ij)
  softmax_unmasked_keys(call, scores.data, weights.data);
  if (dropout) dropout_forward(weights, dropout->probability, dropout->key, dropout->dropped);
  // out_i = Σ_j weights_ij v_j
  sum_unmasked_keys(call, factors, v.data, call.d_v, out.data);
}

void attention_backward(const ConstView& q, const ConstView& k, const ConstView& v,
                        const AttentionOptions& options, const ConstView& scores, const ConstView& weights,
                        const ConstView& dout, const View& dscores, const View& dq, const View& dk,
                        const View& dv, const WeightDropout* dropout) {
  const char* op = "attention_backward";
  const AttentionCall call(op, q, k, v, options);
  if (scores || call.softcap > 0) check_shape(op, "scores", scores.shape, call.scores);
  check_shape(op, "weights", weights.shape, call.scores);
  check_shape(op, "dout", dout.shape, call.out);
  check_shape(op, "dscores", dscores.shape, call.scores);
  check_shape(op, "dq", dq.shape, q.shape);
  check_shape(op, "dk", dk.shape, k.shape);
  check_shape(op, "dv", dv.shape, v.shape);
  const float* const factors = factors_of(op, call, weights, dropout);

  // Forward: out_i = Σ_j weights_ij v_j, so dv_j = Σ_i weights_ij dout_i and dweights_ij = dout_i · v_j.
  sum_unmasked_queries(call, factors, dout.data, call.d_v, dv.data);
  multiply_unmasked_pairs(call, dout.data, v.data, call.d_v, dscores.data);
  if (dropout) dropout_backward(dscores, dropout->probability, dropout->key, dscores);
  // Forward: weights_ij = exp(scores_ij) / Σ_j exp(scores_ij), so
  // dscores_ij = weights_ij (dweights_ij - Σ_j weights_ij dweights_ij).
  softmax_unmasked_keys_backward(call, weights.data, dscores.data);
  // Forward: scores = c tanh(scale · q kᵀ / c) + bias, and tanh' = 1 - tanh². Where rounding took the last
  // digits of a small tanh beside a large bias, it took as much from the score and more from its weight. It
  // may leave a quotient beyond 1.
  if (call.softcap > 0) {
    each_row(call, [&](const HeadMask& mask, int64_t query, int64_t begin) {
      for (int64_t key = 0; key < mask.end(query); ++key) {
        if (!mask.unmasked(query, key)) continue;
        const float capped = scores.data[begin + key] - (mask.bias ? mask.bias_at(query, key) : 0.0f);
        const float tanh = capped / call.softcap, derivative = 1 - tanh * tanh;
        dscores.data[begin + key] = dscores.data[begin + key] * (derivative < 0 ? 0 : derivative);
      }
    });
  }
  // Forward: scale · q_i · k_j, so dq_i = scale Σ_j dscores_ij k_j and dk_j = scale Σ_i dscores_ij q_i.
  const int64_t query_size = call.n_q * call.d_k, key_size = call.n_k * call.d_k;
  const float* queries = q.data;
  if (!options.head_scales.empty() && call.group > 1) {
    std::copy_n(q.data, q.shape.size(), dq.data);
    for (int64_t head = 0; head < call.heads; ++head) {
      scale_elements({dq.data + head * query_size, {query_size}}, call.query_factor(head));
    }
    queries = dq.data;
  }
  sum_unmasked_queries(call, dscores.data, queries, call.d_k, dk.data);
  sum_unmasked_keys(call, dscores.data, k.data, call.d_k, dq.data);
  for (int64_t head = 0; head < call.heads; ++head) {
    scale_elements({dq.data + head * query_size, {query_size}}, call.scale_of(head));
  }
  for (int64_t head = 0; head < call.kv_heads(); ++head) {
    scale_elements({dk.data + head * key_size, {key_size}}, call.key_factor(head));
  }
}

void append_rows(const ConstView& past, const ConstView& x, const View& present) {
  check_rank("append_rows", "past", past.shape, 2, "(.., n_past, d)");
  check_rank("append_rows", "x", x.shape, 2, "(.., n, d)");
  const int64_t n_past = past.shape[-2], n = x.shape[-2], d = past.shape[-1];
  check_shape("append_rows", "x", x.shape, past.shape.with_last(n, d));
  check_shape("append_rows", "present", present.shape, past.shape.with_last(n_past + n, d));
  float* to = present.data;
  for (int64_t head = 0; head < past.shape.leading(2); ++head) {
    to = std::copy_n(past.data + head * n_past * d, n_past * d, to);
    to = std::copy_n(x.data + head * n * d, n * d, to);
  }
}

}  // namespace sqrtdk
