#pragma once
// The error function in f32. Over all 2^32 inputs: error at most 1.20 ULP; odd, the sign of zero kept; +-1
// for |x| > 3.93; NaN stays NaN.
//
// For |x| < 7/8: erf x = x + x p(x^2); else erf |x| = 1 - exp(-|x| - |x| q(|x|)); p and q minimax
// polynomials.
#include "simd/exp_nonpositive.h"

namespace sqrtdk::simd {

inline f32x4 erf(f32x4 x) {
  const f32x4 a = abs(x);
  const f32x4 a2 = a * a, a4 = a2 * a2;
  const f32x4 p01 = a2 * splat(-0x1.8126ecp-2f) + splat(0x1.06eba6p-3f);
  const f32x4 p23 = a2 * splat(-0x1.b69b8ep-6f) + splat(0x1.ce1b86p-4f);
  const f32x4 p45 = a2 * splat(-0x1.3ba5aap-11f) + splat(0x1.479c18p-8f);
  const f32x4 p = (p45 * a4 + p23) * a4 + p01;
  const f32x4 near = a * p + a;
  const f32x4 b = min(a, splat(4.0f));  // q grows beyond
  const f32x4 b2 = b * b;
  const f32x4 q01 = b * splat(0x1.4577e8p-1f) + splat(0x1.07385ep-3f);
  const f32x4 q23 = b * splat(-0x1.778f6ep-6f) + splat(0x1.af5bbap-4f);
  const f32x4 q45 = b * splat(-0x1.c35bfap-13f) + splat(0x1.a6b92ap-9f);
  const f32x4 q = (q45 * b2 + q23) * b2 + q01;
  const f32x4 far = splat(1.0f) - exp_nonpositive(-(b * q + b));
  return with_sign_of(select(a < splat(0.875f), near, far), x);
}

inline float erf(float x) { return extract<0>(erf(splat(x))); }

}  // namespace sqrtdk::simd
