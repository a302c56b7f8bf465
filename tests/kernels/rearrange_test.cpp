#include "kernels/rearrange.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "base/errors.h"
#include "base/hash.h"
#include "base/text.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/index.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

using Numbers = std::vector<int64_t>;
using Slices = std::vector<Slice>;

const Shape kShapes[] = {{},
                         {1},
                         {7},
                         {0},
                         {3, 5},
                         {4, 8},
                         {9, 17},
                         {1, 6},
                         {6, 1},
                         {5, 0, 3},
                         {2, 3, 4},
                         {3, 1, 5, 2},
                         {2, 9, 8},
                         {8, 2, 13},
                         {33, 2, 4},
                         {2, 1, 3, 1},
                         {2, 3, 2, 2, 3, 4},
                         {1, 1, 1, 1, 1, 1}};

// What run(x, out) leaves in `out`, which lies off any alignment between guarded margins, of x = 0, 1, 2, ..
template <class Run>
std::vector<float> result(const Shape& x, const Shape& out, Run run) {
  GuardedBuffer from(counted(x.size()), 1), to(out.size(), 3);
  run(ConstView(from.data(), x), View(to.data(), out));
  CHECK(to.intact());
  return to.values();
}

void check_transpose(const Shape& x, const Numbers& order, const Numbers& meant) {
  CAPTURE(x.text());
  const Shape out = transpose_shape(x, order);
  REQUIRE(out.rank() == x.rank());
  for (int i = 0; i < x.rank(); ++i) CHECK(out[i] == x[static_cast<int>(meant[static_cast<size_t>(i)])]);
  const std::vector<float> got = result(x, out, [&](ConstView from, View to) { transpose(from, order, to); });
  std::vector<float> expected;
  each_index(out, [&](const Index& index) {
    Index from(index.size());
    for (size_t i = 0; i < index.size(); ++i) from[static_cast<size_t>(meant[i])] = index[i];
    expected.push_back(static_cast<float>(place_of(x, from)));
  });
  CHECK(same_bits(got, expected));
}

std::vector<float> sliced(const Shape& x, const Slices& slices, const Shape& expected) {
  const Shape out = slice_shape(x, slices);
  REQUIRE(out == expected);
  return result(x, out, [&](ConstView from, View to) { slice(from, slices, to); });
}

std::string digits(const std::vector<float>& x) {
  std::vector<std::string> texts;
  for (const float value : x) texts.push_back(shortest(value));
  return joined(texts, ",");
}

ShapeError reshape_error(const Shape& x, const Numbers& dims) {
  return thrown_by<ShapeError>([&] { reshape_shape(x, dims); });
}

void order_refused(const Shape& x, const Numbers& order) {
  const ShapeError error = thrown_by<ShapeError>([&] { transpose_shape(x, order); });
  CHECK(error.op == "transpose");
  CHECK(error.argument == "order");
}

}  // namespace

