#pragma once
// Hyperbolic tangent in f32. Over all 2^32 inputs: error at most 1.46 ULP; odd, the sign of zero kept; +-1
// for |x| > 9.02; NaN stays NaN. Not monotone: here and there a step goes down by an ULP.
//
// For |x| < 5/8: tanh x = x + x^3 p(x^2), p a minimax polynomial; else tanh |x| = 1 - 2 e / (1 + e) with
// e = exp(-2 |x|).
#include "simd/exp_nonpositive.h"

namespace sqrtdk::simd {

struct TanhConstants {
  ExpConstants exp;
  float p[5] = {-0x1.555532p-2f, 0x1.1106f6p-3f, -0x1.b835a4p-5f, 0x1.51f8cep-6f, -0x1.750ce4p-8f};
  float near_up_to = 0.625f;
  float minus_two = -2.0f;
};
inline constexpr TanhConstants kTanhConstants;

/// x = tanh x, several vectors at once.
template <int n>
[[gnu::always_inline]] inline void tanh(f32x4 (&x)[n], const TanhConstants& c) {
  const auto k = [](const float& value) { return load_splat(&value); };
  f32x4 e[n];
  for (int i = 0; i < n; ++i) e[i] = abs(x[i]) * k(c.minus_two);
  exp_nonpositive(e, c.exp);
  for (int i = 0; i < n; ++i) {
    const f32x4 a = abs(x[i]), a2 = a * a, a4 = a2 * a2;
    const f32x4 p01 = a2 * k(c.p[1]) + k(c.p[0]);
    const f32x4 p23 = a2 * k(c.p[3]) + k(c.p[2]);
    const f32x4 p = (k(c.p[4]) * a4 + p23) * a4 + p01;
    const f32x4 near = a2 * p * a + a, one = c.exp.one;
    const f32x4 far = one - (e[i] + e[i]) / (one + e[i]);
    x[i] = with_sign_of(select(a < k(c.near_up_to), near, far), x[i]);
  }
}

inline f32x4 tanh(f32x4 x) {
  f32x4 lane[1] = {x};
  tanh(lane, kTanhConstants);
  return lane[0];
}

inline float tanh(float x) { return extract<0>(tanh(splat(x))); }

}  // namespace sqrtdk::simd
