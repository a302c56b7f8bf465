#include "simd/exp_nonpositive.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "simd/bits.h"
#include "simd/ulp.h"

// All inputs x <= 0: exp_all.cpp, run by scripts/test-exp.
namespace sqrtdk {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kSmallestNormalAt = -0x1.5d589ep6f;    // e^x is at least 2^-126
constexpr float kSmallestPositiveAt = -0x1.9fe368p6f;  // e^x is more than 2^-150

double error(float x) {
  const float y = simd::exp_nonpositive(x);
  const double exact = std::exp(static_cast<double>(x));
  return exact == 0 ? (y == 0 ? 0 : 1e9) : ulp_error(y, exact);
}

TEST_CASE("exp_nonpositive is within 1 ULP on a sample of all x <= 0") {
  double worst = 0;
  for (uint64_t bits = 0x80000000u; bits <= 0xff800000u; bits += 2053)
    worst = std::max(worst, error(simd::bit_cast<float>(static_cast<uint32_t>(bits))));
  CHECK(worst <= 1.0);
  CHECK(worst > 0.5);
}

TEST_CASE("exp_nonpositive is monotone and within 1 ULP around every edge") {
  for (const float edge :
       {-0.0f, -0x1.62e43p-2f, -0x1.62e43p-1f, kSmallestNormalAt, kSmallestPositiveAt, -104.5f}) {
    float previous = 1, x = edge;
    for (int i = 0; i < 2000 && x < 0; ++i) x = std::nextafterf(x, kInf);
    double worst = 0;
    for (int i = 0; i < 4000; ++i, x = std::nextafterf(x, -kInf)) {
      const float y = simd::exp_nonpositive(x);
      CHECK_LE(y, previous);
      worst = std::max(worst, error(x));
      previous = y;
    }
    CAPTURE(edge);
    CHECK(worst <= 1.0);
  }
}

TEST_CASE("exp_nonpositive of special values") {
  CHECK(simd::exp_nonpositive(0.0f) == 1);
  CHECK(simd::exp_nonpositive(-0.0f) == 1);
  CHECK(simd::exp_nonpositive(-1e-45f) == 1);
  CHECK(simd::exp_nonpositive(-kInf) == 0);
  CHECK(simd::exp_nonpositive(-1e30f) == 0);
  CHECK(simd::exp_nonpositive(kSmallestPositiveAt) == 0x1p-149f);
  CHECK(simd::exp_nonpositive(std::nextafterf(kSmallestPositiveAt, -kInf)) == 0);
  for (const uint32_t nan : {0x7fc00000u, 0xffc00000u, 0x7fc00001u, 0x7fc001ffu, 0xffffffffu})
    CHECK(std::isnan(simd::exp_nonpositive(simd::bit_cast<float>(nan))));
}

TEST_CASE("exp_nonpositive of several vectors gives the bits of one") {
  const simd::ExpConstants& c = simd::exp_constants();
  for (int round = 0; round < 100; ++round) {
    float x[16], y[16];
    for (int i = 0; i < 16; ++i)
      x[i] = -0.37f * static_cast<float>(round) - 0.011f * static_cast<float>(i * i);
    x[round % 16] = round % 3 ? -kInf : std::numeric_limits<float>::quiet_NaN();
    simd::f32x4 block[4];
    for (int v = 0; v < 4; ++v) block[v] = simd::load(x + 4 * v);
    simd::exp_nonpositive(block, c);
    for (int v = 0; v < 4; ++v) simd::store(y + 4 * v, block[v]);
    for (int i = 0; i < 16; ++i) {
      const float alone = simd::exp_nonpositive(x[i]);
      CHECK((y[i] == alone || (std::isnan(y[i]) && std::isnan(alone))));
    }
  }
}

TEST_CASE("exp_scaled gives e^x 2^(24 - k)") {
  const simd::ExpConstants& c = simd::exp_constants();
  double worst = 0;
  for (int k = -300; k <= 300; k += 25) {
    const float lowest = (static_cast<float>(k) - 151) * 0x1.62e43p-1f,
                highest = lowest + 151 * 0x1.62e43p-1f;
    const auto scaled = [&](float x) {
      simd::f32x4 lanes[1] = {simd::splat(x)};
      simd::exp_scaled(lanes, simd::splat(lowest), c.shift - simd::splat(static_cast<float>(k)), c);
      return simd::extract<0>(lanes[0]);
    };
    for (int i = 0; i <= 1000; ++i) {
      const float x = highest - static_cast<float>(i) * 0.1f;
      worst = std::max(worst, ulp_error(scaled(x), std::exp(x - k * std::log(2.0)) * 0x1p24));
    }
    CHECK(scaled(lowest) == 0);
    CHECK(scaled(-kInf) == 0);
  }
  CHECK(worst <= 1.0);
}

}  // namespace
}  // namespace sqrtdk
