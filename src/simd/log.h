#pragma once
// Natural logarithm in f32: error at most 0.91 ULP over all positive floats, subnormals included.
// log(0) = -inf, log(x < 0) = NaN, log(inf) = inf, NaN stays NaN.
//
// x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2);
// log x = k ln 2 + f - f^2 / 2 + f^3 p(f), p a minimax polynomial.
#include <cmath>

#include "simd/f32x4.h"

namespace sqrtdk::simd {

/// For positive normal x only; exponent_bias is added to the binary exponent k.
inline f32x4 log_of_normal(f32x4 x, u32x4 exponent_bias = splat_u32(0)) {
  const u32x4 bits = as_u32(x), exponent = shift_right_i32<23>(bits - as_u32(splat(0x1.6a09e6p-1f)));
  const f32x4 f = as_f32(bits - shift_left<23>(exponent)) - splat(1.0f);
  const f32x4 k = to_f32(exponent + exponent_bias);
  const f32x4 f2 = f * f;
  const f32x4 f4 = f2 * f2;
  const f32x4 p01 = f * splat(-0x1.00022cp-2f) + splat(0x1.555554p-2f);
  const f32x4 p23 = f * splat(-0x1.547148p-3f) + splat(0x1.99a038p-3f);
  const f32x4 p45 = f * splat(-0x1.0d79f8p-3f) + splat(0x1.22d60cp-3f);
  const f32x4 p67 = f * splat(-0x1.398ec2p-4f) + splat(0x1.0572f2p-3f);
  const f32x4 p = (p67 * f2 + p45) * f4 + (p23 * f2 + p01);
  // ln 2 in two parts; the first has 9 bits, so that k times it is exact. What k ln 2 + f loses to rounding
  // is kept in lost (Dekker's FastTwoSum).
  const f32x4 k_ln2 = k * splat(0x1.63p-1f);
  const f32x4 head = k_ln2 + f;
  const f32x4 lost = f - (head - k_ln2);
  const f32x4 low = k * splat(-0x1.bd0106p-13f) + lost;
  return head + (f2 * f * p + low - f2 * splat(0.5f));
}

inline f32x4 log(f32x4 x) {
  const mask4 subnormal = x < splat(0x1p-126f);
  const f32x4 scaled = select(subnormal, x * splat(0x1p23f), x);
  f32x4 y = log_of_normal(scaled, keep_where(subnormal, splat_u32(static_cast<uint32_t>(-23))));
  y = select(x == splat(INFINITY), x, y);
  y = select(x == zero(), splat(-INFINITY), y);
  return select(x >= zero(), y, splat(NAN));
}

inline float log(float x) { return extract<0>(log(splat(x))); }

}  // namespace sqrtdk::simd
