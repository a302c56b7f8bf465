#include "kernels/arithmetic.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "base/errors.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/index.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

constexpr Arithmetic kAll[] = {Arithmetic::kAdd, Arithmetic::kSub, Arithmetic::kMul, Arithmetic::kDiv};

// In double, whose second rounding to float changes nothing.
double exact(Arithmetic operation, double x, double y) {
  switch (operation) {
    case Arithmetic::kAdd:
      return x + y;
    case Arithmetic::kSub:
      return x - y;
    case Arithmetic::kMul:
      return x * y;
    case Arithmetic::kDiv:
      break;
  }
  return x / y;
}

// Where the element of a broadcast tensor lies.
size_t place(const Shape& shape, const Index& index) {
  size_t at = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    const auto from_end = static_cast<size_t>(shape.rank() - i);
    const int64_t j = shape[i] == 1 ? 0 : index[index.size() - from_end];
    at = at * static_cast<size_t>(shape[i]) + static_cast<size_t>(j);
  }
  return at;
}

void check(const Shape& a_shape, const Shape& b_shape, const Shape& expected) {
  CAPTURE(a_shape.text());
  CAPTURE(b_shape.text());
  const std::vector<float> a = Draws(1).normals(a_shape.size()), b = Draws(2).normals(b_shape.size());
  for (const Arithmetic operation : kAll) {
    REQUIRE(broadcast_shape(operation, a_shape, b_shape) == expected);
    std::vector<float> results;
    each_index(expected, [&](const Index& index) {
      results.push_back(
          static_cast<float>(exact(operation, a[place(a_shape, index)], b[place(b_shape, index)])));
    });
    for (const int64_t shift : {0, 1, 3}) {
      GuardedBuffer x(a, shift), y(b, shift), out(expected.size(), shift);
      arithmetic(operation, {x.data(), a_shape}, {y.data(), b_shape}, {out.data(), expected});
      CHECK(same_bits(out.values(), results));
      CHECK(out.intact());
      if (a_shape == expected) {
        arithmetic(operation, {x.data(), a_shape}, {y.data(), b_shape}, {x.data(), expected});
        CHECK(same_bits(x.values(), results));
      }
      if (b_shape == expected) {
        x = GuardedBuffer(a, shift);
        arithmetic(operation, {x.data(), a_shape}, {y.data(), b_shape}, {y.data(), expected});
        CHECK(same_bits(y.values(), results));
      }
    }
  }
}

void refused(const Shape& a, const Shape& b) {
  const std::vector<float> x(64, 1.0f);
  std::vector<float> out(64, 7.0f);
  const ShapeError error = thrown_by<ShapeError>([&] {
    arithmetic(Arithmetic::kSub, {x.data(), a}, {x.data(), b}, {out.data(), a});
  });
  CHECK(error.op == "sub");
  CHECK(error.argument == "b");
  CHECK(error.got == b.text());
  CHECK(error.expected == "broadcastable with " + a.text());
  CHECK(out == std::vector<float>(64, 7.0f));
}

}  // namespace

TEST_CASE("arithmetic: every length") {
  for (int64_t n = 0; n <= 33; ++n) {
    check({n}, {n}, {n});
    check({n}, {}, {n});
    check({1}, {n}, {n});
  }
}

TEST_CASE("arithmetic: shapes are broadcast as in NumPy, on either side and on both") {
  check({}, {}, {});
  check({}, {1}, {1});
  check({1, 1}, {1}, {1, 1});
  check({2, 3}, {}, {2, 3});
  check({}, {2, 3}, {2, 3});
  check({2, 3}, {3}, {2, 3});
  check({2, 3}, {2, 1}, {2, 3});
  check({3}, {2, 1}, {2, 3});
  check({2, 1}, {1, 9}, {2, 9});
  check({4, 1, 5}, {3, 1}, {4, 3, 5});
  check({4, 3, 5}, {4, 1, 5}, {4, 3, 5});
  check({4, 1, 5}, {1, 3, 1}, {4, 3, 5});
  check({2, 3, 2, 3, 2, 3}, {2, 3, 2, 3, 2, 3}, {2, 3, 2, 3, 2, 3});
  check({2, 1, 2, 1, 2, 1}, {1, 3, 1, 3, 1, 3}, {2, 3, 2, 3, 2, 3});
  check({2, 3, 1, 1, 2, 3}, {2, 3, 2, 1, 1, 1}, {2, 3, 2, 1, 2, 3});
  check({5, 1}, {2, 1, 2, 1, 1, 7}, {2, 1, 2, 1, 5, 7});
}

TEST_CASE("arithmetic: empty dimensions") {
  check({0}, {}, {0});
  check({0}, {1}, {0});
  check({3, 0}, {0}, {3, 0});
  check({3, 1}, {0}, {3, 0});
  check({0, 1, 4}, {2, 1}, {0, 2, 4});
}

TEST_CASE("arithmetic: special numbers, as IEEE has them") {
  const float inf = INFINITY, tiny = std::numeric_limits<float>::denorm_min();
  const std::vector<float> a{NAN, inf, inf, 1, -1, 0, -0.0f, 3e38f, tiny, 1e-30f};
  const std::vector<float> b{1, inf, 2, 0, 0, 0, 5, 3e38f, 2, 1e30f};
  const auto check_one = [&](Arithmetic operation, const std::vector<float>& expected) {
    std::vector<float> out(10);
    arithmetic(operation, {a.data(), {10}}, {b.data(), {10}}, {out.data(), {10}});
    CHECK(same_bits(out, expected));
  };
  check_one(Arithmetic::kAdd, {NAN, inf, inf, 1, -1, 0, 5, inf, 2, 1e30f});
  check_one(Arithmetic::kSub, {NAN, NAN, inf, 1, -1, 0, -5, 0, -2, -1e30f});
  check_one(Arithmetic::kMul, {NAN, inf, inf, 0, -0.0f, 0, -0.0f, inf, 2 * tiny, 1e-30f * 1e30f});
  check_one(Arithmetic::kDiv, {NAN, NAN, inf, inf, -inf, NAN, -0.0f, 1, 0, 0});
}

TEST_CASE("arithmetic: shapes that do not fit are refused and nothing is written") {
  refused({2, 3}, {2});
  refused({2, 3}, {3, 3});
  refused({4}, {3});
  refused({2, 3}, {2, 2, 4});
  refused({0}, {2});
  std::vector<float> out(6, 7.0f);
  const float x[6] = {};
  CHECK_THROWS_AS(arithmetic(Arithmetic::kAdd, {x, {2, 3}}, {x, {3}}, {out.data(), {6}}), ShapeError);
  CHECK_THROWS_AS(arithmetic(Arithmetic::kAdd, {x, {3}}, {x, {2, 3}}, {out.data(), {3}}), ShapeError);
  CHECK(out == std::vector<float>(6, 7.0f));
}
