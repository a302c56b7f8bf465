#include "simd/erf.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "simd/bits.h"
#include "simd/ulp.h"

// All 2^32 inputs: exp_all.cpp, run by scripts/test-exp.
namespace sqrtdk {
namespace {

double error(float x) { return ulp_error(simd::erf(x), std::erf(static_cast<double>(x))); }

TEST_CASE("erf is within 1.2 ULP on a sample of all floats, and odd") {
  double worst = 0;
  for (uint32_t bits = 1; bits < 0x7f800000u; bits += 1021) {
    const float x = simd::bit_cast<float>(bits);
    worst = std::max(worst, error(x));
    CHECK(simd::erf(-x) == -simd::erf(x));
  }
  CHECK(worst <= 1.2);
  CHECK(worst > 0.5);
}

TEST_CASE("erf around the change of formula and where it saturates") {
  double worst = 0;
  for (const float edge : {0.875f, 3.8f, 3.92f, 4.0f}) {
    float x = edge;
    for (int i = 0; i < 3000; ++i) x = std::nextafterf(x, 0.0f);
    for (int i = 0; i < 6000; ++i, x = std::nextafterf(x, 100.0f)) worst = std::max(worst, error(x));
  }
  CHECK(worst <= 1.2);
  for (const float x : {3.93f, 4.5f, 1e30f, std::numeric_limits<float>::infinity()}) {
    CHECK(simd::erf(x) == 1);
    CHECK(simd::erf(-x) == -1);
  }
  CHECK(simd::erf(3.7f) < 1);
}

TEST_CASE("erf of special values") {
  CHECK(simd::erf(0.0f) == 0);
  CHECK(!std::signbit(simd::erf(0.0f)));
  CHECK(std::signbit(simd::erf(-0.0f)));
  CHECK(simd::erf(1e-45f) == 1e-45f);
  CHECK(std::isnan(simd::erf(std::numeric_limits<float>::quiet_NaN())));
}

}  // namespace
}  // namespace sqrtdk
