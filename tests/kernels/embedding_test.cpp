#include "kernels/embedding.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/errors.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/gradient.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

const std::vector<int32_t> kIds = {3, 0, 3, 4, 1, 3};

std::vector<double> looked_up(const std::vector<double>& table, size_t d) {
  std::vector<double> out;
  for (const int32_t id : kIds) {
    for (size_t j = 0; j < d; ++j) out.push_back(table[static_cast<size_t>(id) * d + j]);
  }
  return out;
}

}  // namespace

TEST_CASE("embedding copies rows, and its backward adds to them in order") {
  for (int64_t d = 1; d <= 33; ++d) {
    for (const int64_t shift : {0, 1, 3}) {
      Draws draws(1);
      const std::vector<float> values = draws.normals(5 * d), upstream = draws.normals(6 * d);
      GuardedBuffer table(values, shift), dout(upstream, shift), out(6 * d, shift);
      embedding_forward({table.data(), {5, d}}, {kIds.data(), {2, 3}}, {out.data(), {2, 3, d}});
      CHECK(compare(out.values(), looked_up(widen(values), static_cast<size_t>(d))).absolute == 0);
      CHECK(out.intact());

      std::vector<float> expected = values;
      for (size_t i = 0; i < kIds.size(); ++i) {
        for (size_t j = 0; j < static_cast<size_t>(d); ++j) {
          expected[static_cast<size_t>(kIds[i]) * static_cast<size_t>(d) + j] +=
              upstream[i * static_cast<size_t>(d) + j];
        }
      }
      embedding_backward({kIds.data(), {6}}, {dout.data(), {6, d}}, {table.data(), {5, d}});
      CHECK(same_bits(table.values(), expected));
      CHECK(table.intact());
    }
  }
}

TEST_CASE("embedding_backward: central differences and the transpose") {
  Draws draws(2);
  const std::vector<float> table = draws.normals(5 * 4), u = draws.normals(6 * 4), v = draws.normals(5 * 4);
  std::vector<float> dtable(20, 0.0f);
  embedding_backward({kIds.data(), {6}}, {u.data(), {6, 4}}, {dtable.data(), {5, 4}});
  const auto f = [](const std::vector<double>& table) { return looked_up(table, 4); };
  CHECK(compare(dtable, central_differences(f, widen(table), widen(u))).absolute <= 1e-6);
  CHECK(dot(widen(u), f(widen(v))) == doctest::Approx(dot(widen(dtable), widen(v))).epsilon(1e-6));
}

TEST_CASE("embedding: NaN in a row reaches the places that ask for it") {
  std::vector<float> table = {1, NAN, 3, -0.0f}, out(3);
  const std::vector<int32_t> ids = {3, 0, 1};
  embedding_forward({table.data(), {4, 1}}, {ids.data(), {3}}, {out.data(), {3, 1}});
  CHECK(same_bits(out, {-0.0f, 1, NAN}));
}

TEST_CASE("embedding of nothing") {
  std::vector<float> table(4, 1.0f);
  embedding_forward({table.data(), {2, 2}}, {nullptr, {0}}, {nullptr, {0, 2}});
  embedding_backward({nullptr, {0}}, {nullptr, {0, 2}}, {table.data(), {2, 2}});
  CHECK(table == std::vector<float>(4, 1.0f));
  embedding_forward({table.data(), {2, 0}}, {kIds.data() + 1, {1}}, {nullptr, {1, 0}});
}

TEST_CASE("embedding: ids that are no row, and shapes that do not fit, are refused") {
  std::vector<float> table(10, 1.0f), out(12, 7.0f);
  const auto refuse = [&](std::vector<int32_t> ids) {
    const IndexView view(ids.data(), {3});
    CHECK_THROWS_AS(embedding_forward({table.data(), {5, 2}}, view, {out.data(), {3, 2}}), ValueError);
    CHECK_THROWS_AS(embedding_backward(view, {out.data(), {3, 2}}, {table.data(), {5, 2}}), ValueError);
  };
  refuse({0, 1, 5});
  refuse({0, -1, 2});
  refuse({-1, 1, 2});
  const IndexView ids(kIds.data(), {6});
  CHECK_THROWS_AS(embedding_forward({table.data(), {10}}, ids, {out.data(), {6, 2}}), ShapeError);
  CHECK_THROWS_AS(embedding_forward({table.data(), {5, 2}}, ids, {out.data(), {5, 2}}), ShapeError);
  CHECK_THROWS_AS(embedding_forward({table.data(), {5, 2}}, ids, {out.data(), {12}}), ShapeError);
  CHECK_THROWS_AS(embedding_backward(ids, {out.data(), {6, 2}}, {table.data(), {2, 5}}), ShapeError);
  // Their rows would have a dimension more than a shape can have.
  const IndexView deep(kIds.data(), {1, 1, 1, 1, 1, 6});
  const ShapeError error = thrown_by<ShapeError>([&] {
    embedding_forward({table.data(), {5, 2}}, deep, {out.data(), {1, 1, 1, 1, 6, 2}});
  });
  CHECK(error.op == "embedding");
  CHECK(error.argument == "ids");
  CHECK(error.expected == "at most 5 dimensions");
  CHECK(error.got == "(1, 1, 1, 1, 1, 6)");
  CHECK(table == std::vector<float>(10, 1.0f));
  CHECK(out == std::vector<float>(12, 7.0f));
}
