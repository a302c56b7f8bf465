#pragma once
// e^x for x <= 0 in f32, several vectors at once, for the inner loops of softmax and its kin. Over all x <=
// 0: error at most 1.0 ULP, monotone; NaN stays NaN, -inf gives 0, below -87.33 the result is subnormal
// (rounded once) and below -103.97 it is 0.
//
// x = n ln 2 + r with |r| <= ln(2) / 2;  e^x = 2^n (1 + r + r^2 q(r)), q a minimax polynomial.
// 2^n is made as 2^(n + 24): where n is the least, -151, the exponent's bits are 0, and so is that factor;
// else it is a normal float, and the last product, with 2^-24, underflows gradually. (A 0
// out of a product that underflows can cost hundreds of cycles: x86 leaves it to microcode.)
#include "simd/f32x4.h"

namespace sqrtdk::simd {

/// A number in all lanes of a vector in memory: V8 addresses a vector within a structure by the load itself,
/// a number that it has to spread by an instruction of its own.
struct Constant {
  alignas(16) float lanes[4];
  constexpr Constant(float x) : lanes{x, x, x, x} {}
  operator f32x4() const { return load(lanes); }
};

struct ExpConstants {
  Constant lowest = -0x1.a2p6f;  // -151 ln 2, rounded: n stays within the exponent's bits
  Constant log2_e = 0x1.715476p0f;
  // Adding 1.5 * 2^23 rounds to the nearest integer and leaves that integer in the low bits; with the
  // exponent's bias and 24 added, those bits are the exponent of 2^(n + 24).
  Constant shift = 0x1.8p23f + 127 + 24;
  Constant ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;  // n times the first, of 15 bits, is exact
  Constant q[5] = {0x1.fffffcp-2f, 0x1.55548cp-3f, 0x1.555858p-5f, 0x1.123dep-7f, 0x1.6ac71p-10f};
  Constant one = 1.0f;
  Constant unscale = 0x1p-24f;
};
inline constexpr ExpConstants kExpConstants;

/// The constants as the compiler cannot see them: V8 rebuilds a vector that is a constant in every round of a
/// loop, and a load is cheaper. Call it once, outside the loop.
inline const ExpConstants& exp_constants() { return *opaque(&kExpConstants); }

/// x = e^x 2^(24 - k), or 0 where x is below `lowest`. For an integer |k| <= 300 and x <= (k + 1/2) ln 2,
/// with lowest = (k - 151) ln 2 and shift = c.shift - k. Each step is done for all n vectors before the next:
/// the barriers keep LLVM from undoing that.
template <int n>
[[gnu::always_inline]] inline void exp_scaled(f32x4 (&x)[n], f32x4 lowest, f32x4 shift,
                                              const ExpConstants& c) {
  f32x4 power[n], r[n], r2[n], y[n];
  const auto each = [](f32x4(&result)[n], auto step) {
    for (int i = 0; i < n; ++i) result[i] = step(i);
    for (int i = 0; i < n; ++i) result[i] = opaque(result[i]);
  };
  each(x, [&](int i) { return max(x[i], lowest); });
  each(y, [&](int i) { return x[i] * c.log2_e; });
  each(y, [&](int i) { return y[i] + shift; });
  each(power, [&](int i) { return as_f32(shift_left<23>(as_u32(y[i]))); });
  each(y, [&](int i) { return y[i] - shift; });
  each(r, [&](int i) { return y[i] * c.ln2_high; });
  each(r, [&](int i) { return x[i] - r[i]; });
  each(y, [&](int i) { return y[i] * c.ln2_low; });
  each(r, [&](int i) { return r[i] - y[i]; });
  each(r2, [&](int i) { return r[i] * r[i]; });
  each(y, [&](int i) { return r2[i] * c.q[4]; });
  each(x, [&](int i) { return r[i] * c.q[3]; });
  each(x, [&](int i) { return x[i] + c.q[2]; });
  each(y, [&](int i) { return y[i] + x[i]; });
  each(y, [&](int i) { return y[i] * r2[i]; });
  each(x, [&](int i) { return r[i] * c.q[1]; });
  each(x, [&](int i) { return x[i] + c.q[0]; });
  each(y, [&](int i) { return y[i] + x[i]; });
  each(y, [&](int i) { return y[i] * r2[i]; });
  each(y, [&](int i) { return y[i] + r[i]; });
  each(y, [&](int i) { return y[i] + c.one; });
  each(x, [&](int i) { return y[i] * power[i]; });
}

/// x = e^x for x <= 0.
template <int n>
[[gnu::always_inline]] inline void exp_nonpositive(f32x4 (&x)[n], const ExpConstants& c) {
  exp_scaled(x, c.lowest, c.shift, c);
  for (f32x4& lanes : x) lanes = lanes * c.unscale;
}

inline f32x4 exp_nonpositive(f32x4 x, const ExpConstants& c = kExpConstants) {
  f32x4 lane[1] = {x};
  exp_nonpositive(lane, c);
  return lane[0];
}

inline float exp_nonpositive(float x) { return extract<0>(exp_nonpositive(splat(x))); }

}  // namespace sqrtdk::simd
