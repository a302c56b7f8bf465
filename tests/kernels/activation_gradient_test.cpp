// The backward pass three ways: central differences, <u, J v> = <Jᵀ u, v>, and the derivative's formula.
#include <doctest/doctest.h>

#include <cmath>

#include "reference/activation.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/gradient.h"
#include "simd/bits.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

constexpr Activation kAll[] = {Activation::kRelu, Activation::kGelu, Activation::kGeluTanh, Activation::kSilu,
                               Activation::kTanh};

std::vector<float> backward(Activation which, const std::vector<float>& x, const std::vector<float>& dout) {
  std::vector<float> dx(x.size(), 7.0f);
  const Shape shape{static_cast<int64_t>(x.size())};
  activation_backward(which, {x.data(), shape}, {dout.data(), shape}, {dx.data(), shape});
  return dx;
}
float derivative(Activation which, float x) { return backward(which, {x}, {1})[0]; }

std::vector<double> map(Activation which, std::vector<double> x) {
  for (double& value : x) value = activation(which, value);
  return x;
}

// Away from 0, where relu has a kink.
std::vector<float> inputs(Draws& draws, int64_t n, float spread) {
  std::vector<float> x = draws.normals(n, spread);
  for (float& value : x) value += value < 0 ? -0.001f : 0.001f;
  return x;
}

}  // namespace

TEST_CASE("activation_backward agrees with central differences") {
  for (const Activation which : kAll) {
    CAPTURE(static_cast<int>(which));
    for (const float spread : {0.3f, 1.5f, 4.0f}) {
      Draws draws(1);
      const std::vector<float> x = inputs(draws, 50, spread), u = draws.normals(50);
      const std::vector<double> expected = central_differences(
          [which](const std::vector<double>& x) { return map(which, x); }, widen(x), widen(u));
      CHECK(compare(backward(which, x, u), expected).absolute <= 1e-8 + 3e-7 * max_abs(widen(u)));
    }
  }
}

TEST_CASE("activation_backward is the transpose of the derivative") {
  for (const Activation which : kAll) {
    CAPTURE(static_cast<int>(which));
    for (const int64_t n : {1, 7, 64, 1000}) {
      Draws draws(2);
      const std::vector<float> x = inputs(draws, n, 2), u = draws.normals(n), v = draws.normals(n);
      std::vector<double> jv = widen(v);
      for (size_t i = 0; i < jv.size(); ++i) jv[i] *= activation_derivative(which, x[i]);
      const std::vector<double> wide_u = widen(u), wide_v = widen(v);
      const double size = std::sqrt(dot(wide_u, wide_u) * dot(wide_v, wide_v));
      CHECK(std::fabs(dot(wide_u, jv) - dot(widen(backward(which, x, u)), wide_v)) <= 2e-7 * size);
    }
  }
}

TEST_CASE("activation_backward: absolute errors, and relative ones in the tails") {
  for (const Activation which : kAll) {
    CAPTURE(static_cast<int>(which));
    double worst = 0, worst_tail = 0;
    for (const float sign : {1.0f, -1.0f}) {
      for (uint32_t bits = 0x30000000u; bits < 0x42c00000u; bits += 4093) {  // 2^-31 to 96
        const float x = sign * simd::bit_cast<float>(bits);
        const Error error = error_of(derivative(which, x), activation_derivative(which, x));
        worst = std::max(worst, error.absolute);
        if (x < -2.5f && x > -8) worst_tail = std::max(worst_tail, error.ulp);
      }
    }
    CHECK(worst <= 1.9e-7);
    CHECK(worst_tail <= (which == Activation::kGeluTanh ? 150 : 7));
  }
}

TEST_CASE("activation_backward: special values") {
  for (const Activation which : kAll) {
    CAPTURE(static_cast<int>(which));
    const bool is_tanh = which == Activation::kTanh;
    CHECK(derivative(which, 0.0f) == (which == Activation::kRelu ? 0 : is_tanh ? 1 : 0.5f));
    CHECK(derivative(which, -0.0f) == derivative(which, 0.0f));
    CHECK(derivative(which, 1e-45f) == (which == Activation::kRelu || is_tanh ? 1 : 0.5f));
    for (const float large : {200.0f, 1e30f, INFINITY}) {
      CHECK(derivative(which, large) == (is_tanh ? 0 : 1));
      CHECK(derivative(which, -large) == 0);
    }
    CHECK(std::isnan(derivative(which, NAN)) == (which != Activation::kRelu));
    CHECK(std::isnan(backward(which, {1}, {NAN})[0]));
    CHECK(backward(which, {1}, {INFINITY})[0] == INFINITY);
    CHECK(std::isfinite(backward(which, {1}, {1e30f})[0]));
  }
}

TEST_CASE("activation_backward: every length 1..33, unaligned, in place, between guards; an element alone") {
  Draws draws(3);
  for (const Activation which : kAll) {
    for (int64_t n = 1; n <= 33; ++n) {
      CAPTURE(n);
      const std::vector<float> x = draws.normals(n, 2), dout = draws.normals(n, 3);
      const std::vector<float> dx = backward(which, x, dout);
      for (size_t i = 0; i < x.size(); ++i) CHECK(same_bits(backward(which, {x[i]}, {dout[i]}), {dx[i]}));
      for (const int64_t shift : {0, 1}) {
        GuardedBuffer x_buffer(x, shift), in_place(dout, shift);
        activation_backward(which, {x_buffer.data(), {n}}, {in_place.data(), {n}}, {in_place.data(), {n}});
        CHECK(same_bits(in_place.values(), dx));
        CHECK(same_bits(x_buffer.values(), x));
        CHECK(in_place.intact());
      }
    }
  }
}
