#include <cmath>

#include "base/errors.h"
#include "experiments/grids.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "softmax_jacobian";

Labels at(const std::string& d, const std::string& n_keys, const std::string& scale) {
  return {{"d", d}, {"n_keys", n_keys}, {"scale", scale}};
}

// PyTorch 1.13 in float64, 20,000 trials, 8 keys.
constexpr Fact kFacts[] = {
    {"8", "none", "jacobian_frobenius", 0.3049516, 0.000954},
    {"8", "none", "jacobian_trace", 0.46953926, 0.00165},
    {"8", "1/sqrt(d)", "jacobian_frobenius", 0.362615, 0.000207},
    {"32", "none", "jacobian_frobenius", 0.19963414, 0.00123},
    {"32", "none", "jacobian_trace", 0.24925688, 0.0016},
    {"32", "1/sqrt(d)", "jacobian_frobenius", 0.36483559, 0.000185},
    {"32", "1/sqrt(d)", "jacobian_trace", 0.76761987, 0.000604},
    {"128", "none", "jacobian_frobenius", 0.11150558, 0.00113},
    {"128", "1/sqrt(d)", "jacobian_frobenius", 0.36565207, 0.000171},
    {"128", "1/sqrt(d)", "jacobian_trace", 0.76774906, 0.000571},
    {"512", "none", "jacobian_frobenius", 0.060470908, 0.000917},
    {"512", "none", "jacobian_trace", 0.064064071, 0.000982},
    {"512", "1/sqrt(d)", "jacobian_frobenius", 0.36591981, 0.00017},
    {"512", "1/sqrt(d)", "jacobian_trace", 0.76814436, 0.000563},
    {"512", "1/(2*sqrt(d))", "jacobian_frobenius", 0.34722161, 5.17e-05},
    {"512", "1/(2*sqrt(d))", "jacobian_trace", 0.84725163, 0.000129},
    {"512", "1/d", "jacobian_frobenius", 0.33087997, 6.09e-07},
    {"512", "1/d", "jacobian_trace", 0.87478656, 8.09e-07},
};

TEST_CASE("softmax_jacobian: an independent simulation's figures") {
  const Result result = run(kId, {{"d", "8,32,128,512"},
                                  {"n_keys", "8"},
                                  {"scale", "none,1/sqrt(d),1/(2*sqrt(d)),1/d"},
                                  {"trials", "8000"}});
  check_facts(result, kFacts, {{"n_keys", "8"}});
  // The median at d = 512, with its 95 % interval of theirs made as wide as ours.
  const Scalar& unscaled = scalar(result, "jacobian_frobenius", at("512", "8", "none"));
  CHECK(unscaled.p50 > 0.6e-4);
  CHECK(unscaled.p50 < 1.5e-4);
  CHECK(result.verdict == "jacobian_smaller_unscaled");
}

TEST_CASE("softmax_jacobian: with 64 keys the unscaled one is larger up to d = 64") {
  for (const char* seed : {"0", "1"}) {
    const Result result = run(kId, {{"seed", seed}});
    CAPTURE(seed);
    CHECK(result.holds == Holds::kYes);
    CHECK(result.verdict == "jacobian_depends_on_keys");
    for (const char* d : {"8", "32", "64", "128", "512"}) {
      CAPTURE(d);
      const auto larger = [&](const char* n_keys) {
        const Scalar &unscaled = scalar(result, "jacobian_frobenius", at(d, n_keys, "none")),
                     &scaled = scalar(result, "jacobian_frobenius", at(d, n_keys, "1/sqrt(d)"));
        const double difference = unscaled.value - scaled.value;
        return difference / std::sqrt(unscaled.se * unscaled.se + scaled.se * scaled.se);
      };
      const double width = std::stod(d);
      CHECK(larger("8") < -4);
      if (width <= 32) CHECK(larger("64") > 4);
      if (width == 64) CHECK(larger("64") > 0);
      if (width == 512) CHECK(larger("64") < -4);
    }
  }
  const Result result = run(kId, {{"d", "32"}, {"trials", "8000"}, {"n_keys", "64"}});
  check_within(scalar(result, "jacobian_frobenius", at("32", "64", "none")), 0.259, 0.001);
  check_within(scalar(result, "jacobian_frobenius", at("32", "64", "1/sqrt(d)")), 0.183, 0.0005);
  CHECK(result.verdict == "jacobian_larger_unscaled");
}

TEST_CASE("softmax_jacobian: with respect to q·k, the scaled one carries 1/sqrt(d) and is the smaller") {
  const Result result = run(kId, {{"n_keys", "8"}, {"d", "32,512"}});
  for (const char* d : {"32", "512"}) {
    const Scalar& scaled = scalar(result, "jacobian_frobenius_raw", at(d, "8", "1/sqrt(d)"));
    const double inner = scalar(result, "jacobian_frobenius", at(d, "8", "1/sqrt(d)")).value;
    CHECK(std::fabs(scaled.value / inner * std::sqrt(std::stod(d)) - 1) < 1e-6);
    const Scalar& unscaled = scalar(result, "jacobian_frobenius_raw", at(d, "8", "none"));
    CHECK(unscaled.value == scalar(result, "jacobian_frobenius", at(d, "8", "none")).value);
    CHECK(unscaled.value - 4 * unscaled.se > scaled.value);
  }
}

