// Where inf and NaN are born: the figures that show it.
#include <cmath>

#include "experiments/run.h"
#include "lab/heat_map.h"

using namespace sqrtdk;
using namespace sqrtdk::test;

namespace {

const Figure& figure_of(const Result& result, const std::string& name, const Labels& at = {}) {
  for (const Figure& figure : result.figures) {
    if (figure.name == name && (at.empty() || figure.at == at)) return figure;
  }
  FAIL("no figure " << name);
  return result.figures.at(0);
}

}  // namespace

TEST_CASE("a heat map tells a NaN that was computed from a masked score") {
  const float infinity = std::numeric_limits<float>::infinity();
  float numbers[] = {1, -infinity, std::nanf(""), infinity, 2, std::nanf("")};
  const Figure figure = heat_map("scores", {}, {numbers, {2, 3}}, {.x = "key", .y = "query", .z = "score"});
  CHECK(std::isnan(figure.grid().values[1]));
  CHECK(figure.grid().values[3] == HUGE_VAL);
  REQUIRE(figure.series.size() == 1);
  CHECK(figure.series[0].name == "not_a_number");
  CHECK(figure.series[0].x == std::vector<double>{2, 2});
  CHECK(figure.series[0].y == std::vector<double>{0, 1});
  CHECK(heat_map("scores", {}, {numbers, {1, 2}}, {.x = "key", .y = "query", .z = "score"}).series.empty());
}

TEST_CASE("softmax_overflow shows one row in each format: e^50 is infinite in fp16 alone") {
  const Result result = run("softmax_overflow", {{"d", "8"}, {"trials", "100"}});
  const Figure& plain = figure_of(result, "row_in_formats", {{"subtracted", "no"}});
  CHECK(plain.grid().cols == std::vector<std::string>{"50", "1", "1", "1"});
  CHECK(plain.grid().rows ==
        std::vector<std::string>{"fp32 e^s", "fp32 p", "fp16 e^s", "fp16 p", "bf16 e^s", "bf16 p"});
  for (size_t i = 0; i < plain.grid().values.size(); ++i) {
    CHECK(std::isinf(plain.grid().values[i]) == (i == 8));
    CHECK(std::isnan(plain.grid().values[i]) == (i == 12));
  }
  CHECK(plain.series.at(0).x == std::vector<double>{0});
  CHECK(plain.series.at(0).y == std::vector<double>{3});
  const Figure& subtracted = figure_of(result, "row_in_formats", {{"subtracted", "yes"}});
  CHECK(subtracted.series.empty());
  for (const double value : subtracted.grid().values) CHECK((value >= 0 && value <= 1));
}

TEST_CASE("mixed_precision follows a sum to where it leaves fp16, though the whole sum fits") {
  const Result result = run("mixed_precision", {{"d", "512"}, {"trials", "20"}, {"n_keys", "16"}});
  const Figure& figure = figure_of(result, "sum_over_terms");
  const Series &own = figure.series.at(0), &exact = figure.series.at(1), &limit = figure.series.at(2);
  REQUIRE(own.y.size() > 1);
  CHECK(std::isinf(own.y.back()));
  for (size_t i = 0; i + 1 < own.y.size(); ++i) CHECK(std::fabs(own.y[i]) <= 65504);
  CHECK(exact.x.size() == 512);
  CHECK(exact.x.back() == 512);
  CHECK(std::fabs(exact.y.back()) <= 65504);
  CHECK(limit.y.front() == (own.y.back() > 0 ? 65504 : -65504));
  const Result calm = run("mixed_precision", {{"d", "64"}, {"std", "1"}, {"trials", "10"}});
  for (const Figure& other : calm.figures) CHECK(other.name != "sum_over_terms");
}
