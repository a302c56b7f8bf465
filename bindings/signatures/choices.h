#pragma once
// What operators choose among, by the names that TypeScript gives. A config's choices stand beside its
// fields.
#include "base/fields.h"
#include "kernels/activation.h"
#include "kernels/arithmetic.h"
#include "kernels/attention/additive_attention.h"
#include "kernels/cross_entropy.h"
#include "kernels/half_precision.h"
#include "kernels/product/weights.h"
#include "kernels/reduce.h"
#include "layer_object.h"
#include "layers/config_fields.h"
#include "models/checkpoint.h"

namespace sqrtdk {

template <>
struct Choices<Causal> {
  static constexpr const char* kNames[] = {"", "top_left", "bottom_right"};  // none: not causal
};
template <>
struct Choices<AdditiveForm> {
  static constexpr const char* kNames[] = {"naive", "projected"};
};
template <>
struct Choices<Activation> {
  static constexpr const char* kNames[] = {"relu", "gelu", "gelu_tanh", "silu", "tanh"};
};
template <>
struct Choices<Reduction> {
  static constexpr const char* kNames[] = {"none", "mean", "sum"};
};
template <>
struct Choices<Format> {
  static constexpr const char* kNames[] = {"f32", "f16", "bf16"};
};
template <>
struct Choices<Encoding> {
  static constexpr const char* kNames[] = {"f32", "f16", "bf16"};
};
template <>
struct Choices<border::LayerTensors> {
  static constexpr const char* kNames[] = {"parameters", "gradients", "cache"};
};

namespace border {

/// Calls `each` with every enumeration that operators take, and its name in signatures.
template <class Each>
void each_choice(Each each) {
  each(Causal{}, "Causal");
  each(AdditiveForm{}, "AdditiveForm");
  each(Activation{}, "Activation");
  each(Reduction{}, "Reduction");
  each(Format{}, "Format");
  each(Encoding{}, "Dtype");
  each(WeightFormat{}, "WeightFormat");
  each(RotaryPairs{}, "RotaryPairs");
  each(LayerTensors{}, "LayerTensors");
  each(Arithmetic{}, "Arithmetic");
  each(Reduce{}, "Reduce");
}

}  // namespace border
}  // namespace sqrtdk
