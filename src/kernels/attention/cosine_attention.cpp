// Scaled dot-product attention of q̂ = q / max(|q|, eps) and k̂, with tau as its scale.
#include "kernels/attention/cosine_attention.h"

#include <algorithm>
#include <cmath>

#include "kernels/attention/attention.h"
#include "kernels/attention/masking.h"

namespace sqrtdk {
namespace {

// A query or a key.
struct Row {
  const float* x;
  int64_t d;
  double norm() const {
    double sum = 0;
    for (int64_t c = 0; c < d; ++c) sum += static_cast<double>(x[c]) * x[c];
    return std::sqrt(sum);
  }
};

double at_least_epsilon(double norm) { return norm < kCosineEpsilon ? double{kCosineEpsilon} : norm; }

ConstView normalized(const ConstView& x, Arena& scratch) {
  const int64_t size = x.shape.size(), d = x.shape[-1];
  float* out = scratch.floats(size);
  for (int64_t begin = 0; begin < size; begin += d) {
    const double divisor = at_least_epsilon(Row{x.data + begin, d}.norm());
    for (int64_t c = begin; c < begin + d; ++c) out[c] = static_cast<float>(x.data[c] / divisor);
  }
  return {out, x.shape};
}

// dx holds g = dL/dx̂ / tau of one row and then dL/dx = tau (g - x̂ (x̂ · g)) / |x|, as dx̂/dx = (1 - x̂ x̂ᵀ) /
// |x|, or tau g / eps where the norm is the constant eps. Returns x̂ · g. A gradient of 0 stays 0: where all
// is masked, x may be NaN.
double backward_row(Row row, float tau, float* dx) {
  if (std::all_of(dx, dx + row.d, [](float g) { return g == 0; })) return 0;
  const double norm = row.norm(), divisor = at_least_epsilon(norm);
  double product = 0;
  for (int64_t c = 0; c < row.d; ++c) product += row.x[c] / divisor * dx[c];
  const double along = norm < kCosineEpsilon ? 0 : product;
  for (int64_t c = 0; c < row.d; ++c) {
    dx[c] = static_cast<float>(tau * (dx[c] - row.x[c] / divisor * along) / divisor);
  }
  return product;
}

double normalized_backward(const ConstView& x, float tau, const View& dx) {
  const int64_t size = x.shape.size(), d = x.shape[-1];
  double sum = 0;
  for (int64_t begin = 0; begin < size; begin += d) {
    sum += backward_row({x.data + begin, d}, tau, dx.data + begin);
  }
  return sum;
}

AttentionOptions options_of(float scale, const MaskView& mask) {
  AttentionOptions options;
  options.scale = scale;
  options.mask = mask;
  return options;
}

AttentionCall checked(const char* op, const ConstView& q, const ConstView& k, const ConstView& v,
                      const MaskView& mask) {
  const AttentionCall call(op, q, k, v, options_of(1, mask));
  check_shape(op, "k", k.shape, q.shape.with_last(call.n_k, call.d_k));  // no grouped heads
  return call;
}

}  // namespace

int64_t cosine_attention_scratch(const ConstView& q, const ConstView& k) {
  return Arena::padded(q.shape.size()) + Arena::padded(k.shape.size());
}

void cosine_attention_forward(const ConstView& q, const ConstView& k, const ConstView& v, float tau,
                              const MaskView& mask, const View& scores, const View& weights, const View& out,
                              Arena& scratch) {
  const char* op = "cosine_attention";
  const AttentionCall call = checked(op, q, k, v, mask);
  check_shape(op, "scores", scores.shape, call.scores);
  check_shape(op, "weights", weights.shape, call.scores);
  check_shape(op, "out", out.shape, call.out);
  const ConstView q_hat = normalized(q, scratch), k_hat = normalized(k, scratch);
  attention_forward(q_hat, k_hat, v, options_of(tau, mask), scores, weights, out);
}

double cosine_attention_backward(const ConstView& q, const ConstView& k, const ConstView& v, float tau,
                                 const MaskView& mask, const ConstView& weights, const ConstView& dout,
                                 const View& dscores, const View& dq, const View& dk, const View& dv,
                                 Arena& scratch) {
  const char* op = "cosine_attention_backward";
  const AttentionCall call = checked(op, q, k, v, mask);
  check_shape(op, "weights", weights.shape, call.scores);
  check_shape(op, "dout", dout.shape, call.out);
  check_shape(op, "dscores", dscores.shape, call.scores);
  check_shape(op, "dq", dq.shape, q.shape);
  check_shape(op, "dk", dk.shape, k.shape);
  check_shape(op, "dv", dv.shape, v.shape);
  const ConstView q_hat = normalized(q, scratch), k_hat = normalized(k, scratch);
  // With a scale of 1, dq and dk are dL/dq̂ and dL/dk̂ divided by tau, which may be 0.
  attention_backward(q_hat, k_hat, v, options_of(1, mask), {}, weights, dout, dscores, dq, dk, dv);
  normalized_backward(k, tau, dk);
  // scores_ij = tau q̂_i · k̂_j, so dtau = sum of dscores_ij q̂_i · k̂_j = sum of q̂_i · (dq̂_i / tau)
  return normalized_backward(q, tau, dq);
}

}  // namespace sqrtdk
