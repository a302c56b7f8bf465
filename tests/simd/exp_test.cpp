#include "simd/exp.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "simd/bits.h"
#include "simd/ulp.h"

// All 2^32 inputs: exp_all.cpp, run by scripts/test-exp.
namespace sqrtdk {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kLargestFiniteAt = 0x1.62e42ep6f;      // e^x is below 2^128
constexpr float kSmallestNormalAt = -0x1.5d589ep6f;    // e^x is at least 2^-126
constexpr float kSmallestPositiveAt = -0x1.9fe368p6f;  // e^x is more than 2^-150

double error(float x) {
  const float y = simd::exp(x);
  const double exact = std::exp(static_cast<double>(x));
  return exact == 0 || std::isinf(y) ? (y == static_cast<float>(exact) ? 0 : 1e9) : ulp_error(y, exact);
}

TEST_CASE("exp is within 1.05 ULP on a sample of all floats") {
  double worst = 0;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 4099) {
    const float x = simd::bit_cast<float>(static_cast<uint32_t>(bits));
    if (x == x) worst = std::max(worst, error(x));
  }
  CHECK(worst <= 1.05);
  CHECK(worst > 0.5);  // the sample is no trivial one
}

TEST_CASE("exp is monotone and within 1.05 ULP around every edge") {
  for (const float edge : {0.0f, 1.0f, -1.0f, 0x1.62e43p-2f, -0x1.62e43p-2f, kLargestFiniteAt,
                           kSmallestNormalAt, kSmallestPositiveAt}) {
    float x = edge;
    for (int i = 0; i < 2000; ++i) x = std::nextafterf(x, -kInf);
    float previous = 0;
    double worst = 0;
    for (int i = 0; i < 4000; ++i, x = std::nextafterf(x, kInf)) {
      const float y = simd::exp(x);
      CHECK_GE(y, previous);
      worst = std::max(worst, error(x));
      previous = y;
    }
    CAPTURE(edge);
    CHECK(worst <= 1.05);
  }
}

TEST_CASE("exp of special values") {
  CHECK(simd::exp(0.0f) == 1);
  CHECK(simd::exp(-0.0f) == 1);
  CHECK(simd::exp(1e-45f) == 1);
  CHECK(simd::exp(kInf) == kInf);
  CHECK(simd::exp(-kInf) == 0);
  CHECK(std::isnan(simd::exp(kNaN)));
  CHECK(std::isnan(simd::exp(-kNaN)));
  CHECK(simd::exp(kLargestFiniteAt) > 3.4027e38f);
  CHECK(simd::exp(kLargestFiniteAt) < kInf);
  CHECK(simd::exp(std::nextafterf(kLargestFiniteAt, kInf)) == kInf);
  CHECK(simd::exp(1e30f) == kInf);
  CHECK(simd::exp(-1e30f) == 0);
  CHECK(simd::exp(kSmallestNormalAt) >= 0x1p-126f);
  CHECK(simd::exp(std::nextafterf(kSmallestNormalAt, -kInf)) < 0x1p-126f);
  CHECK(simd::exp(kSmallestPositiveAt) == 0x1p-149f);
  CHECK(simd::exp(std::nextafterf(kSmallestPositiveAt, -kInf)) == 0);
}

TEST_CASE("exp with the part that rounding took from x") {
  double worst = 0;
  for (int i = -6000; i < 6000; ++i) {
    const double x = i * 0.0137;
    const auto high = static_cast<float>(x), low = static_cast<float>(x - high);
    const float y = simd::extract<0>(simd::exp(simd::splat(high), simd::splat(low)));
    worst = std::max(worst, ulp_error(y, std::exp(static_cast<double>(high) + low)));
  }
  CHECK(worst <= 1.05);
}

TEST_CASE("a lane of exp does not depend on its neighbours") {
  const float x[] = {kNaN, -1.25f, kInf, 3.5f, -90.0f, -kInf, 0.0f};
  for (const float a : x)
    for (const float b : x) {
      float y[4];
      simd::store(y, simd::exp(simd::make(a, b, b, a)));
      for (int lane = 0; lane < 4; ++lane) {
        const float alone = simd::exp(lane == 0 || lane == 3 ? a : b);
        CHECK((y[lane] == alone || (std::isnan(y[lane]) && std::isnan(alone))));
      }
    }
}

}  // namespace
}  // namespace sqrtdk
