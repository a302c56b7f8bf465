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

FeedForward::FeedForward(Parameters& parameters, std::string name, FeedForwardKind kind, int64_t d_model,
                         int64_t d_ff, bool bias, float dropout, FeedForwardNames names)
    : name_(std::move(name)), kind_(kind), dropout_(inside(name_, "dropout"), dropout) {
  linears_.emplace_back(parameters, inside(name_, names.first), d_model, d_ff, bias);
  linears_.emplace_back(parameters, inside(name_, names.second), d_ff, d_model, bias);
  if (kind == FeedForwardKind::kSwiglu) {
    linears_.emplace_back(parameters, inside(name_, names.gate), d_model, d_ff, bias);
  }
}

View FeedForward::forward(ConstView x, Cache& cache, const Mode& mode) const {
  const View first = linears_[0].forward(x, cache);
  cache.keep(inside(name_, "first"), first);
  const View hidden = cache.make(inside(name_, "hidden"), first.shape);
  if (kind_ == FeedForwardKind::kSwiglu) {
    const View gate = linears_[2].forward(x, cache);
    cache.keep(inside(name_, "gate"), gate);
    const View active = cache.make(inside(name_, "active"), first.shape);
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
  const ConstView first = cache.kept(inside(name_, "first"));
  if (kind_ != FeedForwardKind::kSwiglu) {
    activation_backward(activation_of(kind_), first, dhidden, dhidden);
    return linears_[0].backward(dhidden, cache);
  }
  // Forward: hidden = active · gate with active = silu(first), so dgate = dhidden · active and
  // dfirst = dhidden · gate · silu'(first).
  const View dgate = cache.make(inside(name_, "dgate"), dhidden.shape);
  multiply_elements(dhidden, cache.at(inside(name_, "active")), dgate);
  multiply_elements(dhidden, cache.kept(inside(name_, "gate")), dhidden);
  activation_backward(Activation::kSilu, first, dhidden, dhidden);
  const View dx = linears_[0].backward(dhidden, cache);
  add_elements(dx, linears_[2].backward(dgate, cache), dx);
  return dx;
}

}  // namespace sqrtdk
