#include "layers/norm.h"

#include <utility>

#include "base/decimal.h"
#include "base/errors.h"
#include "kernels/layer_norm.h"

namespace sqrtdk {

Norm::Norm(Parameters& parameters, const std::string& name, NormKind kind, int64_t d, float epsilon,
           bool affine)
    : parameters_(&parameters),
      stats_(inside(name, "stats")),
      out_(inside(name, "out")),
      dx_(inside(name, "dx")),
      kind_(kind),
      d_(d),
      epsilon_(epsilon) {
  check_epsilon("norm", epsilon);
  if (!affine) return;
  weight_ = parameters.add(inside(name, "weight"), {d}, ParameterRole::kNormWeight);
  if (kind == NormKind::kLayer) bias_ = parameters.add(inside(name, "bias"), {d}, ParameterRole::kNormBias);
}

ConstView Norm::value(int parameter) const {
  return parameter < 0 ? ConstView() : std::as_const(*parameters_).value(parameter);
}

View Norm::gradient(int parameter) const { return parameter < 0 ? View() : parameters_->gradient(parameter); }

// The statistics of each row of x are its mean and rstd, or its rrms.
Shape Norm::stats_shape(const Shape& x) const {
  if (x.rank() < 1 || x[-1] != d_) throw_wrong_shape("norm", "x", "(.., " + to_text(d_) + ")", x);
  return kind_ == NormKind::kLayer ? x.first(x.rank() - 1, 2) : x.first(x.rank() - 1);
}

View Norm::forward(ConstView x, Cache& cache) const {
  const View stats = cache.make(stats_, stats_shape(x.shape));
  const View out = cache.make(out_, x.shape);
  if (kind_ == NormKind::kLayer) {
    layer_norm_forward(x, value(weight_), value(bias_), epsilon_, out, stats);
  } else {
    rms_norm_forward(x, value(weight_), epsilon_, out, stats);
  }
  return out;
}

View Norm::backward(ConstView x, ConstView dout, Cache& cache) const {
  const View stats = cache.at(stats_);
  check_shape("norm_backward", "stats", stats.shape, stats_shape(x.shape));
  check_shape("norm_backward", "dout", dout.shape, x.shape);
  const View dx = cache.make(dx_, x.shape);
  const ConstView weight = value(weight_);
  const View dweight = gradient(weight_);
  if (kind_ == NormKind::kLayer) {
    layer_norm_backward(x, weight, stats, dout, dx, dweight, gradient(bias_));
  } else {
    rms_norm_backward(x, weight, stats, dout, dx, dweight);
  }
  return dx;
}

}  // namespace sqrtdk
