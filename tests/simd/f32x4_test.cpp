#include "simd/f32x4.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

namespace sqrtdk {
namespace {

using namespace simd;
using Lanes = std::array<float, 4>;
using Words = std::array<uint32_t, 4>;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Lanes lanes(f32x4 a) {
  Lanes out;
  store(out.data(), a);
  return out;
}

Words words(u32x4 a) {
  Words out;
  store(out.data(), a);
  return out;
}

TEST_CASE("loads and stores need no alignment") {
  float memory[9];
  for (int i = 0; i < 9; ++i) memory[i] = static_cast<float>(i);
  for (int i = 0; i <= 5; ++i) {
    const auto x = static_cast<float>(i);
    CHECK(lanes(load(memory + i)) == Lanes{x, x + 1, x + 2, x + 3});
    CHECK(lanes(load_splat(memory + i)) == Lanes{x, x, x, x});
  }
  store(memory + 1, splat(9));
  CHECK(memory[0] == 0);
  CHECK(memory[1] == 9);
  CHECK(memory[4] == 9);
  CHECK(memory[5] == 5);
}

TEST_CASE("parts of vectors") {
  const float memory[] = {1, 2, 3};
  const f32x4 others = make(-1, -2, -3, -4);
  CHECK(lanes(load_first(memory, 1, others)) == Lanes{1, -2, -3, -4});
  CHECK(lanes(load_first(memory, 2, others)) == Lanes{1, 2, -3, -4});
  CHECK(lanes(load_first(memory, 3, others)) == Lanes{1, 2, 3, -4});
  for (int count = 1; count < 4; ++count) {
    float out[4] = {9, 9, 9, 9};
    store_first(out, count, others);
    for (int i = 0; i < 4; ++i) CHECK(out[i] == (i < count ? -1.0f - static_cast<float>(i) : 9.0f));
  }
  CHECK(sum(load_2_as_f64(memory + 1)) == 5);
  CHECK(extract<0>(load_2_as_f64(memory + 1)) == 2);
}

TEST_CASE("min and max return their first argument where a lane is NaN or both are zeros") {
  const f32x4 a = make(1, kNaN, 0.0f, -kInf), b = make(2, 3, -0.0f, kNaN);
  CHECK(lanes(min(a, b))[0] == 1);
  CHECK(lanes(max(a, b))[0] == 2);
  for (const Lanes& y : {lanes(min(a, b)), lanes(max(a, b))}) {
    CHECK(std::isnan(y[1]));
    CHECK(!std::signbit(y[2]));
    CHECK(y[3] == -kInf);
  }
  CHECK(lanes(min(b, a))[1] == 3);
  CHECK(std::signbit(lanes(max(b, a))[2]));
}

TEST_CASE("comparisons, select, any and all") {
  const f32x4 a = make(1, 2, 3, kNaN), b = make(2, 2, 2, kNaN);
  const f32x4 yes = splat(1), no = splat(0);
  CHECK(lanes(select(a < b, yes, no)) == Lanes{1, 0, 0, 0});
  CHECK(lanes(select(a <= b, yes, no)) == Lanes{1, 1, 0, 0});
  CHECK(lanes(select(a > b, yes, no)) == Lanes{0, 0, 1, 0});
  CHECK(lanes(select(a >= b, yes, no)) == Lanes{0, 1, 1, 0});
  CHECK(lanes(select(a == b, yes, no)) == Lanes{0, 1, 0, 0});
  CHECK(lanes(select(a != b, yes, no)) == Lanes{1, 0, 1, 1});
  CHECK(any(a < b));
  CHECK_FALSE(all(a < b));
  CHECK_FALSE(any(b < b));
  CHECK(all(no == no));
  CHECK_FALSE(any(none()));
  CHECK(lanes(keep_where(a <= b, a)) == Lanes{1, 2, 0, 0});
  CHECK(lanes(zero_where(a >= b, splat(5))) == Lanes{5, 0, 0, 5});
  CHECK(lanes(with_sign_of(make(1, 2, 0, kInf), make(-0.0f, 3, -4, -kInf))) == Lanes{-1, 2, 0, -kInf});
  CHECK(words(as_u32((a < b) | (a > b))) == Words{0xffffffff, 0, 0xffffffff, 0});
  CHECK(words(as_u32((a <= b) & (a >= b))) == Words{0, 0xffffffff, 0, 0});
}

TEST_CASE("sums have a fixed order") {
  // 1e8 + 1 = 1e8 in float: only (a0 + a2) + (a1 + a3) gives 2.
  CHECK(sum(make(1e8f, 1, -1e8f, 1)) == 2);
  CHECK(sum(make(1e8f, -1e8f, 1, 1)) == 0);
  CHECK(lanes(max_across(make(-3, 7, 2, -kInf))) == Lanes{7, 7, 7, 7});
  CHECK(sum(low_to_f64(make(1, 2, 4, 8))) == 3);
  CHECK(sum(high_to_f64(make(1, 2, 4, 8))) == 12);
}

TEST_CASE("transpose4") {
  f32x4 a = make(0, 1, 2, 3), b = make(10, 11, 12, 13), c = make(20, 21, 22, 23), d = make(30, 31, 32, 33);
  transpose4(a, b, c, d);
  CHECK(lanes(a) == Lanes{0, 10, 20, 30});
  CHECK(lanes(b) == Lanes{1, 11, 21, 31});
  CHECK(lanes(c) == Lanes{2, 12, 22, 32});
  CHECK(lanes(d) == Lanes{3, 13, 23, 33});
}

TEST_CASE("integers") {
  const u32x4 a = make_u32(0xffffffff, 1, 0x80000000, 7);
  CHECK(words(shift_right_u32<1>(a)) == Words{0x7fffffff, 0, 0x40000000, 3});
  CHECK(words(shift_right_i32<1>(a)) == Words{0xffffffff, 0, 0xc0000000, 3});
  CHECK(words(shift_left<1>(a)) == Words{0xfffffffe, 2, 0, 14});
  CHECK(lanes(to_f32(a)) == Lanes{-1, 1, -0x1p31f, 7});
  CHECK(words(splat_u32(0) - a) == Words{1, 0xffffffff, 0x80000000, 0xfffffff9});
  CHECK(words(as_u32(lt_i32(a, splat_u32(0)))) == Words{0xffffffff, 0, 0xffffffff, 0});
  CHECK(words(as_u32(a == splat_u32(7))) == Words{0, 0, 0, 0xffffffff});
  CHECK(words(a & splat_u32(3)) == Words{3, 1, 0, 3});
  CHECK(words(a | splat_u32(8)) == Words{0xffffffff, 9, 0x80000008, 15});
  CHECK(words(a ^ splat_u32(1)) == Words{0xfffffffe, 0, 0x80000001, 6});
  CHECK(words(low_words(splat_f64(0x1p52 + 5), splat_f64(0x1p52 + 6))) == Words{5, 5, 6, 6});
  const Product4 product = multiply(a, splat_u32(0xffffffff));
  CHECK(words(product.high) == Words{0xfffffffe, 0, 0x7fffffff, 6});
  CHECK(words(product.low) == Words{1, 0xffffffff, 0x80000000, 0xfffffff9});
}

TEST_CASE("doubles round to the nearest float, ties to even") {
  const f64x2 a = splat_f64(1 + 0x1p-24), b = splat_f64(1 + 3 * 0x1p-24);
  CHECK(lanes(to_f32(a, b)) == Lanes{1, 1, 1 + 0x1p-22f, 1 + 0x1p-22f});
}

TEST_CASE("a product and a sum are not fused") {
  const float x = 1 + 0x1p-12f;  // x^2 = 1 + 2^-11 + 2^-24, and the last part is rounded away
  CHECK(extract<0>(splat(x) * splat(x) + splat(-1 - 0x1p-11f)) == 0);
}

}  // namespace
}  // namespace sqrtdk
