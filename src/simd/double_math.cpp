#include "simd/double_math.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "simd/bits.h"

namespace sqrtdk::simd {

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kShift = 0x1.8p52;  // adding it rounds to the nearest integer
// ln 2 in two parts; the first has 32 bits, so that an exponent times it is exact.
constexpr double kLn2High = 0x1.62e42ffp-1;
constexpr double kLn2Low = -0x1.718432a1b0e26p-35;

template <int n>
double polynomial(double x, const double (&coefficients)[n]) {
  double y = coefficients[n - 1];
  for (int i = n - 2; i >= 0; --i) y = y * x + coefficients[i];
  return y;
}

double power_of_two(int64_t exponent) { return bit_cast<double>((exponent + 1023) << 52); }

/// k ln 2 + log(1 + f + low) for sqrt(1/2) <= 1 + f < sqrt(2) and a tiny low.
/// With s = f / (2 + f): log(1 + f) = log((1 + s) / (1 - s)) = 2 s + s^3 p(s^2), and 2 s = f - s f, arranged
/// so that f, which is exact, is added last.
double log_of_parts(double f, double low, double k) {
  static constexpr double p[] = {0x1.5555555555592p-1, 0x1.999999997fef1p-2, 0x1.24924941e5029p-2,
                                 0x1.c71c52106d520p-3, 0x1.74663de0bfb6dp-3, 0x1.39a1ccda15471p-3,
                                 0x1.2f04f25a1a06cp-3};
  const double s = f / (2 + f), s2 = s * s, half_f2 = 0.5 * f * f;
  const double tail = s * (half_f2 + s2 * polynomial(s2, p)) + (low + k * kLn2Low);
  return k * kLn2High - ((half_f2 - tail) - f);
}

/// log(u + low) for a positive normal u, |low| <= u 2^-53.
double log_of_normal(double u, double low, int64_t exponent_bias) {
  const int64_t bits = bit_cast<int64_t>(u);
  const int64_t exponent = (bits - bit_cast<int64_t>(0x1.6a09e667f3bcdp-1)) >> 52;
  const double f = bit_cast<double>(bits - exponent * (int64_t{1} << 52)) - 1;
  return log_of_parts(f, low / u, static_cast<double>(exponent + exponent_bias));
}

}  // namespace

// The steps are those of the f32 version in exp.h.
double exp(double x) {
  static constexpr double q[] = {0.5,
                                 0x1.555555555555dp-3,
                                 0x1.555555555556cp-5,
                                 0x1.111111110e545p-7,
                                 0x1.6c16c16c0a3a9p-10,
                                 0x1.a01a01b5f5380p-13,
                                 0x1.a01a01e89f231p-16,
                                 0x1.71ddea2732ea0p-19,
                                 0x1.27e44e99a9e97p-22,
                                 0x1.af7374d83e89ep-26,
                                 0x1.1ffb34de568a7p-29};
  if (x != x) return x;
  if (x > 710) return kInf;
  if (x < -746) return 0;
  const double n = (x * 0x1.71547652b82fep0 + kShift) - kShift;
  const double r_high = x - n * kLn2High, r_low = -n * kLn2Low, r = r_high + r_low;
  const double mantissa = 1 + (r_high + (r_low + r * r * polynomial(r, q)));
  const auto exponent = static_cast<int64_t>(n);
  const int64_t half = exponent >> 1;
  return mantissa * power_of_two(half) * power_of_two(exponent - half);
}

double log(double x) {
  if (x == 0) return -kInf;
  if (!(x > 0)) return kNaN;
  if (x == kInf) return x;
  const bool subnormal = x < 0x1p-1022;
  return log_of_normal(subnormal ? x * 0x1p54 : x, 0, subnormal ? -54 : 0);
}

double log1p(double x) {
  if (x == -1) return -kInf;
  if (!(x > -1)) return kNaN;
  if (x == kInf) return x;
  if (std::abs(x) < 0x1p-54) return x;
  if (x > -0.29 && x < 0.41) return log_of_parts(x, 0, 0);
  const double u = 1 + x;
  const double low = x >= 1 ? 1 - (u - x) : x - (u - 1);  // what rounding took from 1 + x
  return log_of_normal(u, low, 0);
}

SinCosF64 sincos(double x) {
  static constexpr double s[] = {-0x1.5555555555549p-3, 0x1.111111110f8a4p-7,   -0x1.a01a019c15b43p-13,
                                 0x1.71de357aad2bfp-19, -0x1.ae5e683acbc6ap-26, 0x1.5d938438ee3aep-33};
  static constexpr double c[] = {0x1.555555555554cp-5,   -0x1.6c16c16c1521dp-10, 0x1.a01a019cbf0d3p-16,
                                 -0x1.27e4f812651cbp-22, 0x1.1ee9f11076819p-29,  -0x1.8fb10a0514384p-37};
  if (!(std::abs(x) <= 0x1p20)) return {kNaN, kNaN};
  // pi/2 in three parts (Cody and Waite); n times the first two, of 33 bits each, is exact. TwoSum keeps what
  // the second subtraction rounds away, so that r + r_low has more than double precision.
  const double n = (x * 0x1.45f306dc9c883p-1 + kShift) - kShift;
  const double a = x - n * 0x1.921fb544p0, b = -(n * 0x1.0b4611a6p-34);
  const double sum = a + b, b_part = sum - a, lost = (a - (sum - b_part)) + (b - b_part);
  const double rest = lost - n * 0x1.3198a2e037073p-69;
  const double r = sum + rest, r_low = (sum - r) + rest;

  const double r2 = r * r, half_r2 = 0.5 * r2, one_minus = 1 - half_r2;
  const double sin_r = r + (r2 * r * polynomial(r2, s) + r_low * one_minus);
  const double cos_r = one_minus + (((1 - one_minus) - half_r2) + (r2 * r2 * polynomial(r2, c) - r * r_low));
  switch (static_cast<int64_t>(n) & 3) {
    case 0:
      return {sin_r, cos_r};
    case 1:
      return {cos_r, -sin_r};
    case 2:
      return {-sin_r, -cos_r};
    default:
      return {-cos_r, sin_r};
  }
}

}  // namespace sqrtdk::simd
