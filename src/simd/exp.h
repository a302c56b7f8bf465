#pragma once
// e^x in f32. Over all 2^32 inputs: error at most 0.91 ULP (units of the spacing of floats at the exact
// result), monotone; NaN stays NaN, -inf gives 0, x > 88.7228 gives inf, below -87.33 the result is
// subnormal (rounded once) and below -103.97 it is 0.
//
// x = n ln 2 + r with |r| <= ln(2) / 2;  e^x = 2^n (1 + r + r^2 q(r)), q a minimax polynomial.
#include "simd/f32x4.h"

namespace sqrtdk::simd {

/// e^(x + low), where low is what rounding took from x: |low| <= |x| 2^-23, and never NaN unless x is.
inline f32x4 exp(f32x4 x, f32x4 low) {
  // Beyond these bounds the result is 0 or inf, and n stays small enough for the two factors below.
  x = max(min(x, splat(89.0f)), splat(-104.0f));
  // Adding 1.5 * 2^23 rounds to the nearest integer and leaves that integer in the low bits.
  const f32x4 shift = splat(0x1.8p23f);
  const f32x4 shifted = x * splat(0x1.715476p0f) + shift;
  const f32x4 n = shifted - shift;
  // ln 2 in two parts; the first has 9 bits, so that n times it is exact, and so is the difference.
  const f32x4 r_high = x - n * splat(0x1.63p-1f);
  const f32x4 r_low = n * splat(0x1.bd0106p-13f) + low;
  const f32x4 r = r_high + r_low;
  const f32x4 r2 = r * r;
  const f32x4 q01 = r * splat(0x1.55548ap-3f) + splat(0x1.fffffcp-2f);
  const f32x4 q23 = r * splat(0x1.123f2ep-7f) + splat(0x1.55584ep-5f);
  const f32x4 q = (splat(0x1.6ad122p-10f) * r2 + q23) * r2 + q01;
  const f32x4 mantissa = r_high + (r2 * q + r_low) + splat(1.0f);
  // 2^n as two factors, as 2^128 and 2^-150 are no floats; the first product is exact.
  const u32x4 exponent = as_u32(shifted) - as_u32(shift);
  const u32x4 half = shift_right_i32<1>(exponent);
  const u32x4 one = as_u32(splat(1.0f));
  const f32x4 scale_a = as_f32(shift_left<23>(half) + one);
  const f32x4 scale_b = as_f32(shift_left<23>(exponent - half) + one);
  return mantissa * scale_a * scale_b;
}

inline f32x4 exp(f32x4 x) { return exp(x, zero()); }

inline float exp(float x) { return extract<0>(exp(splat(x))); }

}  // namespace sqrtdk::simd
