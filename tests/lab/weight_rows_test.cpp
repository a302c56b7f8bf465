#include "lab/weight_rows.h"

#include <doctest/doctest.h>

#include <cmath>

#include "lab/heat_map.h"

namespace sqrtdk {
namespace {

TEST_CASE("weight_rows: sums, entropies and distances, where a NaN stays") {
  const float weights[] = {0.25f, 0.75f, 1, 0, 0.5f, 0.125f};
  const ConstView view(weights, {1, 3, 2});
  CHECK(row_sums_of(view) == std::vector<double>{1, 1, 0.625});
  CHECK(farthest_from_1({1, 0.625, 1.25}) == 0.375);
  CHECK(farthest_from_1({}) == 0);
  CHECK(std::isnan(farthest_from_1({1, NAN, 0})));
  CHECK(entropy_of(weights + 2, 2) == 0);
  CHECK(entropy_of(weights, 2) ==
        doctest::Approx(-0.25 * std::log(0.25) - 0.75 * std::log(0.75)).epsilon(1e-14));
  const float others[] = {0.25f, 0.5f, 1, 0, 0.5f, 0}, broken[] = {0, NAN, 1, 0, 0, 0};
  CHECK(largest_difference(view, {others, view.shape}) == 0.25);
  CHECK(std::isnan(largest_difference(view, {broken, view.shape})));
}

TEST_CASE("heat_map: the last two dimensions, and what is masked is not there") {
  const float scores[] = {1, -INFINITY, 2, 3};
  const Figure figure = heat_map("scores", {{"step", "2"}}, {scores, {1, 2, 2}},
                                 {.x = "key", .y = "query", .z = "score", .rows = {"a", "b"}});
  REQUIRE(figure.heat_map());
  CHECK(figure.at == Labels{{"step", "2"}});
  CHECK(figure.heat_map()->z == "score");
  CHECK(figure.grid().n_rows == 2);
  CHECK(figure.grid().n_cols == 2);
  CHECK(figure.grid().rows == std::vector<std::string>{"a", "b"});
  CHECK(figure.grid().cols.empty());
  const Figure named = heat_map("scores", {}, {scores, {2, 2}},
                                {.x = "", .y = "", .z = "", .cols = {std::string(100, 'x'), "a\nb"}});
  CHECK(named.grid().cols == std::vector<std::string>{std::string(60, 'x') + "...", "a b"});
  CHECK(figure.grid().values[0] == 1);
  CHECK(std::isnan(figure.grid().values[1]));
  CHECK(figure.grid().values[3] == 3);
  CHECK(figure.series.empty());
}

TEST_CASE("heat_map: tells where a NaN was computed, and where one comes later") {
  const float scores[] = {1, NAN, -INFINITY, 2, 3, NAN};
  Figure figure = heat_map("scores", {}, {scores, {2, 3}}, {.x = "", .y = "", .z = ""});
  mark_not_a_number(figure, 3);
  REQUIRE(figure.series.size() == 1);
  CHECK(figure.series[0].name == "not_a_number");
  CHECK(figure.series[0].x == std::vector<double>{1, 2, 0});
  CHECK(figure.series[0].y == std::vector<double>{0, 1, 1});
}

}  // namespace
}  // namespace sqrtdk
