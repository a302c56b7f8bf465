#include "layers/rotary_positions.h"

#include <doctest/doctest.h>

#include "base/errors.h"
#include "reference/buffers.h"
#include "reference/compare.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

std::vector<float> turned(const RotaryPositions& rotary, std::vector<float> x, const Shape& shape,
                          int64_t first, Cache& cache, bool back = false) {
  const View view(x.data(), shape);
  if (back) {
    rotary.backward(view, first, cache);
  } else {
    rotary.forward(view, first, cache);
  }
  return x;
}

}  // namespace

TEST_CASE("RotaryPositions: the kernel's rotation at any position, with tables that grow") {
  for (const RotaryPairs pairs : {RotaryPairs::kHalves, RotaryPairs::kInterleaved}) {
    const RotaryPositions rotary(500, 6, pairs);
    Cache cache;
    for (const int64_t first : {3, 0, 40, 41, 7}) {
      const std::vector<float> x = Draws(1).normals(2 * 5 * 6);
      Storage tables(2 * 64 * 3), expected(60);
      const View cos(tables.data(), {64, 3}), sin(tables.data() + 64 * 3, {64, 3});
      rotary_table(500, cos, sin);
      const Shape shape{2, 5, 6}, rows{5, 3};
      rotary_forward({x.data(), shape}, {cos.data + first * 3, rows}, {sin.data + first * 3, rows}, {}, pairs,
                     {expected.data(), shape});
      const std::vector<float> y = turned(rotary, x, shape, first, cache);
      CHECK(same_bits(y, {expected.data(), expected.data() + 60}));
      CHECK(compare(turned(rotary, y, shape, first, cache, true), widen(x)).absolute <= 1e-6);
    }
  }
}

TEST_CASE("RotaryPositions: layers share tables of one base and width; others have their own") {
  Cache cache;
  const std::vector<float> x = Draws(1).normals(4 * 8);
  const auto run = [&](double base, const Shape& shape) {
    return turned(RotaryPositions(base, shape[-1], RotaryPairs::kHalves), x, shape, 1, cache);
  };
  const std::vector<float> once = run(10000, {4, 8});
  CHECK(cache.names().size() == 2);
  CHECK(same_bits(run(10000, {4, 8}), once));
  CHECK(cache.names().size() == 2);
  CHECK_FALSE(same_bits(run(10000.5, {4, 8}), once));
  CHECK(cache.names().size() == 4);
  run(10000, {8, 4});
  CHECK(cache.names().size() == 6);
  CHECK(same_bits(run(10000, {4, 8}), once));
}

TEST_CASE("RotaryPositions: positions that are none") {
  Cache cache;
  const RotaryPositions rotary(100, 2, RotaryPairs::kHalves);
  CHECK_THROWS_AS(turned(rotary, {1, 2}, {1, 2}, -1, cache), ValueError);
  CHECK_THROWS_AS(turned(rotary, {1, 2}, {1, 2}, kMaxRotaryPositions, cache), ValueError);
  CHECK_THROWS_AS(turned(rotary, {1, 2}, {1, 2}, INT64_MAX, cache), ValueError);
  CHECK_THROWS_AS(turned(rotary, {1, 2, 3, 4}, {1, 4}, 0, cache), ShapeError);
  CHECK_THROWS_AS(turned(rotary, {1, 2}, {2}, 0, cache), ShapeError);
}
