#include <doctest/doctest.h>

#include <cmath>

#include "base/errors.h"
#include "kernels/softmax.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/gradient.h"
#include "reference/softmax.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

std::vector<float> forward(const std::vector<float>& x, int64_t n) {
  const Shape shape{static_cast<int64_t>(x.size()) / n, n};
  std::vector<float> out(x.size(), 7.0f);
  log_softmax_forward({x.data(), shape}, {out.data(), shape});
  return out;
}
std::vector<float> forward(const std::vector<float>& x) { return forward(x, static_cast<int64_t>(x.size())); }

std::vector<float> backward(const std::vector<float>& y, const std::vector<float>& dy, int64_t n) {
  const Shape shape{static_cast<int64_t>(y.size()) / n, n};
  std::vector<float> dx(y.size(), 7.0f);
  log_softmax_backward({y.data(), shape}, {dy.data(), shape}, {dx.data(), shape});
  return dx;
}

std::vector<double> exact(const std::vector<float>& x, int64_t n) {
  return log_softmax(widen(x), static_cast<size_t>(n));
}

}  // namespace

TEST_CASE("log_softmax: at most 3 ULP of every result, however near 0") {
  Draws draws(1);
  for (const int64_t n : {1, 2, 3, 8, 100, 1000, 65536}) {
    for (const float spread : {0.0f, 1e-6f, 0.1f, 1.0f, 10.0f, 30.0f, 100.0f, 1e4f, 1e30f}) {
      for (const float offset : {0.0f, 207.9f, -208.1f, 1000.0f, -3e4f, 1e30f}) {
        CAPTURE(n);
        CAPTURE(spread);
        CAPTURE(offset);
        std::vector<float> x = draws.normals(n, spread);
        for (float& value : x) value += offset;
        CHECK(compare(forward(x), exact(x, n)).ulp <= 3);
      }
    }
  }
  // One value dominates: its logarithm is -exp(-60).
  CHECK(compare(forward({60, 0}), exact({60, 0}, 2)).ulp <= 3);
  CHECK(forward({60, 0})[0] < 0);
}

TEST_CASE(
    "log_softmax: every length 1..33, unaligned, in place, between guards; a row alone and in a batch") {
  Draws draws(2);
  for (int64_t n = 1; n <= 33; ++n) {
    CAPTURE(n);
    const int64_t rows = 3;
    const std::vector<float> x = draws.normals(rows * n, 5), y = forward(x, n);
    CHECK(compare(y, exact(x, n)).ulp <= 3);
    for (int64_t row = 0; row < rows; ++row) {
      const auto begin = x.begin() + row * n;
      CHECK(same_bits(forward({begin, begin + n}), {y.begin() + row * n, y.begin() + (row + 1) * n}));
    }
    for (const int64_t shift : {0, 1}) {
      GuardedBuffer in_place(x, shift), out(rows * n, shift);
      log_softmax_forward({in_place.data(), {rows, n}}, {out.data(), {rows, n}});
      CHECK(same_bits(in_place.values(), x));
      CHECK(same_bits(out.values(), y));
      log_softmax_forward({in_place.data(), {rows, n}}, {in_place.data(), {rows, n}});
      CHECK(same_bits(in_place.values(), y));
      CHECK(out.intact());
      CHECK(in_place.intact());
    }
  }
}

TEST_CASE("log_softmax: trailing -inf changes no bit, and -inf stays -inf") {
  for (int64_t n = 1; n <= 20; ++n) {
    const std::vector<float> x = Draws(3).normals(n, 3);
    for (size_t more = 1; more <= 9; ++more) {
      std::vector<float> longer = x, expected = forward(x);
      longer.resize(x.size() + more, -INFINITY);
      expected.resize(x.size() + more, -INFINITY);
      CHECK(same_bits(forward(longer), expected));
    }
  }
}

TEST_CASE("log_softmax: NaN where softmax is NaN") {
  const auto all_nan = [](const std::vector<float>& y) {
    return same_bits(y, std::vector<float>(y.size(), NAN));
  };
  for (size_t n = 1; n <= 20; ++n) {
    for (const float value : {NAN, -NAN, INFINITY}) {
      for (const float others : {0.5f, -INFINITY, 1e30f}) {
        for (size_t i = 0; i < n; ++i) {
          std::vector<float> x(n, others);
          x[i] = value;
          CHECK(all_nan(forward(x)));
        }
      }
    }
    CHECK(all_nan(forward(std::vector<float>(n, -INFINITY))));
    CHECK(all_nan(forward(std::vector<float>(n, INFINITY))));
  }
  CHECK(same_bits(forward({0, 0, NAN, 0}, 2), {forward({0, 0})[0], forward({0, 0})[0], NAN, NAN}));
}

