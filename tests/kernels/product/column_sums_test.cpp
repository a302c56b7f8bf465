#include "kernels/product/column_sums.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/errors.h"
#include "reference/buffers.h"
#include "reference/compare.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

TEST_CASE("add_column_sums: sums in double, rounded once, for every tail and any alignment") {
  for (const int64_t rows : {1, 2, 5, 31, 32, 33, 64, 100}) {
    for (int64_t n = 1; n <= 333; n += n < 33 ? 1 : 300) {
      const std::vector<float> x = Draws(1).normals(rows * n), start = Draws(2).normals(n);
      std::vector<float> expected = start;
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t i = 0; i < rows; ++i) sum += static_cast<double>(x[static_cast<size_t>(i * n + j)]);
        expected[static_cast<size_t>(j)] += static_cast<float>(sum);
      }
      const int64_t shift = n % 4;
      GuardedBuffer from(x, shift), sums(start, shift);
      add_column_sums({from.data(), {rows, n}}, {sums.data(), {n}});
      CHECK(same_bits(sums.values(), expected));
      CHECK((sums.intact() && from.intact()));
    }
  }
}

TEST_CASE("add_column_sums: leading dimensions are rows; no rows or columns add nothing") {
  const std::vector<float> x = Draws(1).normals(24);
  std::vector<float> together(4), flat(4), single(24);
  add_column_sums({x.data(), {2, 3, 4}}, {together.data(), {4}});
  add_column_sums({x.data(), {6, 4}}, {flat.data(), {4}});
  CHECK(same_bits(together, flat));
  add_column_sums({x.data(), {24}}, {single.data(), {24}});
  CHECK(same_bits(single, x));
  add_column_sums({nullptr, {0, 4}}, {flat.data(), {4}});
  add_column_sums({nullptr, {3, 0}}, {nullptr, {0}});
  CHECK(same_bits(together, flat));
}

TEST_CASE("add_column_sums: NaN and infinity stay in their column") {
  std::vector<float> x = Draws(1).normals(40 * 7), clean(7), sums(7);
  add_column_sums({x.data(), {40, 7}}, {clean.data(), {7}});
  x[3 * 7 + 2] = NAN;
  x[35 * 7 + 6] = -INFINITY;
  add_column_sums({x.data(), {40, 7}}, {sums.data(), {7}});
  for (size_t j = 0; j < 7; ++j) {
    CHECK(same_bits({sums[j]}, {j == 2 ? NAN : j == 6 ? -INFINITY : clean[j]}));
  }
}

TEST_CASE("add_column_sums: shapes that do not fit are an error") {
  std::vector<float> sums(6, 7.0f);
  const float x[6] = {};
  CHECK_THROWS_AS(add_column_sums({x, {2, 3}}, {sums.data(), {2}}), ShapeError);
  CHECK_THROWS_AS(add_column_sums({x, {2, 3}}, {sums.data(), {1, 3}}), ShapeError);
  CHECK_THROWS_AS(add_column_sums({x, Shape{}}, {sums.data(), Shape{}}), ShapeError);
  CHECK(sums == std::vector<float>(6, 7.0f));
}