TEST_CASE("softmax_jacobian: the scores 50, 1, 1, 1") {
  const Result result = run(kId, {{"trials", "100"}, {"d", "8"}});
  const auto example = [&](const char* name, const char* scale) {
    return scalar(result, name, {{"d_k", "64"}, {"scale", scale}}).value;
  };
  const double e = std::exp(-49.0);
  CHECK(std::fabs(example("example_slope", "none") / (3 * e) - 1) < 1e-12);
  // 3e of the diagonal, e of the six beside it, e of the three others: 9 + 6 + 3 squares of e
  CHECK(std::fabs(example("example_frobenius", "none") / (std::sqrt(18.0) * e) - 1) < 1e-12);
  CHECK(example("example_slope_fp32", "none") == 0);
  CHECK(std::fabs(example("example_frobenius_fp32", "none") / (3 * e) - 1) < 1e-5);
  const double other = std::exp(-49.0 / 8), p = 1 / (1 + 3 * other);
  CHECK(example("example_slope", "1/sqrt(d)") == doctest::Approx(p * (1 - p)).epsilon(1e-12));
  CHECK(example("example_slope_fp32", "1/sqrt(d)") == doctest::Approx(p * (1 - p)).epsilon(1e-5));
  CHECK(example("example_frobenius", "1/sqrt(d)") ==
        doctest::Approx(example("example_frobenius_fp32", "1/sqrt(d)")).epsilon(1e-5));
}

TEST_CASE("softmax_jacobian: the map against central differences, rows and columns of which add up to 0") {
  const Text params = {{"scores", "1.5,-2,0.25,0.5,3"}, {"scale", "1"}, {"trials", "100"}, {"d", "8"}};
  const Result result = run(kId, params);
  const Grid& map = grid(result, "jacobian", {{"d_k", "64"}, {"scale", "1"}});
  const Grid scores{.n_rows = 1, .n_cols = 5, .values = {1.5, -2, 0.25, 0.5, 3}};
  double squares = 0;
  for (int64_t k = 0; k < 5; ++k) {
    Grid above = scores, below = scores;
    above.values[static_cast<size_t>(k)] += 1e-6;
    below.values[static_cast<size_t>(k)] -= 1e-6;
    const Grid p = test::row_softmax(above), m = test::row_softmax(below);
    double column = 0, row = 0;
    for (int64_t j = 0; j < 5; ++j) {
      CHECK(std::fabs(cell(map, j, k) - (cell(p, 0, j) - cell(m, 0, j)) / 2e-6) < 1e-9);
      column += cell(map, j, k), row += cell(map, k, j);
      squares += cell(map, j, k) * cell(map, j, k);
    }
    CHECK(std::fabs(column) < 1e-15);
    CHECK(std::fabs(row) < 1e-15);
  }
  const Labels labels = {{"d_k", "64"}, {"scale", "1"}};
  CHECK(scalar(result, "example_frobenius", labels).value == doctest::Approx(std::sqrt(squares)));
}

TEST_CASE("softmax_jacobian: fewer keys are the first of more, and nothing to compare") {
  const auto mean = [](const Text& params) {
    return scalar(run(kId, params), "jacobian_frobenius", at("32", "8", "none")).value;
  };
  CHECK(mean({{"d", "32"}, {"n_keys", "8"}, {"trials", "200"}}) ==
        mean({{"d", "8,32"}, {"n_keys", "64,8"}, {"trials", "200"}}));
  CHECK(run(kId, {{"scale", "none"}, {"trials", "100"}}).verdict == "nothing_compared");
  CHECK(run(kId, {{"n_keys", "1"}, {"trials", "100"}}).verdict == "nothing_compared");
  CHECK(run(kId, {{"d", "1"}, {"trials", "100"}}).verdict == "nothing_compared");
  CHECK(run(kId, {{"d", "1"}, {"trials", "100"}}).holds == Holds::kCannotBeJudged);
  // One key, whose derivative is 0, is not compared, nor are d below 8.
  const Result keys = run(kId, {{"n_keys", "1,8"}, {"trials", "100"}});
  CHECK(keys.verdict == "jacobian_smaller_unscaled");
  CHECK(keys.holds == Holds::kYes);
  const Result dims = run(kId, {{"n_keys", "2,1024"}, {"d", "1,2,4096"}, {"trials", "100"}});
  CHECK(dims.verdict == "jacobian_smaller_unscaled");
  CHECK(dims.holds == Holds::kYes);
  for (const char* scores : {"", "1;2", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"}) {
    CHECK_THROWS_AS(run(kId, {{"scores", scores}}), ValueError);
  }
}

TEST_CASE("softmax_jacobian: figures") {
  const Result result = run(kId, {{"d", "64,8"}, {"n_keys", "16,4"}, {"trials", "200"}});
  REQUIRE(result.figures.size() == 6);
  CHECK(result.figures[0].y_max == 0.25);
  for (const char* n_keys : {"4", "16"}) {
    for (const char* name : {"jacobian_over_d", "jacobian_raw_over_d"}) {
      const Figure& over = figure(result, name, {{"n_keys", n_keys}});
      const bool raw = name == std::string("jacobian_raw_over_d");
      CHECK(over.log_x);
      CHECK(over.log_y == raw);
      REQUIRE(over.series.size() == 2);
      for (const Series& series : over.series) {
        CHECK(series.x == std::vector<double>{8, 64});
        const Scalar& last = scalar(result, raw ? "jacobian_frobenius_raw" : "jacobian_frobenius",
                                    at("64", n_keys, series.name));
        CHECK(series.y[1] == last.value);
        CHECK(series.y_se[1] == last.se);
      }
    }
  }
}

}  // namespace
}  // namespace sqrtdk::test
