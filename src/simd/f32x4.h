#pragma once
// Vectors of one 128-bit register over the wasm_simd128 intrinsics, which SIMDe provides natively: four
// floats, four 32-bit integers, two doubles, and masks. Each is a type of its own, with its operators;
// nothing converts by itself. Every function gives the same bits on every target, except for the payload of a
// NaN.
#include <cstddef>
#include <cstdint>

#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#else
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/wasm/simd128.h>
#endif

namespace sqrtdk::simd {

struct f32x4 {
  v128_t lanes;
};
/// Wrapping arithmetic; signedness matters only in shifts, comparisons and conversions.
struct u32x4 {
  v128_t lanes;
};
struct f64x2 {
  v128_t lanes;
};
/// Per lane all ones (true) or all zeros (false).
struct mask4 {
  v128_t lanes;
};

// The bits of a vector as another type.
inline f32x4 as_f32(u32x4 a) { return {a.lanes}; }
inline u32x4 as_u32(f32x4 a) { return {a.lanes}; }
inline u32x4 as_u32(mask4 a) { return {a.lanes}; }

// Memory: no alignment is needed.
inline f32x4 load(const float* p) { return {wasm_v128_load(p)}; }
inline f32x4 load_splat(const float* p) { return {wasm_v128_load32_splat(p)}; }
inline void store(float* p, f32x4 a) { wasm_v128_store(p, a.lanes); }
inline void store(uint32_t* p, u32x4 a) { wasm_v128_store(p, a.lanes); }

inline f32x4 splat(float a) { return {wasm_f32x4_splat(a)}; }
inline f32x4 make(float a, float b, float c, float d) { return {wasm_f32x4_make(a, b, c, d)}; }
inline f32x4 zero() { return splat(0.0f); }
template <int lane>
inline float extract(f32x4 a) {
  return wasm_f32x4_extract_lane(a.lanes, lane);
}

/// Lanes of a (0 to 3) and of b (4 to 7), as 32-bit lanes of any of the types.
template <int i, int j, int k, int l, class Vector>
inline Vector shuffle(Vector a, Vector b) {
  return {wasm_i32x4_shuffle(a.lanes, b.lanes, i, j, k, l)};
}

/// The first `count` floats, 0 < count <= 4; the other lanes are those of `others`.
inline f32x4 load_first(const float* p, int64_t count, f32x4 others) {
  if (count == 4) return load(p);
  if (count == 1) return {wasm_v128_load32_lane(p, others.lanes, 0)};
  others = {wasm_v128_load64_lane(p, others.lanes, 0)};
  return count == 2 ? others : f32x4{wasm_v128_load32_lane(p + 2, others.lanes, 2)};
}
/// Stores the first `count` lanes, 0 < count <= 4.
inline void store_first(float* p, int64_t count, f32x4 a) {
  if (count == 4) return store(p, a);
  if (count == 1) return wasm_v128_store32_lane(p, a.lanes, 0);
  wasm_v128_store64_lane(p, a.lanes, 0);
  if (count == 3) wasm_v128_store32_lane(p + 2, a.lanes, 2);
}

// f32: a product and a sum are rounded each, never fused.
inline f32x4 operator+(f32x4 a, f32x4 b) { return {wasm_f32x4_add(a.lanes, b.lanes)}; }
inline f32x4 operator-(f32x4 a, f32x4 b) { return {wasm_f32x4_sub(a.lanes, b.lanes)}; }
inline f32x4 operator*(f32x4 a, f32x4 b) { return {wasm_f32x4_mul(a.lanes, b.lanes)}; }
inline f32x4 operator/(f32x4 a, f32x4 b) { return {wasm_f32x4_div(a.lanes, b.lanes)}; }
inline f32x4 operator-(f32x4 a) { return {wasm_f32x4_neg(a.lanes)}; }
inline f32x4 sqrt(f32x4 a) { return {wasm_f32x4_sqrt(a.lanes)}; }
inline f32x4 abs(f32x4 a) { return {wasm_v128_and(a.lanes, wasm_i32x4_splat(0x7fffffff))}; }
/// b < a ? b : a. With a NaN on either side, or zeros of both signs, the result is a.
inline f32x4 min(f32x4 a, f32x4 b) { return {wasm_f32x4_pmin(a.lanes, b.lanes)}; }
/// a < b ? b : a. With a NaN on either side, or zeros of both signs, the result is a.
inline f32x4 max(f32x4 a, f32x4 b) { return {wasm_f32x4_pmax(a.lanes, b.lanes)}; }

// Comparisons of f32, lane by lane: false where a lane is NaN, except !=.
inline mask4 operator<(f32x4 a, f32x4 b) { return {wasm_f32x4_lt(a.lanes, b.lanes)}; }
inline mask4 operator<=(f32x4 a, f32x4 b) { return {wasm_f32x4_le(a.lanes, b.lanes)}; }
inline mask4 operator>(f32x4 a, f32x4 b) { return {wasm_f32x4_gt(a.lanes, b.lanes)}; }
inline mask4 operator>=(f32x4 a, f32x4 b) { return {wasm_f32x4_ge(a.lanes, b.lanes)}; }
inline mask4 operator==(f32x4 a, f32x4 b) { return {wasm_f32x4_eq(a.lanes, b.lanes)}; }
inline mask4 operator!=(f32x4 a, f32x4 b) { return {wasm_f32x4_ne(a.lanes, b.lanes)}; }

// Masks
inline mask4 operator&(mask4 a, mask4 b) { return {wasm_v128_and(a.lanes, b.lanes)}; }
inline mask4 operator|(mask4 a, mask4 b) { return {wasm_v128_or(a.lanes, b.lanes)}; }
inline mask4 none() { return {wasm_i32x4_splat(0)}; }
inline bool any(mask4 mask) { return wasm_v128_any_true(mask.lanes); }
inline bool all(mask4 mask) { return wasm_i32x4_all_true(mask.lanes); }
/// mask ? a : b
template <class Vector>
inline Vector select(mask4 mask, Vector a, Vector b) {
  return {wasm_v128_bitselect(a.lanes, b.lanes, mask.lanes)};
}
/// mask ? a : 0
template <class Vector>
inline Vector keep_where(mask4 mask, Vector a) {
  return {wasm_v128_and(a.lanes, mask.lanes)};
}
/// mask ? 0 : a
template <class Vector>
inline Vector zero_where(mask4 mask, Vector a) {
  return {wasm_v128_andnot(a.lanes, mask.lanes)};
}

/// The sign of the second with the magnitude of the first, which is positive.
inline f32x4 with_sign_of(f32x4 positive, f32x4 sign) {
  return {wasm_v128_or(positive.lanes, wasm_v128_and(sign.lanes, splat(-0.0f).lanes))};
}

// 32-bit integers
inline u32x4 splat_u32(uint32_t a) { return {wasm_i32x4_splat(static_cast<int32_t>(a))}; }
inline u32x4 make_u32(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return {wasm_i32x4_make(static_cast<int32_t>(a), static_cast<int32_t>(b), static_cast<int32_t>(c),
                          static_cast<int32_t>(d))};
}
template <int lane>
inline uint32_t extract(u32x4 a) {
  return static_cast<uint32_t>(wasm_i32x4_extract_lane(a.lanes, lane));
}
inline u32x4 operator+(u32x4 a, u32x4 b) { return {wasm_i32x4_add(a.lanes, b.lanes)}; }
inline u32x4 operator-(u32x4 a, u32x4 b) { return {wasm_i32x4_sub(a.lanes, b.lanes)}; }
inline u32x4 operator&(u32x4 a, u32x4 b) { return {wasm_v128_and(a.lanes, b.lanes)}; }
inline u32x4 operator|(u32x4 a, u32x4 b) { return {wasm_v128_or(a.lanes, b.lanes)}; }
inline u32x4 operator^(u32x4 a, u32x4 b) { return {wasm_v128_xor(a.lanes, b.lanes)}; }
inline mask4 operator==(u32x4 a, u32x4 b) { return {wasm_i32x4_eq(a.lanes, b.lanes)}; }
inline mask4 lt_i32(u32x4 a, u32x4 b) { return {wasm_i32x4_lt(a.lanes, b.lanes)}; }
template <int bits>
inline u32x4 shift_left(u32x4 a) {
  return {wasm_i32x4_shl(a.lanes, bits)};
}
template <int bits>
inline u32x4 shift_right_u32(u32x4 a) {
  return {wasm_u32x4_shr(a.lanes, bits)};
}
template <int bits>
inline u32x4 shift_right_i32(u32x4 a) {
  return {wasm_i32x4_shr(a.lanes, bits)};
}
/// Signed integers to the nearest float.
inline f32x4 to_f32(u32x4 a) { return {wasm_f32x4_convert_i32x4(a.lanes)}; }

/// The value of a, of which the compiler knows nothing and which it must not hoist out of a loop.
template <class Vector>
inline Vector opaque(Vector a) {
#ifdef __wasm_simd128__
  asm volatile("" : "+r"(a.lanes));
#endif
  return a;
}

/// The address p; the compiler does not know what lies there.
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
inline Product4 multiply(u32x4 a, u32x4 b) {
  // Opaque: LLVM 14 makes i64x2.mul, several times slower, of an extended product by something fixed in a
  // loop.
  b = opaque(b);
  const u32x4 first{wasm_u64x2_extmul_low_u32x4(a.lanes, b.lanes)};
  const u32x4 second{wasm_u64x2_extmul_high_u32x4(a.lanes, b.lanes)};
  return {shuffle<1, 3, 5, 7>(first, second), shuffle<0, 2, 4, 6>(first, second)};
}

// f64
inline f64x2 splat_f64(double a) { return {wasm_f64x2_splat(a)}; }
inline f64x2 operator+(f64x2 a, f64x2 b) { return {wasm_f64x2_add(a.lanes, b.lanes)}; }
inline f64x2 operator-(f64x2 a, f64x2 b) { return {wasm_f64x2_sub(a.lanes, b.lanes)}; }
inline f64x2 operator*(f64x2 a, f64x2 b) { return {wasm_f64x2_mul(a.lanes, b.lanes)}; }
template <int lane>
inline double extract(f64x2 a) {
  return wasm_f64x2_extract_lane(a.lanes, lane);
}
/// Lanes 0 and 1, or 2 and 3, as doubles.
inline f64x2 low_to_f64(f32x4 a) { return {wasm_f64x2_promote_low_f32x4(a.lanes)}; }
inline f64x2 high_to_f64(f32x4 a) { return low_to_f64(shuffle<2, 3, 2, 3>(a, a)); }
/// Two floats as doubles.
inline f64x2 load_2_as_f64(const float* p) {
  return {wasm_f64x2_promote_low_f32x4(wasm_v128_load64_zero(p))};
}
/// Four doubles rounded to float: lanes (a0, a1, b0, b1).
inline f32x4 to_f32(f64x2 a, f64x2 b) {
  return shuffle<0, 1, 4, 5>(f32x4{wasm_f32x4_demote_f64x2_zero(a.lanes)},
                             f32x4{wasm_f32x4_demote_f64x2_zero(b.lanes)});
}
/// The low 32 bits of each: lanes (a0, a1, b0, b1).
inline u32x4 low_words(f64x2 a, f64x2 b) { return {wasm_i32x4_shuffle(a.lanes, b.lanes, 0, 2, 4, 6)}; }

// Across lanes, in a fixed order
/// (a0 + a2) + (a1 + a3)
inline float sum(f32x4 a) {
  a = a + shuffle<2, 3, 0, 1>(a, a);
  a = a + shuffle<1, 0, 3, 2>(a, a);
  return extract<0>(a);
}
/// The largest lane in every lane; a NaN may be passed over (see max).
inline f32x4 max_across(f32x4 a) {
  a = max(a, shuffle<2, 3, 0, 1>(a, a));
  return max(a, shuffle<1, 0, 3, 2>(a, a));
}
/// a0 + a1
inline double sum(f64x2 a) { return extract<0>(a) + extract<1>(a); }

/// The 4x4 matrix whose rows are a, b, c, d becomes its transpose.
template <class Vector>
inline void transpose4(Vector& a, Vector& b, Vector& c, Vector& d) {
  const Vector ab_low = shuffle<0, 4, 1, 5>(a, b);   // a0 b0 a1 b1
  const Vector ab_high = shuffle<2, 6, 3, 7>(a, b);  // a2 b2 a3 b3
  const Vector cd_low = shuffle<0, 4, 1, 5>(c, d);
  const Vector cd_high = shuffle<2, 6, 3, 7>(c, d);
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