TEST_CASE("transpose: every order of every shape") {
  for (const Shape& x : kShapes) {
    Numbers order(static_cast<size_t>(x.rank()));
    std::iota(order.begin(), order.end(), 0);
    do {
      if (!order.empty()) check_transpose(x, order, order);
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST_CASE(
    "transpose: without an order the last two dimensions change places; negative ones count from the end") {
  check_transpose({3, 5}, {}, {1, 0});
  check_transpose({2, 3, 4}, {}, {0, 2, 1});
  check_transpose({2, 3, 4}, {-1, 0, -2}, {2, 0, 1});
  check_transpose({}, {}, {});
}

TEST_CASE("transpose: what is no permutation is refused") {
  order_refused({2, 3}, {0});
  order_refused({2, 3}, {0, 0});
  order_refused({2, 3}, {0, -2});
  order_refused({2, 3}, {0, 2});
  order_refused({2, 3}, {0, -3});
  order_refused({2, 3}, {0, 1, 2});
  order_refused({}, {0});
  CHECK(thrown_by<ShapeError>([] { transpose_shape({4}, {}); }).expected == "(.., n, m)");
  std::vector<float> out(6, 7.0f);
  const float x[6] = {};
  CHECK_THROWS_AS(transpose({x, {2, 3}}, {}, {out.data(), {2, 3}}), ShapeError);
  CHECK(out == std::vector<float>(6, 7.0f));
}

TEST_CASE("slice: Python's slices of five elements, 648 of them") {
  Fnv1a all;
  for (const int64_t step : {1, 2, 3, -1, -2, -3, 7, -7}) {
    for (const int start : {99, -9, -5, -2, 0, 1, 4, 5, 9}) {  // 99: none
      for (const int end : {99, -9, -6, -5, -1, 0, 3, 5, 9}) {
        Slice slice{{}, {}, step};
        if (start != 99) slice.start = start;
        if (end != 99) slice.end = end;
        const Slices slices{slice};
        all.add((start == 99 ? "" : std::to_string(start)) + ":" + (end == 99 ? "" : std::to_string(end)) +
                ":" + std::to_string(step) + "=" + digits(sliced({5}, slices, slice_shape({5}, slices))) +
                "\n");
      }
    }
  }
  CHECK(all.value() == 0x1bb57de3b4702333);
}

TEST_CASE("slice: some dimensions, the others whole") {
  CHECK(digits(sliced({3, 4}, {{1, 3}}, {2, 4})) == "4,5,6,7,8,9,10,11");
  CHECK(digits(sliced({3, 4}, {{}, {-2, {}}}, {3, 2})) == "2,3,6,7,10,11");
  CHECK(digits(sliced({3, 4}, {{{}, {}, -1}, {{}, {}, -2}}, {3, 2})) == "11,9,7,5,3,1");
  CHECK(digits(sliced({3, 4}, {{{}, {}, -1}, {{}, {}, -1}}, {3, 4})) == "11,10,9,8,7,6,5,4,3,2,1,0");
  CHECK(digits(sliced({2, 3, 4}, {{1, 2}, {0, 3, 2}, {1, 3}}, {1, 2, 2})) == "13,14,21,22");
  CHECK(digits(sliced({3, 4}, {{2, 2}}, {0, 4})).empty());
  CHECK(digits(sliced({3, 4}, {{}, {9, {}}}, {3, 0})).empty());
  CHECK(digits(sliced({0, 4}, {{0, 5}}, {0, 4})).empty());
  CHECK(digits(sliced({3}, {}, {3})) == "0,1,2");
  CHECK(digits(sliced({}, {}, {})) == "0");
  CHECK(digits(sliced({5}, {{0, 5, INT64_MAX}}, {1})) == "0");
  CHECK(digits(sliced({5}, {{{}, {}, INT64_MIN}}, {1})) == "4");
  CHECK(digits(sliced({5}, {{INT64_MIN, INT64_MAX}}, {5})) == "0,1,2,3,4");
}

TEST_CASE("slice: every tail, with steps in both dimensions") {
  for (int64_t n = 0; n <= 33; ++n) {
    for (const int64_t step : {1, 2, -1, -3}) {
      const Shape x{5, n};
      const Slices slices{{{}, {}, -2}, {{}, {}, step}};
      std::vector<float> expected;
      for (int64_t i = 4; i >= 0; i -= 2) {
        for (int64_t j = step > 0 ? 0 : n - 1; j >= 0 && j < n; j += step) {
          expected.push_back(static_cast<float>(i * n + j));
        }
      }
      const int64_t distance = step > 0 ? step : -step;
      CHECK(same_bits(sliced(x, slices, {3, (n + distance - 1) / distance}), expected));
    }
  }
}

TEST_CASE("slice: too many dimensions and a step of 0 are refused") {
  const ShapeError error = thrown_by<ShapeError>([] { slice_shape({3, 4}, Slices(3)); });
  CHECK(error.op == "slice");
  CHECK(error.expected == "of at least 3 dimensions");
  CHECK(error.got == "(3, 4)");
  CHECK_THROWS_AS(slice_shape({3}, Slices(900)), ShapeError);
  CHECK(thrown_by<ValueError>([] { slice_shape({3}, Slices{{0, 1, 0}}); }).argument == "step");
  std::vector<float> out(3, 7.0f);
  const float x[3] = {};
  CHECK_THROWS_AS(slice({x, {3}}, Slices{{0, 2}}, {out.data(), {3}}), ShapeError);
  CHECK(out == std::vector<float>(3, 7.0f));
}

TEST_CASE("reshape: dimensions of the same size, of which one may be left open") {
  CHECK(reshape_shape({2, 3, 4}, Numbers{4, 6}) == Shape{4, 6});
  CHECK(reshape_shape({2, 3, 4}, Numbers{-1}) == Shape{24});
  CHECK(reshape_shape({2, 3, 4}, Numbers{2, -1, 2}) == Shape{2, 6, 2});
  CHECK(reshape_shape({2, 3, 4}, Numbers{1, 24, -1}) == Shape{1, 24, 1});
  CHECK(reshape_shape({1}, Numbers{}) == Shape{});
  CHECK(reshape_shape({}, Numbers{1, 1, 1, 1, 1, 1}) == Shape{1, 1, 1, 1, 1, 1});
  CHECK(reshape_shape({0, 3}, Numbers{7, 0}) == Shape{7, 0});
  CHECK(reshape_shape({0, 3}, Numbers{3, -1}) == Shape{3, 0});
}

TEST_CASE("reshape: what has another size is refused") {
  const ShapeError error = reshape_error({2, 3}, {4, -1});
  CHECK(error.op == "reshape");
  CHECK(error.argument == "shape");
  CHECK(error.expected == "of 6 elements");
  CHECK(error.got == "(4, -1)");
  for (const Numbers& dims :
       {Numbers{5}, Numbers{-1, -1}, Numbers{-2, -3}, Numbers{}, Numbers{0, -1}, Numbers{1, 1, 1, 1, 1, 1, 6},
        Numbers{int64_t{1} << 60, int64_t{1} << 60}, Numbers{0}, Numbers{6, -6}}) {
    reshape_error({2, 3}, dims);
  }
  reshape_error({0, 3}, {0, -1});
}

TEST_CASE("concat: along every dimension, parts of any size") {
  for (const int64_t axis : {0, 1, 2, -1, -2, -3}) {
    const auto at = static_cast<size_t>(axis < 0 ? axis + 3 : axis);
    std::vector<std::vector<float>> values;
    std::vector<ConstView> list;
    std::vector<Shape> shapes;
    for (const int64_t size : {3, 0, 1, 9}) {
      int64_t dims[] = {2, 5, 4};
      dims[at] = size;
      shapes.emplace_back(dims, 3);
      values.push_back(Draws(static_cast<uint64_t>(size)).normals(shapes.back().size()));
    }
    for (size_t i = 0; i < values.size(); ++i) list.emplace_back(values[i].data(), shapes[i]);
    const Shape out = concat_shape(list, axis);
    CHECK(out[static_cast<int>(at)] == 13);
    GuardedBuffer got(out.size(), 1);
    concat(list, axis, {got.data(), out});
    CHECK(got.intact());
    std::vector<float> expected;
    each_index(out, [&](Index index) {
      size_t part = 0;
      for (; index[at] >= shapes[part][static_cast<int>(at)]; ++part) {
        index[at] -= shapes[part][static_cast<int>(at)];
      }
      expected.push_back(values[part][place_of(shapes[part], index)]);
    });
    CHECK(same_bits(got.values(), expected));
  }
}

TEST_CASE("concat: other shapes, no tensors and no such dimension are refused") {
  const auto shapes = [](std::initializer_list<Shape> list) {
    std::vector<ConstView> views;
    for (const Shape& shape : list) views.emplace_back(nullptr, shape);
    return views;
  };
  const ShapeError error = thrown_by<ShapeError>([&] { concat_shape(shapes({{2, 3}, {4, 2}}), 0); });
  CHECK(error.op == "concat");
  CHECK(error.argument == "list");
  CHECK(error.expected == "(4, 3)");
  CHECK(error.got == "(4, 2)");
  CHECK(thrown_by<ShapeError>([&] { concat_shape(shapes({{2, 3}, {6}}), 0); }).got == "(6,)");
  CHECK(thrown_by<ShapeError>([&] { concat_shape(shapes({{}, {}}), 0); }).expected == "(.., n)");
  CHECK(thrown_by<ValueError>([&] { concat_shape(shapes({{2, 3}}), 2); }).argument == "axis");
  CHECK(thrown_by<ValueError>([&] { concat_shape(shapes({{2, 3}}), -3); }).expected == "-2 .. 1");
  CHECK(thrown_by<ValueError>([&] { concat_shape({}, 0); }).code == ErrorCode::kEmpty);
  std::vector<float> out(6, 7.0f);
  const float x[6] = {};
  const ConstView list[] = {{x, {1, 3}}, {x, {1, 3}}};
  CHECK_THROWS_AS(concat(list, 0, {out.data(), {3, 2}}), ShapeError);
  CHECK(out == std::vector<float>(6, 7.0f));
}
