#pragma once
// Sine and cosine in f32 for |x| <= 2^20: error at most 1.6 ULP and 8e-8; NaN beyond that, and for NaN.
//
// x = n pi/2 + r with |r| <= pi/4; sin r = r + r^3 s(r^2), cos r = 1 - r^2 / 2 + r^4 c(r^2), s and c minimax
// polynomials; n mod 4 chooses among +-sin r and +-cos r.
#include <cmath>

#include "simd/f32x4.h"

namespace sqrtdk::simd {

struct SinCos4 {
  f32x4 sin, cos;
};

/// Sine and cosine of quadrant * pi/2 + r, for |r| <= pi/4; only the low two bits of quadrant count.
inline SinCos4 sincos_reduced(f32x4 r, u32x4 quadrant) {
  const f32x4 r2 = r * r;
  const f32x4 s = (splat(-0x1.9954a4p-13f) * r2 + splat(0x1.11077ap-7f)) * r2 + splat(-0x1.555546p-3f);
  const f32x4 c = (splat(0x1.99e0eep-16f) * r2 + splat(-0x1.6c0c1ap-10f)) * r2 + splat(0x1.55554ap-5f);
  const f32x4 sin_r = r2 * r * s + r;
  const f32x4 cos_r = r2 * r2 * c - r2 * splat(0.5f) + splat(1.0f);
  const mask4 odd = (quadrant & splat_u32(1)) == splat_u32(1);
  const u32x4 sin_sign = shift_left<30>(quadrant & splat_u32(2));
  const u32x4 cos_sign = sin_sign ^ shift_left<31>(quadrant);
  const auto with_sign = [](f32x4 y, u32x4 sign) { return as_f32(as_u32(y) ^ sign); };
  return {with_sign(select(odd, cos_r, sin_r), sin_sign), with_sign(select(odd, sin_r, cos_r), cos_sign)};
}

inline SinCos4 sincos(f32x4 x) {
  // In double, with pi/2 in two parts (Cody and Waite); the first has 33 bits, so that n times it is exact.
  const f64x2 shift = splat_f64(0x1.8p52);
  const auto reduce = [&](f64x2 a, f64x2& shifted) {
    shifted = a * splat_f64(0x1.45f306dc9c883p-1) + shift;
    const f64x2 n = shifted - shift;
    return a - n * splat_f64(0x1.921fb544p0) - n * splat_f64(0x1.0b4611a626331p-34);
  };
  x = select(abs(x) <= splat(0x1p20f), x, splat(NAN));
  f64x2 shifted_low, shifted_high;
  const f64x2 r_low = reduce(low_to_f64(x), shifted_low);
  const f64x2 r_high = reduce(high_to_f64(x), shifted_high);
  return sincos_reduced(to_f32(r_low, r_high), low_words(shifted_low, shifted_high));
}

struct SinCosF32 {
  float sin, cos;
};

inline SinCosF32 sincos(float x) {
  const SinCos4 y = sincos(splat(x));
  return {extract<0>(y.sin), extract<0>(y.cos)};
}

}  // namespace sqrtdk::simd
