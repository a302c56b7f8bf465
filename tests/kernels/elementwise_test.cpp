#include "kernels/elementwise.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "base/errors.h"
#include "reference/buffers.h"
#include "reference/compare.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

TEST_CASE("add_elements: every length, unaligned, nothing outside, in place too") {
  for (int64_t n = 0; n <= 33; ++n) {
    const std::vector<float> a = Draws(1).normals(n), b = Draws(2).normals(n);
    std::vector<float> expected(a.size());
    for (size_t i = 0; i < a.size(); ++i) expected[i] = a[i] + b[i];
    GuardedBuffer left(a, 1), right(b, 2), out(n, 3);
    add_elements({left.data(), {n}}, {right.data(), {n}}, {out.data(), {n}});
    CHECK(same_bits(out.values(), expected));
    add_elements({left.data(), {n}}, {right.data(), {n}}, {left.data(), {n}});
    CHECK(same_bits(left.values(), expected));
    add_elements({out.data(), {n}}, {out.data(), {n}}, {out.data(), {n}});
    for (float& y : expected) y += y;
    CHECK(same_bits(out.values(), expected));
    CHECK((left.intact() && out.intact()));
  }
}

TEST_CASE("add_elements: NaN, infinities, zeros, subnormal and large numbers") {
  const float inf = std::numeric_limits<float>::infinity(), tiny = std::numeric_limits<float>::denorm_min();
  const std::vector<float> a{NAN, inf, inf, -0.0f, -0.0f, tiny, 3e38f}, b{1, 1, -inf, -0.0f, 0, tiny, 3e38f};
  std::vector<float> out(7);
  add_elements({a.data(), {7}}, {b.data(), {7}}, {out.data(), {7}});
  CHECK(same_bits(out, {NAN, inf, NAN, -0.0f, 0.0f, 2 * tiny, inf}));
}

TEST_CASE("add_elements: shapes that differ are refused and nothing is written") {
  const std::vector<float> a(6, 1.0f);
  std::vector<float> out(6, 7.0f);
  CHECK_THROWS_AS(add_elements({a.data(), {6}}, {a.data(), {2, 3}}, {out.data(), {6}}), ShapeError);
  CHECK_THROWS_AS(add_elements({a.data(), {6}}, {a.data(), {6}}, {out.data(), {5}}), ShapeError);
  CHECK(out == std::vector<float>(6, 7.0f));
}

TEST_CASE("multiply_elements: every length, unaligned, into either operand") {
  for (int64_t n = 0; n <= 33; ++n) {
    const std::vector<float> a = Draws(1).normals(n), b = Draws(2).normals(n);
    std::vector<float> expected;
    for (size_t i = 0; i < a.size(); ++i) expected.push_back(a[i] * b[i]);
    for (const int64_t shift : {0, 1, 3}) {
      GuardedBuffer x(a, shift), y(b, shift), out(n, shift);
      multiply_elements({x.data(), {n}}, {y.data(), {n}}, {out.data(), {n}});
      CHECK(same_bits(out.values(), expected));
      multiply_elements({x.data(), {n}}, {y.data(), {n}}, {x.data(), {n}});
      CHECK(same_bits(x.values(), expected));
      x = GuardedBuffer(a, shift);
      multiply_elements({x.data(), {n}}, {y.data(), {n}}, {y.data(), {n}});
      CHECK(same_bits(y.values(), expected));
      CHECK((x.intact() && y.intact() && out.intact()));
    }
  }
}

TEST_CASE("multiply_elements: special numbers, as IEEE has them") {
  const float a[] = {NAN, INFINITY, INFINITY, -0.0f, 1e30f, 1e-30f, 1e-40f};
  const float b[] = {0, 2, 0, 3, 1e30f, 1e-30f, 0.5f};
  std::vector<float> out(7);
  multiply_elements({a, {7}}, {b, {7}}, {out.data(), {7}});
  CHECK(same_bits(out, {NAN, INFINITY, NAN, -0.0f, INFINITY, 0, 1e-40f * 0.5f}));
}

TEST_CASE("multiply_elements: shapes that differ are an error") {
  std::vector<float> out(6, 7.0f);
  const float x[6] = {};
  CHECK_THROWS_AS(multiply_elements({x, {2, 3}}, {x, {3, 2}}, {out.data(), {2, 3}}), ShapeError);
  CHECK_THROWS_AS(multiply_elements({x, {2, 3}}, {x, {2, 3}}, {out.data(), {6}}), ShapeError);
  CHECK(out == std::vector<float>(6, 7.0f));
}

TEST_CASE("scale_elements: every length, unaligned, nothing outside") {
  for (int64_t n = 0; n <= 33; ++n) {
    GuardedBuffer x(Draws(1).normals(n), 1);
    std::vector<float> expected = x.values();
    for (float& value : expected) value *= -0.3f;
    scale_elements({x.data(), {n}}, -0.3f);
    CHECK(same_bits(x.values(), expected));
    CHECK(x.intact());
  }
}

TEST_CASE("clear_elements: every length, unaligned, nothing outside") {
  for (int64_t n = 0; n <= 33; ++n) {
    GuardedBuffer x(Draws(1).normals(n), 1);
    if (n > 0) x.data()[0] = NAN;
    clear_elements({x.data(), {n}});
    CHECK(same_bits(x.values(), std::vector<float>(static_cast<size_t>(n))));
    CHECK(x.intact());
  }
}
