#include "layers/feed_forward.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "kernels/dropout.h"
#include "reference/activation.h"
#include "reference/layer_checks.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

constexpr int64_t kRows = 6, kModel = 5, kHidden = 7;
constexpr FeedForwardKind kKinds[] = {FeedForwardKind::kRelu, FeedForwardKind::kGelu,
                                      FeedForwardKind::kGeluTanh, FeedForwardKind::kSwiglu};

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

double activate(Activation f, double x) { return activation(f, x); }
Dual activate(Activation f, const Dual& x) {
  return {activation(f, x.value), activation_derivative(f, x.value) * x.tangent};
}

struct Layer {
  FeedForwardKind kind;
  bool bias;
  Parameters parameters;
  Cache cache;
  FeedForward layer;
  std::vector<float> x = Draws(2).normals(kRows * kModel), dout = Draws(3).normals(kRows * kModel);

  Layer(FeedForwardKind kind, bool bias, float dropout = 0)
      : kind(kind), bias(bias), layer(parameters, "f", kind, kModel, kHidden, bias, dropout) {
    parameters.allocate();
    fill_normals(parameters.values(), 1, 0.5f);
  }
  ConstView input() const { return {x.data(), {2, 3, kModel}}; }
  ConstView output_gradient() const { return {dout.data(), {2, 3, kModel}}; }
  std::vector<float> forward(const Mode& mode = {}) {
    const View out = layer.forward(input(), cache, mode);
    CHECK(out.shape == input().shape);
    return values_of(out);
  }
  std::vector<float> backward() { return values_of(layer.backward(input(), output_gradient(), cache)); }

  // `kept` multiplies the hidden elements: 0 or 1 / (1 - probability) where there is dropout.
  template <class T>
  std::vector<T> formula(const std::vector<T>& z, const std::vector<float>& kept = {}) const {
    size_t at = 0;
    const std::vector<T> rows = take(z, at, kRows * kModel);
    const size_t biases = bias ? 1 : 0;
    const auto w1 = take(z, at, kHidden * kModel), b1 = take(z, at, biases * kHidden);
    const auto w2 = take(z, at, kModel * kHidden), b2 = take(z, at, biases * kModel);
    std::vector<T> hidden = linear(rows, w1, b1, kModel, kHidden);
    for (T& h : hidden) h = activate(activation_of(kind), h);
    if (kind == FeedForwardKind::kSwiglu) {
      const auto w3 = take(z, at, kHidden * kModel), b3 = take(z, at, biases * kHidden);
      const std::vector<T> gate = linear(rows, w3, b3, kModel, kHidden);
      for (size_t i = 0; i < hidden.size(); ++i) hidden[i] = hidden[i] * gate[i];
    }
    for (size_t i = 0; i < kept.size(); ++i) hidden[i] = hidden[i] * T(kept[i]);
    return linear(hidden, w2, b2, kHidden, kModel);
  }
  std::vector<double> exact(const std::vector<float>& kept = {}) {
    return formula(widen(joined(x, parameters.values())), kept);
  }
};

// What dropout multiplies ones by.
std::vector<float> mask_of(const Mode& mode, float probability) {
  std::vector<float> mask(kRows * kHidden, 1.0f);
  const View view(mask.data(), {kRows, kHidden});
  dropout_forward(view, probability, dropout_key("f.dropout", mode), view);
  return mask;
}

}  // namespace

TEST_CASE("FeedForward registers its linear layers beside each other, by the names given") {
  Parameters parameters;
  const FeedForward relu(parameters, "layers.0", FeedForwardKind::kRelu, 4, 6);
  const FeedForward swiglu(parameters, "ffn", FeedForwardKind::kSwiglu, 4, 6, false, 0, {"w1", "w2", "w3"});
  const char* const names[] = {"layers.0.linear1.weight",
                               "layers.0.linear1.bias",
                               "layers.0.linear2.weight",
                               "layers.0.linear2.bias",
                               "ffn.w1.weight",
                               "ffn.w2.weight",
                               "ffn.w3.weight"};
  REQUIRE(parameters.list().size() == 7);
  for (int i = 0; i < 7; ++i) CHECK(parameters.find(names[i]) == i);
  CHECK(parameters.shape(0) == Shape{6, 4});
  CHECK(parameters.shape(2) == Shape{4, 6});
  CHECK(parameters.shape(6) == Shape{6, 4});
  CHECK(relu.linears().size() == 2);
  CHECK(swiglu.linears().size() == 3);
}

TEST_CASE("FeedForward agrees with its formula") {
  for (const FeedForwardKind kind : kKinds) {
    for (const bool bias : {true, false}) {
      Layer layer(kind, bias);
      const std::vector<double> exact = layer.exact();
      CHECK(compare(layer.forward(), exact).absolute <= 8 * 0x1p-24 * std::max(1.0, max_abs(exact)));
      CHECK(layer.cache.at("f.hidden").shape == Shape{2, 3, kHidden});
      CHECK(layer.cache.has("f.linear1.out"));
      CHECK(layer.cache.has("f.linear2.out"));
    }
  }
}

