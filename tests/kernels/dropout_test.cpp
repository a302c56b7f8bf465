#include "kernels/dropout.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "base/errors.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/gradient.h"
#include "tensor/random.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

std::vector<float> dropped(const std::vector<float>& x, float probability, DropoutKey key) {
  const Shape shape{static_cast<int64_t>(x.size())};
  std::vector<float> out(x.size(), 7.0f);
  dropout_forward({x.data(), shape}, probability, key, {out.data(), shape});
  return out;
}

}  // namespace

TEST_CASE("dropout: an element is dropped where its uniform number is less than the probability") {
  const DropoutKey key{0x123456789abcdef0u, 77};
  for (const float probability : {1e-30f, 0.1f, 0.25f, 0.5f, 0.9f, std::nextafter(1.0f, 0.0f)}) {
    const auto scale = static_cast<float>(1 / (1 - static_cast<double>(probability)));
    const std::vector<float> x = Draws(1).normals(1000);
    std::vector<float> u(1000), expected(1000);
    philox_uniform(key.seed, key.stream, 0, u.data(), 1000);
    for (size_t i = 0; i < 1000; ++i) expected[i] = u[i] < probability ? 0.0f : x[i] * scale;
    CHECK(same_bits(dropped(x, probability, key), expected));
  }
}

TEST_CASE("dropout: an element whose uniform number is the probability itself is kept") {
  std::vector<float> u(40);
  philox_uniform(1, 2, 0, u.data(), 40);
  for (size_t i = 0; i < 40; ++i) {
    CHECK(dropped(std::vector<float>(40, 1.0f), u[i], {1, 2})[i] > 0);
    CHECK(dropped(std::vector<float>(40, 1.0f), u[i] + 0x1p-24f, {1, 2})[i] == 0);
  }
}

TEST_CASE("dropout: the same bits for any length, shape and address, and in place") {
  const DropoutKey key{5, 6};
  const std::vector<float> x = Draws(2).normals(120), whole = dropped(x, 0.3f, key);
  for (int64_t n = 0; n <= 120; ++n) {
    for (const int64_t shift : {0, 1, 2, 3}) {
      const std::vector<float> start(x.begin(), x.begin() + n), expected(whole.begin(), whole.begin() + n);
      GuardedBuffer in_place(start, shift), in(start, shift), out(n, 3 - shift);
      dropout_forward({in.data(), {n}}, 0.3f, key, {out.data(), {n}});
      CHECK(same_bits(out.values(), expected));
      dropout_forward({in_place.data(), {1, n}}, 0.3f, key, {in_place.data(), {1, n}});
      CHECK(same_bits(in_place.values(), expected));
      dropout_backward({in.data(), {n, 1}}, 0.3f, key, {out.data(), {n, 1}});
      CHECK(same_bits(out.values(), expected));
      CHECK((in_place.intact() && out.intact()));
    }
  }
}

TEST_CASE("dropout: the share of kept elements, of neighbours and of other keys") {
  constexpr int64_t n = 1 << 20;
  const std::vector<float> ones(n, 1.0f);
  for (const float probability : {0.01f, 0.1f, 0.5f, 0.9f}) {
    const std::vector<float> a = dropped(ones, probability, {1, 2}), b = dropped(ones, probability, {1, 3}),
                             c = dropped(ones, probability, {2, 2});
    double kept = 0, mean = 0, pairs = 0, streams = 0, seeds = 0;
    for (size_t i = 0; i < n; ++i) {
      kept += a[i] != 0, mean += a[i];
      pairs += i > 0 && a[i] != 0 && a[i - 1] != 0;
      streams += a[i] != 0 && b[i] != 0;
      seeds += a[i] != 0 && c[i] != 0;
    }
    const double p = 1 - static_cast<double>(probability), error = std::sqrt(p * (1 - p) / n);
    const double both = p * p, error_both = std::sqrt(both * (1 - both) / n);
    CHECK(std::fabs(kept / n - p) < 4 * error);
    CHECK(std::fabs(mean / n - 1) < 4 * error / p + 1e-7);
    CHECK(std::fabs(pairs / n - both) < 6 * error_both);
    CHECK(std::fabs(streams / n - both) < 4 * error_both);
    CHECK(std::fabs(seeds / n - both) < 4 * error_both);
  }
}

TEST_CASE("dropout of probability 0 changes no bit") {
  const std::vector<float> x = {1, -0.0f, 1e-45f, 3e38f, -INFINITY, NAN, 7};
  CHECK(same_bits(dropped(x, 0, {1, 2}), x));
  std::vector<float> in_place = x;
  dropout_backward({in_place.data(), {7}}, -0.0f, {1, 2}, {in_place.data(), {7}});
  CHECK(same_bits(in_place, x));
}

TEST_CASE("dropout: what is dropped is +0, even NaN and infinity; what is kept is scaled") {
  for (const float value : {NAN, INFINITY, -INFINITY, -0.0f, 1e-45f, 3e38f, -1e30f}) {
    const std::vector<float> out = dropped(std::vector<float>(200, value), 0.5f, {3, 4});
    const std::vector<float> ones = dropped(std::vector<float>(200, 1.0f), 0.5f, {3, 4});
    for (size_t i = 0; i < 200; ++i) CHECK(same_bits({out[i]}, {ones[i] == 0 ? 0.0f : value * 2}));
  }
}

TEST_CASE("dropout_backward: central differences and the transpose") {
  const DropoutKey key{8, 9};
  const float probability = 0.4f;
  Draws draws(3);
  const std::vector<float> x = draws.normals(50), u = draws.normals(50), v = draws.normals(50);
  std::vector<float> uniforms(50), dx(50);
  philox_uniform(key.seed, key.stream, 0, uniforms.data(), 50);
  const auto f = [&](const std::vector<double>& x) {
    std::vector<double> y(50);
    for (size_t i = 0; i < 50; ++i) y[i] = uniforms[i] < probability ? 0 : x[i] / (1.0 - probability);
    return y;
  };
  dropout_backward({u.data(), {50}}, probability, key, {dx.data(), {50}});
  CHECK(compare(dx, central_differences(f, widen(x), widen(u))).absolute <= 1e-6);
  CHECK(compare(dx, f(widen(u))).ulp <= 1.5);
  CHECK(dot(widen(u), f(widen(v))) == doctest::Approx(dot(widen(dx), widen(v))).epsilon(1e-6));
}

TEST_CASE("dropout: what cannot be is refused, and nothing is written") {
  std::vector<float> x(4, 1.0f), out(4, 7.0f);
  for (const float probability : {-0.1f, 1.0f, 2.0f, NAN, INFINITY, -INFINITY}) {
    CHECK_THROWS_AS(dropout_forward({x.data(), {4}}, probability, {1, 2}, {out.data(), {4}}), ValueError);
    CHECK_THROWS_AS(dropout_backward({x.data(), {4}}, probability, {1, 2}, {out.data(), {4}}), ValueError);
  }
  CHECK_THROWS_AS(dropout_forward({x.data(), {4}}, 0.5f, {1, 2}, {out.data(), {2, 2}}), ShapeError);
  CHECK_THROWS_AS(dropout_backward({x.data(), {4}}, 0.5f, {1, 2}, {out.data(), {3}}), ShapeError);
  CHECK(out == std::vector<float>(4, 7.0f));
}
