#include "kernels/activation.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/errors.h"
#include "reference/activation.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "simd/bits.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

constexpr Activation kAll[] = {Activation::kRelu, Activation::kGelu, Activation::kGeluTanh, Activation::kSilu,
                               Activation::kTanh};

std::vector<float> forward(Activation which, const std::vector<float>& x) {
  std::vector<float> out(x.size(), 7.0f);
  const Shape shape{static_cast<int64_t>(x.size())};
  activation_forward(which, {x.data(), shape}, {out.data(), shape});
  return out;
}
float forward(Activation which, float x) { return forward(which, std::vector<float>{x})[0]; }

std::vector<double> exact(Activation which, const std::vector<float>& x) {
  std::vector<double> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) y[i] = activation(which, x[i]);
  return y;
}

// A sample of the floats from low to high, of one sign.
std::vector<float> floats(float low, float high, float sign) {
  std::vector<float> x;
  for (uint32_t bits = simd::bit_cast<uint32_t>(low); bits < simd::bit_cast<uint32_t>(high); bits += 4093)
    x.push_back(sign * simd::bit_cast<float>(bits));
  return x;
}

}  // namespace

TEST_CASE("activation: errors for positive inputs and for negative ones, where the result may be small") {
  struct Bound {
    Activation which;
    double positive, near, tail;  // in ULP, for x > 0, -2.5 <= x < 0 and -6 < x < -2.5
  };
  // Gelu is made of a 16th power, which has 16 times the error of its root. The tail of gelu_tanh is exp of a
  // rounded number of size |z|: some |z| ULP.
  for (const Bound& b : {Bound{Activation::kRelu, 0, 0, 0}, Bound{Activation::kGelu, 40, 40, 60},
                         Bound{Activation::kGeluTanh, 2, 13, 220}, Bound{Activation::kSilu, 2, 3.2, 3.2},
                         Bound{Activation::kTanh, 1.46, 1.46, 0.6}}) {
    CAPTURE(static_cast<int>(b.which));
    const auto ulp = [&](const std::vector<float>& x) {
      return compare(forward(b.which, x), exact(b.which, x)).ulp;
    };
    CHECK(ulp(floats(1e-30f, 1e30f, 1)) <= b.positive);
    CHECK(ulp(floats(1e-30f, 2.5f, -1)) <= b.near);
    CHECK(ulp(floats(2.5f, 6, -1)) <= b.tail);
  }
}

TEST_CASE("activation: absolute errors are a rounding of the result and little more") {
  for (const Activation which : kAll) {
    CAPTURE(static_cast<int>(which));
    const std::vector<float> x = floats(1e-3f, 8, 1), y = floats(1e-3f, 8, -1);
    const bool gelu = which == Activation::kGelu;
    CHECK(compare(forward(which, x), exact(which, x)).absolute <= (gelu ? 3.7e-7 : 2.6e-7));
    CHECK(compare(forward(which, y), exact(which, y)).absolute <= (gelu ? 3.7e-7 : 0.9e-7));
    if (!gelu) continue;
    const std::vector<float> far = floats(6, 1e30f, -1);  // where the result is below 6e-9
    CHECK(compare(forward(which, far), exact(which, far)).absolute <= 1e-12);
  }
}

TEST_CASE("activation: special values") {
  for (const Activation which : kAll) {
    CAPTURE(static_cast<int>(which));
    const bool bounded = which == Activation::kTanh;
    CHECK(std::isnan(forward(which, NAN)));
    CHECK(std::isnan(forward(which, -NAN)));
    CHECK(std::isnan(forward(which, simd::bit_cast<float>(0x7fc001ffu))));
    CHECK(forward(which, 0.0f) == 0);
    CHECK(!std::signbit(forward(which, 0.0f)));
    CHECK(std::signbit(forward(which, -0.0f)));
    for (const float large : {100.0f, 1e30f, 3e38f, INFINITY}) {
      CHECK(forward(which, large) == (bounded ? 1 : large));
      if (large > 100) CHECK(forward(which, -large) == (bounded ? -1 : 0));
    }
    for (const float tiny : {1e-45f, 1e-39f, 0x1p-126f})
      for (const float x : {tiny, -tiny}) CHECK(error_of(forward(which, x), activation(which, x)).ulp <= 4);
  }
}

TEST_CASE(
    "activation: every length 1..33, unaligned, in place, between guards; an element alone and among "
    "others") {
  Draws draws(1);
  for (const Activation which : kAll) {
    for (int64_t n = 1; n <= 33; ++n) {
      CAPTURE(n);
      const std::vector<float> x = draws.normals(n, 2), y = forward(which, x);
      for (size_t i = 0; i < x.size(); ++i) CHECK(same_bits({forward(which, x[i])}, {y[i]}));
      for (const int64_t shift : {0, 1}) {
        GuardedBuffer in_place(x, shift), out(n, shift);
        activation_forward(which, {in_place.data(), {n}}, {out.data(), {n}});
        CHECK(same_bits(in_place.values(), x));
        CHECK(same_bits(out.values(), y));
        activation_forward(which, {in_place.data(), {n}}, {in_place.data(), {n}});
        CHECK(same_bits(in_place.values(), y));
        CHECK(out.intact());
        CHECK(in_place.intact());
      }
    }
  }
}

TEST_CASE("activation: no neighbour changes an element, whatever it is") {
  const float special[] = {NAN, INFINITY, -INFINITY, 1e30f, -20.0f, 0.0f, -0.0f, 1e-45f, 2.5f, -3.0f};
  for (const Activation which : kAll) {
    for (const float neighbour : special) {
      for (size_t at = 0; at < 16; ++at) {
        std::vector<float> x(16, neighbour);
        for (const float value : {0.5f, -2.0f, 6.0f, -6.0f}) {
          x[at] = value;
          CHECK(same_bits({forward(which, x)[at]}, {forward(which, value)}));
        }
      }
    }
  }
}

TEST_CASE("activation: any shape, no elements, and shapes that do not fit") {
  float x[6] = {1, -1, 2, -2, 3, -3}, out[6] = {9, 9, 9, 9, 9, 9};
  for (const Activation which : kAll) {
    activation_forward(which, {nullptr, {0, 5}}, {nullptr, {0, 5}});
    activation_backward(which, {nullptr, {0}}, {nullptr, {0}}, {nullptr, {0}});
    CHECK_THROWS_AS(activation_forward(which, {x, {2, 3}}, {out, {6}}), ShapeError);
    CHECK_THROWS_AS(activation_backward(which, {x, {6}}, {x, {3, 2}}, {out, {6}}), ShapeError);
    CHECK_THROWS_AS(activation_backward(which, {x, {6}}, {x, {6}}, {out, {5}}), ShapeError);
    for (const float value : out) CHECK(value == 9);
  }
  activation_forward(Activation::kRelu, {x, {1, 3, 2}}, {out, {1, 3, 2}});
  CHECK(same_bits({out, out + 6}, {1, 0, 2, 0, 3, 0}));
}