TEST_CASE("log_softmax: exact values") {
  CHECK(forward({-1e30f})[0] == 0);
  CHECK(forward({3e38f, -3e38f})[0] == 0);
  const float half = -0.693147180559945f;
  CHECK(same_bits(forward({0.0f, -0.0f}), {half, half}));
  CHECK(same_bits(forward({1e30f, 1e30f}), {half, half}));
  CHECK(same_bits(forward({1e-45f, -1e-40f}), {half, half}));
}

TEST_CASE("log_softmax_backward agrees with central differences and is the transpose of the derivative") {
  for (const int64_t n : {1, 2, 5, 8, 13, 40}) {
    for (const float spread : {0.5f, 3.0f}) {
      CAPTURE(n);
      Draws draws(4);
      const std::vector<float> x = draws.normals(3 * n, spread), u = draws.normals(3 * n),
                               v = draws.normals(3 * n);
      const std::vector<float> dx = backward(forward(x, n), u, n);
      const auto f = [n](const std::vector<double>& x) { return log_softmax(x, static_cast<size_t>(n)); };
      const double tolerance = 1e-9 + 1e-6 * max_abs(widen(u)) * std::sqrt(static_cast<double>(n));
      CHECK(compare(dx, central_differences(f, widen(x), widen(u))).absolute <= tolerance);
      // J v: v minus its mean under softmax.
      const std::vector<double> p = softmax(widen(x), static_cast<size_t>(n));
      std::vector<double> jv = widen(v);
      for (size_t row = 0; row < jv.size(); row += static_cast<size_t>(n)) {
        double mean = 0;
        for (size_t i = row; i < row + static_cast<size_t>(n); ++i) mean += p[i] * v[i];
        for (size_t i = row; i < row + static_cast<size_t>(n); ++i) jv[i] -= mean;
      }
      const std::vector<double> wide_u = widen(u), wide_v = widen(v);
      const double size = std::sqrt(dot(wide_u, wide_u) * dot(wide_v, wide_v));
      CHECK(std::fabs(dot(wide_u, jv) - dot(widen(dx), wide_v)) <= 1e-6 * size);
    }
  }
}

TEST_CASE("log_softmax_backward: every length 1..33, unaligned, in place, between guards; a row alone") {
  Draws draws(5);
  for (int64_t n = 1; n <= 33; ++n) {
    CAPTURE(n);
    const std::vector<float> y = forward(draws.normals(2 * n, 3), n), dy = draws.normals(2 * n, 10);
    std::vector<double> expected(y.size());
    for (size_t row = 0; row < y.size(); row += static_cast<size_t>(n)) {
      double sum = 0;
      for (size_t i = row; i < row + static_cast<size_t>(n); ++i) sum += dy[i];
      for (size_t i = row; i < row + static_cast<size_t>(n); ++i)
        expected[i] = dy[i] - std::exp(double{y[i]}) * sum;
    }
    const std::vector<float> dx = backward(y, dy, n);
    CHECK(compare(dx, expected).absolute <= 2e-7 * 10 * static_cast<double>(n));
    CHECK(same_bits(backward({y.begin(), y.begin() + n}, {dy.begin(), dy.begin() + n}, n),
                    {dx.begin(), dx.begin() + n}));
    for (const int64_t shift : {0, 1}) {
      GuardedBuffer y_buffer(y, shift), in_place(dy, shift);
      log_softmax_backward({y_buffer.data(), {2, n}}, {in_place.data(), {2, n}}, {in_place.data(), {2, n}});
      CHECK(same_bits(in_place.values(), dx));
      CHECK(in_place.intact());
    }
  }
  CHECK(std::isnan(backward({0, -1}, {NAN, 1}, 2)[1]));
  CHECK(backward({0, -INFINITY}, {1, 2}, 2)[1] == 2);
}

TEST_CASE("log_softmax: no rows, rows of no values, and shapes that do not fit") {
  for (const Shape& shape : {Shape{0, 5}, Shape{5, 0}}) {
    log_softmax_forward({nullptr, shape}, {nullptr, shape});
    log_softmax_backward({nullptr, shape}, {nullptr, shape}, {nullptr, shape});
  }
  const float x[6] = {};
  float out[6] = {3, 3, 3, 3, 3, 3};
  CHECK_THROWS_AS(log_softmax_forward({x, {2, 3}}, {out, {3, 2}}), ShapeError);
  CHECK_THROWS_AS(log_softmax_forward({x, {}}, {out, {}}), ShapeError);
  CHECK_THROWS_AS(log_softmax_backward({x, {2, 3}}, {x, {6}}, {out, {2, 3}}), ShapeError);
  CHECK_THROWS_AS(log_softmax_backward({x, {2, 3}}, {x, {2, 3}}, {out, {6}}), ShapeError);
  for (const float value : out) CHECK(value == 3);
}
