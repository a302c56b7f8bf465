#pragma once
// A layer with drawn parameters and inputs, compared with its reference in double: values, the gradient of
// every input and parameter, and <u, J t> = <Jᵀ u, t> along a drawn direction.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "kernels/attention/attention_options.h"
#include "kernels/dropout.h"
#include "layers/layer.h"
#include "reference/allocations.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/gradient.h"
#include "reference/transformer.h"

namespace sqrtdk::reference {

struct Input {
  Shape shape;
  std::vector<float> values;
  Input(const Shape& shape, uint64_t seed) : shape(shape), values(Draws(seed).normals(shape.size())) {}
  ConstView view() const { return {values.data(), shape}; }
  /// Sequence `index` of a batch, alone.
  ConstView sequence(int64_t index) const {
    const int64_t size = shape.size() / shape[0];
    return {values.data() + index * size, {1, shape[1], shape[2]}};
  }
};

inline std::vector<float> numbers(ConstView x) { return {x.data, x.data + x.shape.size()}; }

template <class Floats>
bool all_finite(const Floats& x) {
  return std::all_of(x.begin(), x.end(), [](float value) { return std::isfinite(value); });
}

/// `steps` calls of step(number): after the first, no call takes more memory than it.
template <class Step>
void check_memory(uint64_t steps, Step step) {
  step(0);
  const auto peak = [&](uint64_t number) {
    const PeakMemory memory;
    step(number);
    return memory.bytes();
  };
  const size_t temporary = peak(1);
  const PeakMemory memory;
  for (uint64_t number = 2; number < steps; ++number) CHECK(peak(number) <= temporary);
  CHECK(memory.bytes() <= temporary);
}

inline AttentionOptions causal() {
  AttentionOptions options;
  options.causal = Causal::kTopLeft;
  return options;
}

/// Norms near 1, all else small; no parameter is 0 as it begins in PyTorch.
inline void draw(Parameters& parameters, uint64_t seed) {
  parameters.allocate();
  Draws draws(seed);
  for (const Parameter& parameter : parameters.list()) {
    const bool gain = parameter.name.find("norm") != std::string::npos && parameter.shape.rank() == 1 &&
                      parameter.name.find("weight") != std::string::npos;
    for (int64_t i = 0; i < parameter.shape.size(); ++i) {
      parameters.values()[static_cast<size_t>(parameter.offset + i)] = 0.4f * draws.normal() + (gain ? 1 : 0);
    }
  }
}

/// The attention of a layer's config as the reference takes it, with defaults resolved.
inline MultiHeadAttentionConfig attention_of(const TransformerLayerConfig& config, double rotary_base) {
  MultiHeadAttentionConfig attention = config.attention;
  if (attention.n_kv_heads == 0) attention.n_kv_heads = attention.n_heads;
  if (attention.d_head == 0) attention.d_head = attention.d_model / attention.n_heads;
  attention.d_key_in = attention.d_value_in = attention.d_model;
  attention.rotary_base = rotary_base;
  return attention;
}

/// What dropout leaves of n ones.
inline std::vector<double> factors(const std::string& name, int64_t n, float probability, const Mode& mode) {
  std::vector<float> ones(static_cast<size_t>(n), 1.0f);
  const View view(ones.data(), {n});
  dropout_forward(view, probability, dropout_key(name, mode), view);
  return widen(ones);
}

/// What a layer computed: its output and the gradients of its inputs.
struct LayerResult {
  std::vector<float> out;
  std::vector<std::vector<float>> dinputs;
};

/// function(weights, inputs) -> out, in Numbers. The parameters hold the layer's gradients for `u`.
template <class Function>
void check_layer(const Parameters& parameters, const std::vector<Input>& inputs, const LayerResult& got,
                 const std::vector<float>& u, Function function,
                 const std::map<std::string, std::vector<double>>& factors = {}) {
  std::vector<double> x;
  for (const Input& input : inputs) x.insert(x.end(), input.values.begin(), input.values.end());
  x.insert(x.end(), parameters.values().begin(), parameters.values().end());
  std::vector<float> gradient;
  for (const std::vector<float>& dinput : got.dinputs) {
    gradient.insert(gradient.end(), dinput.begin(), dinput.end());
  }
  gradient.insert(gradient.end(), parameters.gradients().begin(), parameters.gradients().end());
  REQUIRE(gradient.size() == x.size());

  std::vector<double> exact_out;
  const auto run = [&](const Numbers& all) {
    std::vector<Numbers> tensors;
    auto at = all.begin();
    for (const Input& input : inputs) {
      tensors.emplace_back(at, at + input.shape.size());
      at += input.shape.size();
    }
    const Numbers out = function(Weights{parameters, Numbers(at, all.end()), factors}, tensors);
    exact_out.clear();
    for (const Dual& y : out) exact_out.push_back(y.value);
    return out;
  };
  // A few dozen float operations deep, with values near 1; a sum over a batch in the gradients.
  const std::vector<double> exact = gradient_of(run, x, widen(u));
  CHECK(compare(got.out, exact_out).absolute <= 64 * 0x1p-24 * (1 + max_abs(exact_out)));
  CHECK(compare(gradient, exact).absolute <= 128 * 0x1p-24 * (1 + max_abs(exact)));
  const std::vector<double> t = widen(Draws(99).normals(static_cast<int64_t>(x.size())));
  const double along = dot(widen(u), tangent_of(run, x, t)), back = dot(widen(gradient), t);
  double size = 1;
  for (size_t i = 0; i < t.size(); ++i) size += std::fabs(t[i] * gradient[i]);
  CHECK(std::fabs(along - back) <= 64 * 0x1p-24 * size);
}

}  // namespace sqrtdk::reference
