#include "layer_object.h"

#include "base/decimal.h"
#include "base/errors.h"

namespace sqrtdk::border {
namespace {

void copy_floats(ConstView from, View to) { std::copy_n(from.data, from.shape.size(), to.data); }

}  // namespace

template <class T>
BasicView<const T> KeptCall::copy(std::vector<T>& to, BasicView<const T> from) {
  if (!from) return {};
  to.assign(from.data, from.data + from.shape.size());
  return {to.data(), from.shape};
}

const LayerCall& KeptCall::keep(const LayerCall& given) {
  const auto copy_of = [&](const char* name, size_t i, ConstView from) -> ConstView {
    if (!from) return {};
    const View to = floats_.make(name + to_text(i), from.shape);
    copy_floats(from, to);
    return to;
  };
  call_ = given;
  for (size_t i = 0; i < kMaxInputs; ++i) {
    AttentionOptions& options = call_.options[i];
    call_.inputs[i] = copy_of("x", i, given.inputs[i]);
    options.bias = copy_of("bias", i, options.bias);
    if (!options.head_scales.empty()) {
      scales_[i].assign(options.head_scales.begin(), options.head_scales.end());
      options.head_scales = scales_[i];
    }
    options.mask = copy(masks_[i], options.mask);
    options.lengths = copy(lengths_[i], options.lengths);
  }
  call_.ids = copy(ids_, given.ids);
  return call_;
}

void LayerObject::forward(const LayerCall& given, View out) {
  last_ = nullptr;
  const LayerCall& call = kept_.keep(given);
  forwards_ = call.mode.training ? 0 : forwards_ + 1;
  const bool narrow = parameters.format() != WeightFormat::kF32;
  if (call.mode.training && narrow) {
    parameters.values();  // which training computes with: asking for them ends packing
  } else if (forwards_ > 1 || narrow) {
    parameters.pack();
  }
  const View result = run(call);
  check_shape(op, "out", out.shape, result.shape);
  copy_floats(result, out);
  out_shape_ = result.shape;
  last_ = &call;
}

void LayerObject::backward(ConstView dout, std::span<const View> dinputs) {
  if (!last_) {
    throw ValueError(ErrorCode::kUnsupported, op, "backward", "a forward pass before it", "none");
  }
  check_shape(op, "dout", dout.shape, out_shape_);
  for (size_t i = 0; i < dinputs.size(); ++i) {
    if (dinputs[i]) check_shape(op, "dx", dinputs[i].shape, last_->inputs[i].shape);
  }
  forwards_ = 0;
  const Gradients gradients = run_back(*last_, dout);
  for (size_t i = 0; i < dinputs.size(); ++i) {
    if (dinputs[i]) copy_floats(gradients[i], dinputs[i]);
  }
}

AttentionOptions LayerObject::options(const char* called, const AttentionArguments& given) const {
  AttentionOptions resolved = given.at(called, d_head());
  if (!resolved.scale && resolved.head_scales.empty()) resolved.head_scales = head_scales;
  return resolved;
}

void LayerObject::check_sequence(const char* argument, ConstView x, int64_t d) const {
  if (x.shape.rank() == 3 && x.shape[2] == d) return;
  throw_wrong_shape(op, argument, "(batch, n, " + to_text(d) + ")", x.shape);
}

}  // namespace sqrtdk::border
