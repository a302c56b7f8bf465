#include "base/errors.h"
#include "experiments/grids.h"

namespace sqrtdk::test {
namespace {

TEST_CASE("similarity_measures: only a measured run has times, and the same numbers besides") {
  const Text small = {{"d", "8,64"}, {"trials", "100"}, {"n", "32"}};
  Text measured = small;
  measured.emplace("measured", "yes");
  const Result without = run("similarity_measures", small), with = run("similarity_measures", measured);
  CHECK(!without.timed);
  CHECK(with.timed);
  CHECK(with.holds == Holds::kYes);
  CHECK(with.figures.size() == without.figures.size() + 1);
  REQUIRE(with.scalars.size() > without.scalars.size());
  for (size_t i = 0; i < without.scalars.size(); ++i)
    CHECK(with.scalars[i].value == without.scalars[i].value);
  const Figure& chart = figure(with, "time_over_d", {{"n", "32"}});
  REQUIRE(chart.series.size() == 4);
  for (const Series& series : chart.series) {
    CHECK(series.x == std::vector<double>{8, 64});
    const Labels at = {{"d", "64"}, {"way", series.name}};
    const double time = scalar(with, "milliseconds", at).value;
    CHECK(series.y[1] == time);
    CHECK(time > 0);
    if (series.name == "dot") continue;
    CHECK(scalar(with, "time_of_dot", at).value == doctest::Approx(time / chart.series[0].y[1]));
  }
  CHECK(estimated_work("similarity_measures", measured) > 2e6);
  CHECK_THROWS_AS(run("similarity_measures", {{"measured", "yes"}, {"n", "1025"}}), ValueError);
}

// 1, 1 and 4 (in a browser 12) times the product's on a quiet core.
TEST_CASE(
    "similarity_measures: measures made of one product cost little more than it, differences one by one do" *
    doctest::skip(kSanitized)) {
  const Result result =
      run("similarity_measures",
          {{"measured", "yes"}, {"d", "256"}, {"n", "150"}, {"trials", "100"}, {"rounds", "9"}});
  const auto times = [&](const char* way) {
    return scalar(result, "time_of_dot", {{"d", "256"}, {"way", way}}).value;
  };
  CHECK(times("cosine_similarity") < 3);
  CHECK(times("euclidean") < 3);
  CHECK(times("euclidean_direct") > 1.5);
  CHECK(times("euclidean_direct") > times("euclidean"));
}

}  // namespace
}  // namespace sqrtdk::test
