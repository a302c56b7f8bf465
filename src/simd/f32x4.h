#pragma once
// Thin names over the wasm_simd128 intrinsics: four floats (or four 32-bit integers, or two doubles) in
// one register. Natively SIMDe provides the same intrinsics. Every function here gives the same bits on
// every target, except for the payload of a NaN.
#include <cstddef>
#include <cstdint>

#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#else
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/wasm/simd128.h>
#endif

namespace sqrtdk::simd {

using f32x4 = v128_t;
using u32x4 = v128_t;  // wrapping arithmetic; signedness matters only in shifts, comparisons, conversions
using f64x2 = v128_t;
using mask4 = v128_t;  // per lane all ones (true) or all zeros (false)

// Memory: no alignment is needed.
inline f32x4 load(const float* p) { return wasm_v128_load(p); }
inline f32x4 load_splat(const float* p) { return wasm_v128_load32_splat(p); }
inline u32x4 load_u32(const uint32_t* p) { return wasm_v128_load(p); }
inline f64x2 load_f64(const double* p) { return wasm_v128_load(p); }
inline void store(float* p, f32x4 a) { wasm_v128_store(p, a); }
inline void store_u32(uint32_t* p, u32x4 a) { wasm_v128_store(p, a); }
inline void store_f64(double* p, f64x2 a) { wasm_v128_store(p, a); }

inline f32x4 splat(float a) { return wasm_f32x4_splat(a); }
inline f32x4 make(float a, float b, float c, float d) { return wasm_f32x4_make(a, b, c, d); }
inline f32x4 zero() { return splat(0.0f); }
template <int lane>
inline float extract(f32x4 a) {
  return wasm_f32x4_extract_lane(a, lane);
}

/// Lanes of a (0 to 3) and of b (4 to 7).
template <int i, int j, int k, int l>
inline v128_t shuffle(v128_t a, v128_t b) {
  return wasm_i32x4_shuffle(a, b, i, j, k, l);
}

/// The first `count` floats, 0 < count <= 4; the other lanes are those of `others`.
inline f32x4 load_first(const float* p, int64_t count, f32x4 others) {
  if (count == 4) return load(p);
  if (count == 1) return wasm_v128_load32_lane(p, others, 0);
  others = wasm_v128_load64_lane(p, others, 0);
  return count == 2 ? others : wasm_v128_load32_lane(p + 2, others, 2);
}
/// Stores the first `count` lanes, 0 < count <= 4.
inline void store_first(float* p, int64_t count, f32x4 a) {
  if (count == 4) return store(p, a);
  if (count == 1) return wasm_v128_store32_lane(p, a, 0);
  wasm_v128_store64_lane(p, a, 0);
  if (count == 3) wasm_v128_store32_lane(p + 2, a, 2);
}

// f32
inline f32x4 add(f32x4 a, f32x4 b) { return wasm_f32x4_add(a, b); }
inline f32x4 sub(f32x4 a, f32x4 b) { return wasm_f32x4_sub(a, b); }
inline f32x4 mul(f32x4 a, f32x4 b) { return wasm_f32x4_mul(a, b); }
inline f32x4 div(f32x4 a, f32x4 b) { return wasm_f32x4_div(a, b); }
/// a * b + c, rounded twice: never fused.
inline f32x4 mul_add(f32x4 a, f32x4 b, f32x4 c) { return add(mul(a, b), c); }
inline f32x4 sqrt(f32x4 a) { return wasm_f32x4_sqrt(a); }
inline f32x4 neg(f32x4 a) { return wasm_f32x4_neg(a); }
inline f32x4 abs(f32x4 a) { return wasm_v128_and(a, wasm_i32x4_splat(0x7fffffff)); }
/// b < a ? b : a. With a NaN on either side, or zeros of both signs, the result is a.
inline f32x4 min(f32x4 a, f32x4 b) { return wasm_f32x4_pmin(a, b); }
/// a < b ? b : a. With a NaN on either side, or zeros of both signs, the result is a.
inline f32x4 max(f32x4 a, f32x4 b) { return wasm_f32x4_pmax(a, b); }

// Comparisons of f32: false where a lane is NaN, except ne.
inline mask4 lt(f32x4 a, f32x4 b) { return wasm_f32x4_lt(a, b); }
inline mask4 le(f32x4 a, f32x4 b) { return wasm_f32x4_le(a, b); }
inline mask4 gt(f32x4 a, f32x4 b) { return wasm_f32x4_gt(a, b); }
inline mask4 ge(f32x4 a, f32x4 b) { return wasm_f32x4_ge(a, b); }
inline mask4 eq(f32x4 a, f32x4 b) { return wasm_f32x4_eq(a, b); }
inline mask4 ne(f32x4 a, f32x4 b) { return wasm_f32x4_ne(a, b); }
/// mask ? a : b, bit by bit.
inline v128_t select(mask4 mask, v128_t a, v128_t b) { return wasm_v128_bitselect(a, b, mask); }
inline bool any(mask4 mask) { return wasm_v128_any_true(mask); }
inline bool all(mask4 mask) { return wasm_i32x4_all_true(mask); }

// Bits
inline v128_t bit_and(v128_t a, v128_t b) { return wasm_v128_and(a, b); }
inline v128_t bit_or(v128_t a, v128_t b) { return wasm_v128_or(a, b); }
inline v128_t bit_xor(v128_t a, v128_t b) { return wasm_v128_xor(a, b); }
/// a & ~b
inline v128_t bit_and_not(v128_t a, v128_t b) { return wasm_v128_andnot(a, b); }

// 32-bit integers
inline u32x4 splat_u32(uint32_t a) { return wasm_i32x4_splat(static_cast<int32_t>(a)); }
inline u32x4 make_u32(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return wasm_i32x4_make(static_cast<int32_t>(a), static_cast<int32_t>(b), static_cast<int32_t>(c),
                         static_cast<int32_t>(d));
}
template <int lane>
inline uint32_t extract_u32(u32x4 a) {
  return static_cast<uint32_t>(wasm_i32x4_extract_lane(a, lane));
}
inline u32x4 add_u32(u32x4 a, u32x4 b) { return wasm_i32x4_add(a, b); }
inline u32x4 sub_u32(u32x4 a, u32x4 b) { return wasm_i32x4_sub(a, b); }
inline mask4 eq_u32(u32x4 a, u32x4 b) { return wasm_i32x4_eq(a, b); }
inline mask4 lt_i32(u32x4 a, u32x4 b) { return wasm_i32x4_lt(a, b); }
inline mask4 gt_i32(u32x4 a, u32x4 b) { return wasm_i32x4_gt(a, b); }
inline u32x4 max_i32(u32x4 a, u32x4 b) { return wasm_i32x4_max(a, b); }
template <int bits>
inline u32x4 shift_left(u32x4 a) {
  return wasm_i32x4_shl(a, bits);
}
template <int bits>
inline u32x4 shift_right_u32(u32x4 a) {
  return wasm_u32x4_shr(a, bits);
}
template <int bits>
inline u32x4 shift_right_i32(u32x4 a) {
  return wasm_i32x4_shr(a, bits);
}
/// Signed integers to the nearest float.
inline f32x4 to_f32(u32x4 a) { return wasm_f32x4_convert_i32x4(a); }

/// The same value, of which the compiler knows nothing and which it must not hoist out of a loop.
inline v128_t opaque(v128_t a) {
#ifdef __wasm_simd128__
  asm volatile("" : "+r"(a));
#endif
  return a;
}

/// The same address, of which the compiler does not know what lies there.
template <class T>
inline const T* opaque(const T* p) {
#ifdef __wasm_simd128__
  asm volatile("" : "+r"(p));
#endif
  return p;
}

struct Product4 {
  u32x4 high, low;
};
/// The high and the low 32 bits of a * b.
inline Product4 multiply_u32(u32x4 a, u32x4 b) {
  // Opaque: LLVM 14 makes i64x2.mul, several times slower, of an extended product by something fixed in a
  // loop.
  b = opaque(b);
  const v128_t first = wasm_u64x2_extmul_low_u32x4(a, b), second = wasm_u64x2_extmul_high_u32x4(a, b);
  return {shuffle<1, 3, 5, 7>(first, second), shuffle<0, 2, 4, 6>(first, second)};
}

// f64
inline f64x2 splat_f64(double a) { return wasm_f64x2_splat(a); }
inline f64x2 add_f64(f64x2 a, f64x2 b) { return wasm_f64x2_add(a, b); }
inline f64x2 sub_f64(f64x2 a, f64x2 b) { return wasm_f64x2_sub(a, b); }
inline f64x2 mul_f64(f64x2 a, f64x2 b) { return wasm_f64x2_mul(a, b); }
template <int lane>
inline double extract_f64(f64x2 a) {
  return wasm_f64x2_extract_lane(a, lane);
}
/// Lanes 0 and 1, or 2 and 3, as doubles.
inline f64x2 low_to_f64(f32x4 a) { return wasm_f64x2_promote_low_f32x4(a); }
inline f64x2 high_to_f64(f32x4 a) { return low_to_f64(shuffle<2, 3, 2, 3>(a, a)); }
/// Two floats as doubles.
inline f64x2 load_2_as_f64(const float* p) { return low_to_f64(wasm_v128_load64_zero(p)); }
/// Four doubles rounded to float: lanes (a0, a1, b0, b1).
inline f32x4 to_f32(f64x2 a, f64x2 b) {
  return shuffle<0, 1, 4, 5>(wasm_f32x4_demote_f64x2_zero(a), wasm_f32x4_demote_f64x2_zero(b));
}

// Across lanes, in a fixed order
/// (a0 + a2) + (a1 + a3)
inline float sum(f32x4 a) {
  a = add(a, shuffle<2, 3, 0, 1>(a, a));
  a = add(a, shuffle<1, 0, 3, 2>(a, a));
  return extract<0>(a);
}
/// The largest lane; a NaN may be passed over (see max).
inline float max_lane(f32x4 a) {
  a = max(a, shuffle<2, 3, 0, 1>(a, a));
  a = max(a, shuffle<1, 0, 3, 2>(a, a));
  return extract<0>(a);
}
/// a0 + a1
inline double sum_f64(f64x2 a) { return extract_f64<0>(a) + extract_f64<1>(a); }

/// The 4x4 matrix whose rows are a, b, c, d becomes its transpose.
inline void transpose4(v128_t& a, v128_t& b, v128_t& c, v128_t& d) {
  const v128_t ab_low = shuffle<0, 4, 1, 5>(a, b);   // a0 b0 a1 b1
  const v128_t ab_high = shuffle<2, 6, 3, 7>(a, b);  // a2 b2 a3 b3
  const v128_t cd_low = shuffle<0, 4, 1, 5>(c, d);
  const v128_t cd_high = shuffle<2, 6, 3, 7>(c, d);
  a = shuffle<0, 1, 4, 5>(ab_low, cd_low);
  b = shuffle<2, 3, 6, 7>(ab_low, cd_low);
  c = shuffle<0, 1, 4, 5>(ab_high, cd_high);
  d = shuffle<2, 3, 6, 7>(ab_high, cd_high);
}

/// A 4x4 block of memory, its rows from_step apart, to its transpose, whose rows are to_step apart.
inline void transpose_block(const float* from, std::ptrdiff_t from_step, float* to, std::ptrdiff_t to_step) {
  f32x4 r0 = load(from), r1 = load(from + from_step);
  f32x4 r2 = load(from + 2 * from_step), r3 = load(from + 3 * from_step);
  transpose4(r0, r1, r2, r3);
  store(to, r0);
  store(to + to_step, r1);
  store(to + 2 * to_step, r2);
  store(to + 3 * to_step, r3);
}

}  // namespace sqrtdk::simd
