#include "layers/positional_encoding.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "base/errors.h"
#include "reference/layer_checks.h"
#include "simd/bits_hash.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

std::vector<float> encoding_of(int64_t n, int64_t d, double base = 10000) {
  std::vector<float> out(static_cast<size_t>(n * d), 7.0f);
  sinusoidal_encoding({out.data(), {n, d}}, base);
  return out;
}

// The formula in the C library's functions.
double exact(int64_t position, int64_t column, int64_t d, double base) {
  const double angle = static_cast<double>(position) /
                       std::pow(base, static_cast<double>(column - column % 2) / static_cast<double>(d));
  return column % 2 == 0 ? std::sin(angle) : std::cos(angle);
}

}  // namespace

TEST_CASE("sinusoidal_encoding agrees with its formula, rounded once") {
  for (const double base : {10000.0, 500000.0, 1.0, 2.5}) {
    for (const auto& [n, d] : {std::array<int64_t, 2>{100, 512}, {5, 1}, {9, 2}, {17, 7}, {1, 6}, {40, 33}}) {
      const std::vector<float> out = encoding_of(n, d, base);
      double worst = 0;
      for (int64_t p = 0; p < n; ++p) {
        for (int64_t j = 0; j < d; ++j) {
          const double expected = exact(p, j, d, base);
          const auto error = error_of(out[static_cast<size_t>(p * d + j)], expected);
          worst = std::max(worst, error.absolute <= 1e-15 ? 0 : error.ulp);
        }
      }
      CHECK(worst <= 0.5001);
    }
  }
}

TEST_CASE("sinusoidal_encoding: position 0, far positions, and none") {
  const std::vector<float> first = encoding_of(1, 6);
  CHECK(first == std::vector<float>{0, 1, 0, 1, 0, 1});
  const int64_t n = int64_t{1} << 20;
  const std::vector<float> far = encoding_of(n, 2);
  CHECK(std::fabs(far[static_cast<size_t>(2 * n - 2)] - std::sin(static_cast<double>(n - 1))) <= 0x1p-24);
  CHECK(std::fabs(far[static_cast<size_t>(2 * n - 1)] - std::cos(static_cast<double>(n - 1))) <= 0x1p-24);
  CHECK(encoding_of(0, 4).empty());
  CHECK(encoding_of(4, 0).empty());
  CHECK_NOTHROW(encoding_of(1 << 20, 0));
  CHECK_NOTHROW(encoding_of(2, 4, 1e300));
}

TEST_CASE("sinusoidal_encoding: what it cannot do is an error") {
  std::vector<float> out(8, 7.0f);
  CHECK_THROWS_AS(sinusoidal_encoding({out.data(), {8}}), ShapeError);
  CHECK_THROWS_AS(sinusoidal_encoding({out.data(), {2, 2, 2}}), ShapeError);
  for (const double base : {0.5, 0.0, -1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    CHECK_THROWS_AS(sinusoidal_encoding({out.data(), {2, 4}}, base), ValueError);
  }
  for (const double outside : {std::nextafter(1, 0), std::nextafter(1e300, 1e301)}) {
    CHECK_THROWS_AS(sinusoidal_encoding({out.data(), {2, 4}}, outside), ValueError);
  }
  CHECK_THROWS_AS(sinusoidal_encoding({out.data(), {(1 << 20) + 1, 4}}), ValueError);
  CHECK(out == std::vector<float>(8, 7.0f));
}

TEST_CASE("add_positions adds the same rows to every batch") {
  for (const int64_t d : {1, 3, 4, 9}) {
    const int64_t n = 5, first = 2;
    const std::vector<float> encoding = encoding_of(n + first + 1, d);
    std::vector<float> x = Draws(1).normals(6 * n * d), before = x;
    add_positions({encoding.data(), {n + first + 1, d}}, first, {x.data(), {2, 3, n, d}});
    for (size_t i = 0; i < x.size(); ++i) {
      CHECK(x[i] == before[i] + encoding[static_cast<size_t>(first * d) + i % static_cast<size_t>(n * d)]);
    }
    std::vector<float> one(before.begin(), before.begin() + n * d);
    add_positions({encoding.data(), {n + first + 1, d}}, first, {one.data(), {n, d}});
    CHECK(same_bits(one, {x.begin(), x.begin() + n * d}));
  }
}

TEST_CASE("add_positions_backward adds the sum over batches to the rows that were used") {
  const int64_t n = 3, d = 5, first = 1, batches = 40;
  const std::vector<float> dx = Draws(1).normals(batches * n * d);
  std::vector<float> dencoding(static_cast<size_t>((n + 2) * d), 1.0f);
  add_positions_backward({dx.data(), {batches, n, d}}, first, {dencoding.data(), {n + 2, d}});
  std::vector<double> expected(dencoding.size(), 1.0);
  for (size_t i = 0; i < dx.size(); ++i) {
    expected[static_cast<size_t>(first * d) + i % static_cast<size_t>(n * d)] += static_cast<double>(dx[i]);
  }
  CHECK(compare(dencoding, expected).absolute <= 40 * 0x1p-24 * max_abs(expected));
  for (size_t j = 0; j < 5; ++j) CHECK((dencoding[j] == 1 && dencoding[20 + j] == 1));
}

TEST_CASE("add_positions: what does not fit is an error, and changes nothing") {
  const std::vector<float> encoding(20, 1.0f);
  std::vector<float> x(40, 3.0f);
  const ConstView table(encoding.data(), {5, 4});
  CHECK_THROWS_AS(add_positions(table, 0, {x.data(), {4, 5}}), ShapeError);
  CHECK_THROWS_AS(add_positions(table, 0, {x.data(), {4}}), ShapeError);
  CHECK_THROWS_AS(add_positions({encoding.data(), {20}}, 0, {x.data(), {2, 4}}), ShapeError);
  CHECK_THROWS_AS(add_positions(table, 0, {x.data(), {6, 4}}), ValueError);
  CHECK_THROWS_AS(add_positions(table, 4, {x.data(), {2, 4}}), ValueError);
  CHECK_THROWS_AS(add_positions(table, -1, {x.data(), {2, 4}}), ValueError);
  CHECK_THROWS_AS(add_positions_backward(table, 3, {x.data(), {7, 4}}), ValueError);
  CHECK(x == std::vector<float>(40, 3.0f));
}

TEST_CASE("sinusoidal_encoding: the same bits on every target") {
  BitsHash hash;
  for (const float value : encoding_of(100, 512)) hash.add(value);
  for (const float value : encoding_of(33, 7, 500000)) hash.add(value);
  CHECK(hash.value() == 0x7ce5593ac121b8f3u);
}
