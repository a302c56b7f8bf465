#include "simd/tanh.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "simd/bits.h"
#include "simd/ulp.h"

// All 2^32 inputs: exp_all.cpp, run by scripts/test-exp.
namespace sqrtdk {
namespace {

double error(float x) { return ulp_error(simd::tanh(x), std::tanh(static_cast<double>(x))); }

TEST_CASE("tanh is within 1.46 ULP on a sample of all floats, and odd") {
  double worst = 0;
  for (uint32_t bits = 1; bits < 0x7f800000u; bits += 1021) {
    const float x = simd::bit_cast<float>(bits);
    worst = std::max(worst, error(x));
    CHECK(simd::tanh(-x) == -simd::tanh(x));
  }
  CHECK(worst <= 1.46);
  CHECK(worst > 0.5);
}

TEST_CASE("tanh around the change of formula and where it saturates") {
  double worst = 0;
  for (const float edge : {0.625f, 1.0f, 8.66f, 9.02f}) {
    float x = edge;
    for (int i = 0; i < 3000; ++i) x = std::nextafterf(x, 0.0f);
    for (int i = 0; i < 6000; ++i, x = std::nextafterf(x, 100.0f)) worst = std::max(worst, error(x));
  }
  CHECK(worst <= 1.46);
  for (const float x : {9.02f, 20.0f, 1e30f, std::numeric_limits<float>::infinity()}) {
    CHECK(simd::tanh(x) == 1);
    CHECK(simd::tanh(-x) == -1);
  }
  CHECK(simd::tanh(8.5f) < 1);
}

TEST_CASE("tanh of special values") {
  CHECK(simd::tanh(0.0f) == 0);
  CHECK(!std::signbit(simd::tanh(0.0f)));
  CHECK(std::signbit(simd::tanh(-0.0f)));
  for (const float tiny : {1e-45f, 1e-40f, 0x1p-126f, 1e-30f, 1e-6f}) CHECK(simd::tanh(tiny) == tiny);
  CHECK(std::isnan(simd::tanh(std::numeric_limits<float>::quiet_NaN())));
}

TEST_CASE("tanh of several vectors gives the bits of one") {
  float x[16], y[16];
  for (int i = 0; i < 16; ++i) x[i] = static_cast<float>(i - 7) * 0.31f;
  simd::f32x4 block[4];
  for (int v = 0; v < 4; ++v) block[v] = simd::load(x + 4 * v);
  simd::tanh(block, simd::kTanhConstants);
  for (int v = 0; v < 4; ++v) simd::store(y + 4 * v, block[v]);
  for (int i = 0; i < 16; ++i) CHECK(y[i] == simd::tanh(x[i]));
}

}  // namespace
}  // namespace sqrtdk
