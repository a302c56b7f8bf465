// The backward pass three ways: central differences, <u, J v> = <Jᵀ u, v>, and PyTorch (tests/conformance).
#include <doctest/doctest.h>

#include <cmath>

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
  std::vector<float> p(x.size());
  softmax_forward({x.data(), shape}, {p.data(), shape});
  return p;
}
std::vector<float> backward(const std::vector<float>& p, const std::vector<float>& dp, int64_t n) {
  const Shape shape{static_cast<int64_t>(p.size()) / n, n};
  std::vector<float> dx(p.size(), 7.0f);
  softmax_backward({p.data(), shape}, {dp.data(), shape}, {dx.data(), shape});
  return dx;
}

}  // namespace

TEST_CASE("softmax_backward agrees with central differences") {
  for (const int64_t n : {1, 2, 5, 8, 13}) {
    for (const float spread : {0.5f, 3.0f}) {
      Draws draws(4);
      const std::vector<float> x = draws.normals(3 * n, spread), u = draws.normals(3 * n);
      const std::vector<double> expected = central_differences(
          [n](const std::vector<double>& x) { return reference::softmax(x, static_cast<size_t>(n)); },
          widen(x), widen(u));
      const double tolerance = 1e-9 + 4 * 0x1p-23 * max_abs(widen(u));
      CHECK(compare(backward(forward(x, n), u, n), expected).absolute <= tolerance);
    }
  }
}

TEST_CASE("softmax_backward is the transpose of the derivative") {
  for (const int64_t n : {2, 7, 64, 1000}) {
    Draws draws(5);
    const std::vector<float> x = draws.normals(n, 2), u = draws.normals(n), v = draws.normals(n);
    const std::vector<double> p = reference::softmax(widen(x), static_cast<size_t>(n));
    const std::vector<double> jv = softmax_jacobian_times(p, widen(v), static_cast<size_t>(n));
    const std::vector<double> jtu = widen(backward(forward(x, n), u, n));
    const double size = std::sqrt(dot(widen(u), widen(u)) * dot(widen(v), widen(v))) * max_abs(p);
    CHECK(std::fabs(dot(widen(u), jv) - dot(jtu, widen(v))) <= 4 * 0x1p-23 * size);
  }
}

TEST_CASE("softmax_backward: the gradient of given weights is rounded once") {
  Draws draws(6);
  for (int64_t n = 1; n <= 33; ++n) {
    CAPTURE(n);
    const std::vector<float> p = forward(draws.normals(2 * n, 3), n), dp = draws.normals(2 * n, 10);
    std::vector<double> exact(p.size());
    for (size_t row = 0; row < p.size(); row += static_cast<size_t>(n)) {
      double mean = 0;
      for (size_t i = row; i < row + static_cast<size_t>(n); ++i) mean += static_cast<double>(p[i]) * dp[i];
      for (size_t i = row; i < row + static_cast<size_t>(n); ++i) exact[i] = p[i] * (dp[i] - mean);
    }
    const std::vector<float> dx = backward(p, dp, n);
    CHECK(compare(dx, exact).ulp <= 0.51);
    for (const int64_t shift : {0, 1}) {
      GuardedBuffer p_buffer(p, shift), in_place(dp, shift);
      softmax_backward({p_buffer.data(), {2, n}}, {in_place.data(), {2, n}}, {in_place.data(), {2, n}});
      CHECK(same_bits(in_place.values(), dx));
      CHECK(in_place.intact());
    }
  }
}

TEST_CASE("softmax_backward: NaN and infinity reach the whole row and no other") {
  const std::vector<float> p = {0.25f, 0.75f, 0.5f, 0.5f};
  for (const float value : {NAN, INFINITY, -INFINITY}) {
    const std::vector<float> dx = backward(p, {value, 1, 2, 2}, 2);
    CHECK_FALSE(std::isfinite(dx[0]));
    CHECK_FALSE(std::isfinite(dx[1]));
    CHECK(same_bits({dx[2], dx[3]}, {0, 0}));
  }
  CHECK(std::isnan(backward({NAN, NAN}, {1, 1}, 2)[0]));
  CHECK(backward({1}, {1e30f}, 1)[0] == 0);
}
