#include "kernels/reduce.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/errors.h"
#include "kernels/rearrange.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/index.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

std::vector<float> reduced(Reduce what, const std::vector<float>& x, const Shape& shape,
                           std::optional<int64_t> axis, bool keep = false) {
  GuardedBuffer from(x, 1);
  const Shape out = reduce_shape(what, shape, axis, keep);
  GuardedBuffer to(out.size(), 3);
  reduce(what, {from.data(), shape}, axis, {to.data(), out});
  CHECK(to.intact());
  return to.values();
}

// One after the other, as the header says.
double sum_of(const std::vector<float>& x) {
  double sum = 0;
  for (const float value : x) sum += static_cast<double>(value);
  return sum;
}

// The elements that become each element of the result.
std::vector<std::vector<float>> groups(const std::vector<float>& x, const Shape& shape,
                                       std::optional<int64_t> axis) {
  const Shape out = reduce_shape(Reduce::kSum, shape, axis, true);
  std::vector<std::vector<float>> all(static_cast<size_t>(out.size()));
  each_index(shape, [&](const Index& index) {
    Index to = index;
    for (int i = 0; i < shape.rank(); ++i) {
      if (out[i] == 1) to[static_cast<size_t>(i)] = 0;
    }
    all[place_of(out, to)].push_back(x[place_of(shape, index)]);
  });
  return all;
}

void check(const Shape& shape, std::optional<int64_t> axis) {
  CAPTURE(shape.text());
  const std::vector<float> x = Draws(1).normals(shape.size());
  std::vector<float> sums, means;
  for (const std::vector<float>& group : groups(x, shape, axis)) {
    sums.push_back(static_cast<float>(sum_of(group)));
    means.push_back(static_cast<float>(sum_of(group) / static_cast<double>(group.size())));
  }
  for (const bool keep : {false, true}) {
    CHECK(same_bits(reduced(Reduce::kSum, x, shape, axis, keep), sums));
    CHECK(same_bits(reduced(Reduce::kMean, x, shape, axis, keep), means));
  }
}

}  // namespace

TEST_CASE("sum and mean: every length, along rows, along columns and over all") {
  for (int64_t n = 0; n <= 33; ++n) {
    check({n}, 0);
    check({n}, {});
    check({3, n}, 1);
    check({n, 3}, 0);
    check({3, n}, 0);
    check({n, 9}, 0);
    check({2, n, 7}, 1);
  }
}

TEST_CASE("sum and mean: over each dimension of shapes up to six") {
  for (const Shape& shape : {Shape{1}, Shape{2, 3}, Shape{4, 1, 5}, Shape{2, 3, 4, 5},
                             Shape{2, 3, 1, 2, 3, 4}, Shape{5, 0, 3}, Shape{0, 2}}) {
    check(shape, {});
    for (int axis = -shape.rank(); axis < shape.rank(); ++axis) check(shape, axis);
  }
  check({}, {});
}

TEST_CASE("sum and mean: within one rounding of the sums in long double, also where they cancel") {
  std::vector<float> x = Draws(5).normals(10000, 1000);
  for (size_t i = 0; i < 5000; ++i) x[9999 - i] = -x[i] + 1e-3f * static_cast<float>(i % 7);
  long double exact = 0;
  for (const float value : x) exact += static_cast<long double>(value);
  CHECK(error_of(reduced(Reduce::kSum, x, {10000}, 0)[0], static_cast<double>(exact)).ulp <= 0.501);
  CHECK(error_of(reduced(Reduce::kMean, x, {10000}, {})[0], static_cast<double>(exact / 10000)).ulp <= 0.501);
}

TEST_CASE("sum: the same bits along a dimension as along that of the transposed tensor") {
  const Shape shape{37, 70};
  const std::vector<float> x = Draws(2).normals(shape.size(), 100);
  std::vector<float> turned(x.size());
  transpose({x.data(), shape}, {}, {turned.data(), {70, 37}});
  CHECK(same_bits(reduced(Reduce::kSum, x, shape, 0), reduced(Reduce::kSum, turned, {70, 37}, 1)));
  CHECK(same_bits(reduced(Reduce::kSum, x, shape, 1), reduced(Reduce::kSum, turned, {70, 37}, 0)));
}

TEST_CASE("sum and mean: shapes of the results") {
  CHECK(reduce_shape(Reduce::kSum, {2, 3, 4}, {}, false) == Shape{});
  CHECK(reduce_shape(Reduce::kSum, {2, 3, 4}, {}, true) == Shape{1, 1, 1});
  CHECK(reduce_shape(Reduce::kSum, {2, 3, 4}, 1, false) == Shape{2, 4});
  CHECK(reduce_shape(Reduce::kSum, {2, 3, 4}, -1, true) == Shape{2, 3, 1});
}

TEST_CASE("sum and mean: of nothing, NaN, infinities, and what a float cannot hold") {
  const auto one = [](Reduce what, const std::vector<float>& x) {
    return reduced(what, x, {static_cast<int64_t>(x.size())}, {})[0];
  };
  CHECK(one(Reduce::kSum, {}) == 0);
  CHECK(std::isnan(one(Reduce::kMean, {})));
  CHECK(std::isnan(one(Reduce::kSum, {1, NAN, 2})));
  CHECK(one(Reduce::kSum, {1, INFINITY}) == INFINITY);
  CHECK(std::isnan(one(Reduce::kSum, {-INFINITY, INFINITY})));
  CHECK(one(Reduce::kSum, {3e38f, 3e38f}) == INFINITY);
  CHECK(one(Reduce::kMean, {3e38f, 3e38f}) == 3e38f);
  CHECK(one(Reduce::kSum, {3e38f, 3e38f, -3e38f, -3e38f}) == 0);
}

TEST_CASE("sum and mean: no such dimension, and no room, are refused") {
  for (const int64_t axis : {2, -3}) {
    const ValueError error = thrown_by<ValueError>([&] { reduce_shape(Reduce::kMean, {2, 3}, axis, false); });
    CHECK(error.op == "mean");
    CHECK(error.argument == "axis");
    CHECK(error.expected == "-2 .. 1");
  }
  CHECK_THROWS_AS(reduce_shape(Reduce::kSum, {}, 0, false), ValueError);
  std::vector<float> out(6, 7.0f);
  const float x[6] = {};
  CHECK_THROWS_AS(reduce(Reduce::kSum, {x, {2, 3}}, 0, {out.data(), {2}}), ShapeError);
  CHECK_THROWS_AS(reduce(Reduce::kSum, {x, {2, 3}}, 0, {out.data(), {2, 1}}), ShapeError);
  CHECK(out == std::vector<float>(6, 7.0f));
}
