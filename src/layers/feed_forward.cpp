#include "layers/feed_forward.h"

#include <utility>

#include "kernels/activation.h"
#include "kernels/elementwise.h"

namespace sqrtdk {
namespace {

Activation activation_of(FeedForwardKind kind) {
  switch (kind) {
    case FeedForwardKind::kRelu:
      return Activation::kRelu;
    case FeedForwardKind::kGelu:
      return Activation::kGelu;
    case FeedForwardKind::kGeluTanh:
      return Activation::kGeluTanh;
    case FeedForwardKind::kSwiglu:
      break;
  }
  return Activation::kSilu;
}

}  // namespace

FeedForward::FeedForward(Parameters& parameters, const std::string& name, FeedForwardKind kind,
                         int64_t d_model, int64_t d_ff, bool bias, float dropout, FeedForwardNames names)
    : first_(inside(name, "first")),
      gate_(inside(name, "gate")),
      hidden_(inside(name, "hidden")),
      active_(inside(name, "active")),
      dgate_(inside(name, "dgate")),
      kind_(kind),
      dropout_(inside(name, "dropout"), dropout) {
  linears_.emplace_back(parameters, inside(name, names.first), d_model, d_ff, bias);
  linears_.emplace_back(parameters, inside(name, names.second), d_ff, d_model, bias);
  if (kind == FeedForwardKind::kSwiglu) {
    linears_.emplace_back(parameters, inside(name, names.gate), d_model, d_ff, bias);
  }
}

View FeedForward::forward(ConstView x, Cache& cache, const Mode& mode) const {
  const View first = linears_[0].forward(x, cache);
  cache.keep(first_, first);
  const View hidden = cache.make(hidden_, first.shape);
  if (kind_ == FeedForwardKind::kSwiglu) {
    const View gate = linears_[2].forward(x, cache);
    cache.keep(gate_, gate);
    const View active = cache.make(active_, first.shape);
    activation_forward(Activation::kSilu, first, active);
    multiply_elements(active, gate, hidden);
  } else {
    activation_forward(activation_of(kind_), first, hidden);
  }
  dropout_.forward(hidden, cache, mode);
  return linears_[1].forward(hidden, cache);
}

View FeedForward::backward(ConstView x, ConstView dout, Cache& cache) const {
  const View dhidden = linears_[1].backward(dout, cache);
  dropout_.backward(dhidden, cache);
  const ConstView first = cache.kept(first_);
  if (kind_ != FeedForwardKind::kSwiglu) {
    activation_backward(activation_of(kind_), first, dhidden, dhidden);
    return linears_[0].backward(dhidden, cache);
  }
  // Forward: hidden = active · gate with active = silu(first), so dgate = dhidden · active and
  // dfirst = dhidden · gate · silu'(first).
  const View dgate = cache.make(dgate_, dhidden.shape);
  multiply_elements(dhidden, cache.at(active_), dgate);
  multiply_elements(dhidden, cache.kept(gate_), dhidden);
  activation_backward(Activation::kSilu, first, dhidden, dhidden);
  const View dx = linears_[0].backward(dhidden, cache);
  add_elements(dx, linears_[2].backward(dgate, cache), dx);
  return dx;
}

}  // namespace sqrtdk
