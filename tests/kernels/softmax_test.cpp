#include "kernels/softmax.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "base/errors.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/softmax.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

std::vector<float> forward(std::vector<float> x, int64_t n) {
  const Shape shape{n ? static_cast<int64_t>(x.size()) / n : 0, n};
  std::vector<float> out(x.size(), 7.0f);
  softmax_forward({x.data(), shape}, {out.data(), shape});
  return out;
}
std::vector<float> forward(const std::vector<float>& x) { return forward(x, static_cast<int64_t>(x.size())); }

double row_sum(const std::vector<float>& p) { return std::accumulate(p.begin(), p.end(), 0.0); }

}  // namespace

TEST_CASE("softmax: at most 3 ULP and row sums within 2^-22, up to 65536 logits of any size") {
  Draws draws(1);
  for (const int64_t n : {2, 3, 8, 100, 1000, 4096, 65536}) {
    for (const float spread : {0.0f, 1e-6f, 0.1f, 1.0f, 10.0f, 30.0f, 100.0f, 1e4f, 1e30f}) {
      for (const float offset : {0.0f, 1000.0f, -3e4f, 1e30f}) {
        CAPTURE(n);
        CAPTURE(spread);
        CAPTURE(offset);
        std::vector<float> x = draws.normals(n, spread);
        for (float& value : x) value += offset;
        const std::vector<float> p = forward(x);
        CHECK(compare(p, reference::softmax(widen(x), static_cast<size_t>(n))).ulp <= 3);
        CHECK(std::fabs(row_sum(p) - 1) <= 0x1p-22);
      }
    }
  }
}

TEST_CASE("softmax: at most 3 ULP for many short rows, and around the change of argument at |max| = 208") {
  Draws draws(7);
  for (const int64_t n : {2, 3, 8, 16, 17, 31, 64}) {
    for (const float spread : {0.3f, 3.0f, 10.0f, 30.0f}) {
      for (const float offset : {0.0f, 207.0f, 209.0f, -208.0f, -230.0f}) {
        CAPTURE(n);
        CAPTURE(spread);
        CAPTURE(offset);
        std::vector<float> x = draws.normals(200 * n, spread);
        for (float& value : x) value += offset;
        CHECK(compare(forward(x, n), reference::softmax(widen(x), static_cast<size_t>(n))).ulp <= 3);
      }
    }
  }
  for (const float m : {207.99998f, 208.0f, 208.00002f}) {
    for (const float sign : {1.0f, -1.0f}) {
      const std::vector<float> x = {sign * m, sign * m - 0.3f, sign * m - 80, sign * m - 103.5f};
      CHECK(compare(forward(x), reference::softmax(widen(x), 4)).ulp <= 3);
    }
  }
}

TEST_CASE("softmax: every length 1..33, unaligned, in place, between guards; a row alone and in a batch") {
  Draws draws(2);
  for (int64_t n = 1; n <= 33; ++n) {
    CAPTURE(n);
    const int64_t rows = 3;
    const std::vector<float> x = draws.normals(rows * n, 5);
    const std::vector<float> p = forward(x, n);
    CHECK(compare(p, reference::softmax(widen(x), static_cast<size_t>(n))).ulp <= 3);
    for (int64_t row = 0; row < rows; ++row) {
      const auto begin = x.begin() + row * n;
      CHECK(same_bits(forward({begin, begin + n}), {p.begin() + row * n, p.begin() + (row + 1) * n}));
    }
    for (const int64_t shift : {0, 1}) {
      GuardedBuffer in_place(x, shift), out(rows * n, shift);
      softmax_forward({in_place.data(), {rows, n}}, {out.data(), {rows, n}});
      CHECK(same_bits(in_place.values(), x));
      CHECK(same_bits(out.values(), p));
      softmax_forward({in_place.data(), {rows, n}}, {in_place.data(), {rows, n}});
      CHECK(same_bits(in_place.values(), p));
      CHECK(out.intact());
      CHECK(in_place.intact());
    }
  }
}

TEST_CASE("softmax: the largest value is found wherever it stands, in the first row and in the next") {
  for (int64_t n = 1; n <= 50; ++n) {
    for (size_t at = 0; at < static_cast<size_t>(n); ++at) {
      std::vector<float> x(static_cast<size_t>(2 * n), -100.0f), expected(x.size(), 0.0f);
      x[at] = 150;
      x[x.size() - 1 - at] = 150;
      expected[at] = expected[x.size() - 1 - at] = 1;
      CHECK(same_bits(forward(x, n), expected));
    }
  }
}

