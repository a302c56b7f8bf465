#include "simd/double_math.h"

#include <doctest/doctest.h>

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>

#include "simd/bits.h"
#include "simd/ulp.h"

namespace sqrtdk {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Where long double is no wider, or has no libm of its own precision (wasm), there is no reference; there the
// same bits follow from bits_test.cpp.
#if LDBL_MANT_DIG > 53 && !defined(__wasm__)

/// A fixed sequence of doubles in [a, b).
class Sample {
 public:
  double operator()(double a, double b) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return a + (b - a) * static_cast<double>(state_ >> 11) * 0x1p-53;
  }

 private:
  uint64_t state_ = 1;
};

TEST_CASE("exp, log and log1p of doubles are within 0.9 ULP") {
  Sample sample;
  double worst_exp = 0, worst_log = 0, worst_log1p = 0;
  for (int i = 0; i < 300000; ++i) {
    for (const double x : {sample(-745, 709.7), sample(-1, 1)})
      worst_exp = std::max(worst_exp, ulp_error(simd::exp(x), std::exp(static_cast<long double>(x))));
    for (const double x : {std::exp(sample(-740, 709)), sample(0.4, 2.5)})
      worst_log = std::max(worst_log, ulp_error(simd::log(x), std::log(static_cast<long double>(x))));
    for (const double x : {sample(-1, 1), std::exp(sample(-700, 700)), -std::exp(sample(-700, -1))})
      worst_log1p = std::max(worst_log1p, ulp_error(simd::log1p(x), std::log1p(static_cast<long double>(x))));
  }
  CHECK(worst_exp <= 0.9);
  CHECK(worst_log <= 0.9);
  CHECK(worst_log1p <= 0.9);
  CHECK(std::min({worst_exp, worst_log, worst_log1p}) > 0.5);
}

TEST_CASE("sincos of doubles is within 1.1 ULP up to 2^20") {
  Sample sample;
  double worst = 0;
  const auto see = [&](double x) {
    const auto [sin, cos] = simd::sincos(x);
    worst = std::max(worst, ulp_error(sin, std::sin(static_cast<long double>(x))));
    worst = std::max(worst, ulp_error(cos, std::cos(static_cast<long double>(x))));
  };
  for (int i = 0; i < 300000; ++i) {
    see(sample(-7, 7));
    see(sample(-0x1p20, 0x1p20));
    see((i + 1) * 1.5707963267948966);
  }
  CHECK(worst <= 1.1);
  CHECK(worst > 0.5);
}

#endif

TEST_CASE("double functions of special values") {
  CHECK(simd::exp(0.0) == 1);
  CHECK(simd::exp(kInf) == kInf);
  CHECK(simd::exp(-kInf) == 0);
  CHECK(simd::exp(709.79) == kInf);
  CHECK(simd::exp(709.78) < kInf);
  CHECK(simd::exp(-745.13) == 0x1p-1074);
  CHECK(simd::exp(-745.14) == 0);
  CHECK(std::isnan(simd::exp(kNaN)));

  CHECK(simd::log(1.0) == 0);
  CHECK(simd::log(0.0) == -kInf);
  CHECK(simd::log(kInf) == kInf);
  CHECK(std::isnan(simd::log(-1.0)));
  CHECK(std::isnan(simd::log(kNaN)));
  CHECK(simd::log(0x1p-1074) == doctest::Approx(-744.4400719213812));

  CHECK(simd::log1p(0.0) == 0);
  CHECK(std::signbit(simd::log1p(-0.0)));
  CHECK(simd::log1p(1e-300) == 1e-300);
  CHECK(simd::log1p(-1.0) == -kInf);
  CHECK(simd::log1p(kInf) == kInf);
  CHECK(std::isnan(simd::log1p(-1.5)));
  CHECK(std::isnan(simd::log1p(kNaN)));

  CHECK(simd::sincos(0.0).sin == 0);
  CHECK(simd::sincos(0.0).cos == 1);
  for (const double x : {0x1.0000000000001p20, -kInf, kNaN}) {
    CHECK(std::isnan(simd::sincos(x).sin));
    CHECK(std::isnan(simd::sincos(x).cos));
  }
}

}  // namespace
}  // namespace sqrtdk
