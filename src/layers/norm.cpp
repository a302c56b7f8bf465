#include "layers/norm.h"

#include <utility>

#include "kernels/layer_norm.h"

namespace sqrtdk {

Norm::Norm(Parameters& parameters, std::string name, NormKind kind, int64_t d, float epsilon)
    : parameters_(&parameters), name_(std::move(name)), kind_(kind), d_(d), epsilon_(epsilon) {
  weight_ = parameters.add(inside(name_, "weight"), {d});
  if (kind == NormKind::kLayer) bias_ = parameters.add(inside(name_, "bias"), {d});
}

// Of each row of x: mean and rstd, or rrms.
Shape Norm::stats_shape(const Shape& x) const {
  if (x.rank() < 1 || x[-1] != d_) throw_wrong_shape("norm", "x", "(.., " + std::to_string(d_) + ")", x);
  return kind_ == NormKind::kLayer ? x.first(x.rank() - 1, 2) : x.first(x.rank() - 1);
}

View Norm::forward(ConstView x, Cache& cache) const {
  const View stats = cache.make(inside(name_, "stats"), stats_shape(x.shape));
  const View out = cache.make(inside(name_, "out"), x.shape);
  const View weight = parameters_->value(weight_);
  if (kind_ == NormKind::kLayer) {
    layer_norm_forward(x, weight, parameters_->value(bias_), epsilon_, out, stats);
  } else {
    rms_norm_forward(x, weight, epsilon_, out, stats);
  }
  return out;
}

View Norm::backward(ConstView x, ConstView dout, Cache& cache) const {
  const View stats = cache.at(inside(name_, "stats"));
  check_shape("norm_backward", "stats", stats.shape, stats_shape(x.shape));
  check_shape("norm_backward", "dout", dout.shape, x.shape);
  const View dx = cache.make(inside(name_, "dx"), x.shape);
  const View weight = parameters_->value(weight_), dweight = parameters_->gradient(weight_);
  if (kind_ == NormKind::kLayer) {
    layer_norm_backward(x, weight, stats, dout, dx, dweight, parameters_->gradient(bias_));
  } else {
    rms_norm_backward(x, weight, stats, dout, dx, dweight);
  }
  return dx;
}

}  // namespace sqrtdk