TEST_CASE("FeedForward: gradients three ways") {
  for (const FeedForwardKind kind : kKinds) {
    for (const bool bias : {true, false}) {
      CAPTURE(static_cast<int>(kind));
      Layer layer(kind, bias);
      layer.forward();
      const std::vector<float> dx = layer.backward();
      check_gradients([&](const auto& z) { return layer.formula(z); },
                      joined(layer.x, layer.parameters.values()), layer.dout,
                      joined(dx, layer.parameters.gradients()), 16 * 0x1p-24);
    }
  }
}

TEST_CASE("FeedForward with dropout: value and gradients are those of the masked network") {
  const Mode mode{true, 11, 5};
  for (const FeedForwardKind kind : kKinds) {
    Layer layer(kind, true, 0.4f);
    const std::vector<float> kept = mask_of(mode, 0.4f);
    const int64_t zeros = std::count(kept.begin(), kept.end(), 0.0f);
    CHECK((zeros > 0 && zeros < kRows * kHidden));
    const std::vector<double> exact = layer.exact(kept);
    CHECK(compare(layer.forward(mode), exact).absolute <= 16 * 0x1p-24 * std::max(1.0, max_abs(exact)));
    const std::vector<float> dx = layer.backward();
    check_gradients([&](const auto& z) { return layer.formula(z, kept); },
                    joined(layer.x, layer.parameters.values()), layer.dout,
                    joined(dx, layer.parameters.gradients()), 16 * 0x1p-24);
  }
}

TEST_CASE("FeedForward: dropout repeats for a seed and a step, and is off outside training") {
  Layer layer(FeedForwardKind::kGelu, true, 0.5f), without(FeedForwardKind::kGelu, true);
  const std::vector<float> first = layer.forward({true, 1, 7});
  CHECK_FALSE(same_bits(layer.forward({true, 2, 7}), first));
  CHECK_FALSE(same_bits(layer.forward({true, 1, 8}), first));
  CHECK(same_bits(layer.forward({true, 1, 7}), first));
  CHECK(same_bits(layer.forward({false, 1, 7}), without.forward()));
  CHECK(same_bits(layer.backward(), without.backward()));
  CHECK(same_bits(without.forward({true, 1, 7}), without.forward()));
}

TEST_CASE("FeedForward: a step repeated has the same bits and the same tensors in the same places") {
  for (const FeedForwardKind kind : kKinds) {
    Layer layer(kind, true, 0.1f);
    const Mode mode{true, 3, 4};
    const std::vector<float> out = layer.forward(mode), dx = layer.backward();
    const std::vector<float> gradients = joined({}, layer.parameters.gradients());
    const std::vector<std::string> names = layer.cache.names();
    std::vector<float*> places;
    for (const std::string& name : names) places.push_back(layer.cache.at(name).data);
    for (int step = 0; step < 20; ++step) {
      layer.parameters.clear_gradients();
      CHECK(same_bits(layer.forward(mode), out));
      CHECK(same_bits(layer.backward(), dx));
      CHECK(same_bits(joined({}, layer.parameters.gradients()), gradients));
    }
    CHECK(layer.cache.names() == names);
    for (size_t i = 0; i < names.size(); ++i) CHECK(layer.cache.at(names[i]).data == places[i]);
  }
}

TEST_CASE("FeedForward: a row alone has the bits that it has among others") {
  for (const FeedForwardKind kind : kKinds) {
    Layer layer(kind, true);
    const std::vector<float> out = layer.forward(), dx = layer.backward();
    for (int64_t row = 0; row < kRows; ++row) {
      const ConstView x(layer.x.data() + row * kModel, {1, kModel});
      const ConstView dout(layer.dout.data() + row * kModel, {1, kModel});
      const auto begin = row * kModel, end = begin + kModel;
      CHECK(same_bits(values_of(layer.layer.forward(x, layer.cache, {})),
                      {out.begin() + begin, out.begin() + end}));
      CHECK(same_bits(values_of(layer.layer.backward(x, dout, layer.cache)),
                      {dx.begin() + begin, dx.begin() + end}));
    }
  }
}

TEST_CASE("FeedForward: what does not fit is an error") {
  Layer layer(FeedForwardKind::kSwiglu, true);
  CHECK_THROWS_AS(layer.layer.backward(layer.input(), layer.output_gradient(), layer.cache), ValueError);
  CHECK_THROWS_AS(layer.layer.forward({layer.x.data(), {5, 6}}, layer.cache, {}), ShapeError);
  layer.forward();
  CHECK_THROWS_AS(layer.layer.backward(layer.input(), {layer.dout.data(), {5, kModel}}, layer.cache),
                  ShapeError);
  for (const float gradient : layer.parameters.gradients()) CHECK(gradient == 0);
  Parameters parameters;
  for (const float dropout : {-0.1f, 1.0f, NAN}) {
    CHECK_THROWS_AS(FeedForward(parameters, "f", FeedForwardKind::kRelu, 2, 3, true, dropout), ValueError);
  }
  CHECK(parameters.size() == 0);
}
