#include "kernels/additive_attention.h"

#include <algorithm>
#include <limits>

#include "kernels/additive_attention_call.h"
#include "kernels/matmul.h"
#include "simd/tanh.h"

namespace sqrtdk {
namespace {

using namespace simd;

constexpr float kMasked = -std::numeric_limits<float>::infinity();

AttentionCall pairs_of(const char* op, ConstView q, ConstView k, ConstView values, MaskView mask) {
  check_rank(op, "q", q.shape, 2, "(.., n_q, d_q)");
  check_rank(op, "k", k.shape, 2, "(.., n_k, d_k)");
  const Shape k_shape = q.shape.with_last(k.shape[-2], k.shape[-1]);
  check_shape(op, "k", k.shape, k_shape);
  check_rank(op, "values", values.shape, 2, "(.., n_k, d_v)");
  check_shape(op, "values", values.shape, k_shape.with_last(k.shape[-2], values.shape[-1]));
  AttentionOptions options;
  options.mask = mask;
  // No components: what makes the scores here is no dot product.
  return AttentionCall(op, {q.data, q.shape.with_last(q.shape[-2], 0)},
                       {k.data, k.shape.with_last(k.shape[-2], 0)}, values, options);
}

// v · tanh(a + b), of d components
float energy(const float* a, const float* b, const float* v, int64_t d) {
  f32x4 sums = zero();
  int64_t c = 0;
  for (; c + 4 <= d; c += 4) {
    sums = add(sums, mul(load(v + c), simd::tanh(add(load(a + c), load(b + c)))));
  }
  if (c < d) {
    const int64_t n = d - c;
    const f32x4 pre = add(load_first(a + c, n, zero()), load_first(b + c, n, zero()));
    sums = add(sums, mul(load_first(v + c, n, zero()), simd::tanh(pre)));
  }
  return sum(sums);
}

// Scores of the live pairs; the others hold anything.
void projected_scores(const AdditiveCall& call, ConstView q, ConstView k, View scores, Arena& scratch) {
  const AttentionCall& pairs = call.attention;
  const int64_t n_q = pairs.n_q, n_k = pairs.n_k, d = call.d_hidden;
  float* from_q = scratch.floats(n_q * d);
  float* from_k = scratch.floats(n_k * d);
  for (int64_t plane = 0; plane < pairs.planes; ++plane) {
    const MaskPlane mask = pairs.plane(plane);
    call.project_queries(q.data + plane * n_q * call.d_q, n_q, from_q);
    call.project_keys(k.data + plane * n_k * call.d_k, n_k, from_k);
    for (int64_t i = 0; i < n_q; ++i) {
      float* row = scores.data + (plane * n_q + i) * n_k;
      for (int64_t j = 0; j < n_k; ++j) {
        if (mask.live(i, j)) row[j] = energy(from_q + i * d, from_k + j * d, call.parameters.v.data, d);
      }
    }
  }
}

void naive_scores(const AdditiveCall& call, ConstView q, ConstView k, View scores, Arena& scratch) {
  const AttentionCall& pairs = call.attention;
  const int64_t n_q = pairs.n_q, n_k = pairs.n_k, d = call.d_hidden;
  float* from_q = scratch.floats(d);
  float* from_k = scratch.floats(d);
  for (int64_t plane = 0; plane < pairs.planes; ++plane) {
    const MaskPlane mask = pairs.plane(plane);
    for (int64_t i = 0; i < n_q; ++i) {
      float* row = scores.data + (plane * n_q + i) * n_k;
      for (int64_t j = 0; j < n_k; ++j) {
        if (!mask.live(i, j)) continue;
        call.project_queries(q.data + (plane * n_q + i) * call.d_q, 1, from_q);
        call.project_keys(k.data + (plane * n_k + j) * call.d_k, 1, from_k);
        row[j] = energy(from_q, from_k, call.parameters.v.data, d);
      }
    }
  }
}

}  // namespace

AdditiveCall::AdditiveCall(const char* op, ConstView q, ConstView k, ConstView values,
                           const AdditiveParameters& p, MaskView mask)
    : parameters(p), attention(pairs_of(op, q, k, values, mask)) {
  d_q = q.shape[-1], d_k = k.shape[-1];
  check_rank(op, "v", p.v.shape, 1, "(d_hidden,)");
  d_hidden = p.v.shape[0];
  check_shape(op, "v", p.v.shape, {d_hidden});
  check_shape(op, "w_q", p.w_q.shape, {d_hidden, d_q});
  check_shape(op, "w_k", p.w_k.shape, {d_hidden, d_k});
  if (p.b) check_shape(op, "b", p.b.shape, {d_hidden});
}

void AdditiveCall::project_queries(const float* q, int64_t n, float* out) const {
  matmul({q, {n, d_q}}, Transpose::kNo, parameters.w_q, Transpose::kYes, {out, {n, d_hidden}},
         Write::kOverwrite, parameters.b);
}

void AdditiveCall::project_keys(const float* k, int64_t n, float* out) const {
  matmul({k, {n, d_k}}, Transpose::kNo, parameters.w_k, Transpose::kYes, {out, {n, d_hidden}});
}

int64_t additive_attention_scratch(ConstView q, ConstView k, const AdditiveParameters& parameters) {
  const int64_t n_q = q.shape.rank() < 2 ? 0 : q.shape[-2], n_k = k.shape.rank() < 2 ? 0 : k.shape[-2];
  const int64_t d_hidden = parameters.v.shape.size();
  return 2 * (Arena::padded(std::max<int64_t>(n_q, 1) * d_hidden) +
              Arena::padded(std::max<int64_t>(n_k, 1) * d_hidden));
}

void additive_attention_forward(AdditiveForm form, ConstView q, ConstView k, ConstView values,
                                const AdditiveParameters& parameters, MaskView mask, View scores,
                                View weights, View out, Arena& scratch) {
  const char* op = "additive_attention";
  const AdditiveCall call(op, q, k, values, parameters, mask);
  check_shape(op, "scores", scores.shape, call.attention.scores);
  check_shape(op, "weights", weights.shape, call.attention.scores);
  check_shape(op, "out", out.shape, call.attention.out);

  const auto write_scores = form == AdditiveForm::kNaive ? naive_scores : projected_scores;
  write_scores(call, q, k, scores, scratch);
  set_masked(call.attention, scores.data, kMasked);
  softmax_live_keys(call.attention, scores.data, weights.data);
  sum_live_keys(call.attention, weights.data, values.data, call.attention.d_v, out.data);
}

}  // namespace sqrtdk
