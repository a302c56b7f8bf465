#include "simd/log.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "simd/bits.h"
#include "simd/ulp.h"

namespace sqrtdk {
namespace {

double error(float x) {
  const float y = simd::log(x);
  const double exact = std::log(static_cast<double>(x));
  return exact == 0 ? (y == 0 ? 0 : 1e9) : ulp_error(y, exact);
}

TEST_CASE("log is within 0.91 ULP on a sample of all positive floats") {
  double worst = 0;
  for (uint32_t bits = 1; bits < 0x7f800000u; bits += 2053)
    worst = std::max(worst, error(simd::bit_cast<float>(bits)));
  CHECK(worst <= 0.91);
  CHECK(worst > 0.5);
}

TEST_CASE("log is within 0.91 ULP around 1, where it crosses 0, and at the edges") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  double worst = 0;
  for (const float edge : {0x1p-149f, 0x1p-126f, 0x1.6a09e6p-1f, 1.0f, 0x1.6a09e6p0f, 2.0f}) {
    float up = edge, down = edge;
    for (int i = 0; i < 20000; ++i, up = std::nextafterf(up, kInf), down = std::nextafterf(down, 0)) {
      worst = std::max(worst, error(up));
      if (down > 0) worst = std::max(worst, error(down));
    }
  }
  CHECK(worst <= 0.91);
}

TEST_CASE("log of special values") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  CHECK(simd::log(1.0f) == 0);
  CHECK(simd::log(0.0f) == -kInf);
  CHECK(simd::log(-0.0f) == -kInf);
  CHECK(simd::log(kInf) == kInf);
  CHECK(std::isnan(simd::log(-kInf)));
  CHECK(std::isnan(simd::log(-1.0f)));
  CHECK(std::isnan(simd::log(-1e-45f)));
  CHECK(std::isnan(simd::log(std::numeric_limits<float>::quiet_NaN())));
}

}  // namespace
}  // namespace sqrtdk
