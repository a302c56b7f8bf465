#include "simd/sincos.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "simd/bits.h"
#include "simd/ulp.h"

namespace sqrtdk {
namespace {

struct Worst {
  double ulp = 0, absolute = 0;
  void see(float x) {
    const simd::SinCosF32 y = simd::sincos(x);
    const double sin = std::sin(static_cast<double>(x)), cos = std::cos(static_cast<double>(x));
    ulp = std::max({ulp, ulp_error(y.sin, sin), ulp_error(y.cos, cos)});
    absolute = std::max({absolute, std::abs(y.sin - sin), std::abs(y.cos - cos)});
  }
};

TEST_CASE("sincos is within 1.6 ULP and 8e-8 up to 2^20") {
  Worst worst;
  for (uint32_t bits = 1; bits <= simd::bit_cast<uint32_t>(0x1p20f); bits += 1031) {
    worst.see(simd::bit_cast<float>(bits));
    worst.see(-simd::bit_cast<float>(bits));
  }
  CHECK(worst.ulp <= 1.6);
  CHECK(worst.ulp > 0.5);
  CHECK(worst.absolute <= 8e-8);
}

TEST_CASE("sincos is within 1.6 ULP at the floats nearest to multiples of pi/4") {
  Worst worst;
  for (int n = 1; n < 1000000; ++n) {
    const auto x = static_cast<float>(n * 0.78539816339744831);
    if (x <= 0x1p20f) worst.see(x);
  }
  CHECK(worst.ulp <= 1.6);
}

TEST_CASE("sincos of special values") {
  CHECK(simd::sincos(0.0f).sin == 0);
  CHECK(simd::sincos(0.0f).cos == 1);
  CHECK(simd::sincos(1e-45f).sin == 1e-45f);
  for (const float x : {0x1.000002p20f, -1e30f, std::numeric_limits<float>::infinity(),
                        std::numeric_limits<float>::quiet_NaN()}) {
    CHECK(std::isnan(simd::sincos(x).sin));
    CHECK(std::isnan(simd::sincos(x).cos));
  }
}

TEST_CASE("each lane of sincos has its own quadrant") {
  float sin[4], cos[4];
  const float x[] = {0.5f, 2.0f, -2.5f, 100.25f};
  const simd::SinCos4 y = simd::sincos(simd::load(x));
  simd::store(sin, y.sin);
  simd::store(cos, y.cos);
  for (int lane = 0; lane < 4; ++lane) {
    CHECK(sin[lane] == simd::sincos(x[lane]).sin);
    CHECK(cos[lane] == simd::sincos(x[lane]).cos);
  }
}

}  // namespace
}  // namespace sqrtdk