TEST_CASE("softmax: trailing -inf changes no bit, and -inf has the weight 0") {
  for (int64_t n = 1; n <= 20; ++n) {
    const std::vector<float> x = Draws(3).normals(n, 3);
    const std::vector<float> p = forward(x);
    for (size_t more = 1; more <= 9; ++more) {
      std::vector<float> longer = x;
      longer.resize(x.size() + more, -INFINITY);
      std::vector<float> expected = p;
      expected.resize(x.size() + more, 0.0f);
      CHECK(same_bits(forward(longer), expected));
    }
  }
}

TEST_CASE("softmax: NaN and infinity") {
  const float inf = INFINITY;
  const auto all_nan = [](const std::vector<float>& p) {
    return same_bits(p, std::vector<float>(p.size(), NAN));
  };
  for (size_t n = 1; n <= 34; ++n) {
    CHECK(all_nan(forward(std::vector<float>(n, -inf))));
    CHECK(all_nan(forward(std::vector<float>(n, inf))));
    CHECK(all_nan(forward(std::vector<float>(n, NAN))));
    CHECK(all_nan(forward(std::vector<float>(n, -NAN))));
    for (size_t i = 0; i < n; ++i) {
      for (const float value : {NAN, inf}) {
        for (const float others : {0.5f, -inf, 1e30f}) {
          std::vector<float> x(n, others);
          x[i] = value;
          CHECK(all_nan(forward(x)));
        }
      }
    }
  }
  // A row's trouble stays in its row.
  const std::vector<float> p = forward({0, 0, NAN, 0, 1, 1}, 2);
  CHECK(same_bits(p, {0.5f, 0.5f, NAN, NAN, 0.5f, 0.5f}));
}

TEST_CASE("softmax: exact values") {
  CHECK(same_bits(forward({-1e30f}), {1}));
  CHECK(same_bits(forward({0.0f, -0.0f}), {0.5f, 0.5f}));
  CHECK(same_bits(forward({1e-45f, -1e-40f, 0, 0}), {0.25f, 0.25f, 0.25f, 0.25f}));
  CHECK(same_bits(forward({1e30f, -1e30f, 1e30f}), {0.5f, 0, 0.5f}));
  CHECK(same_bits(forward({3e38f, -3e38f}), {1, 0}));
  const std::vector<float> third = forward({-3, -3, -3});
  for (const float value : third) CHECK(value == 1.0f / 3);
  // Equal logits of any size have exactly equal parts.
  for (const size_t n : {size_t{5}, size_t{10}, size_t{100}, size_t{1000}})
    for (const float x : {0.0f, 0.3f, -7.1f, 123.4f, 1e9f})
      CHECK(
          same_bits(forward(std::vector<float>(n, x)), std::vector<float>(n, 1.0f / static_cast<float>(n))));
  // Weights below the normal floats are rounded once.
  CHECK(forward({0, -100})[1] == static_cast<float>(std::exp(-100.0)));
}

TEST_CASE("softmax: no rows, or rows of no values") {
  softmax_forward({nullptr, {0, 5}}, {nullptr, {0, 5}});
  softmax_forward({nullptr, {5, 0}}, {nullptr, {5, 0}});
  softmax_backward({nullptr, {0, 5}}, {nullptr, {0, 5}}, {nullptr, {0, 5}});
  softmax_backward({nullptr, {5, 0}}, {nullptr, {5, 0}}, {nullptr, {5, 0}});
}

TEST_CASE("softmax: shapes that do not fit are typed errors, and nothing is written") {
  const float x[6] = {};
  float out[6] = {3, 3, 3, 3, 3, 3};
  CHECK_THROWS_AS(softmax_forward({x, {2, 3}}, {out, {3, 2}}), ShapeError);
  CHECK_THROWS_AS(softmax_forward({x, {6}}, {out, {1, 6}}), ShapeError);
  CHECK_THROWS_AS(softmax_forward({x, {}}, {out, {}}), ShapeError);
  CHECK_THROWS_AS(softmax_backward({x, {2, 3}}, {x, {6}}, {out, {2, 3}}), ShapeError);
  CHECK_THROWS_AS(softmax_backward({x, {2, 3}}, {x, {2, 3}}, {out, {6}}), ShapeError);
  for (const float value : out) CHECK(value == 3);
}
