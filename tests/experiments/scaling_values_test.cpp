#include <cmath>

#include "experiments/grids.h"
#include "lab/sampling.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "scaling_values";

Labels at(const char* d, const char* place) { return {{"d", d}, {"divided", place}}; }
double value(const Result& result, const char* name, const char* d, const char* place) {
  return scalar(result, name, at(d, place)).value;
}

TEST_CASE("scaling_values: what is divided after the softmax changes no bit of the weights") {
  const Text runs[] = {{}, {{"n_keys", "64"}, {"seed", "5"}}, {{"d", "2,3,17"}, {"n_keys", "3"}}};
  for (const Text& params : runs) {
    const Result result = run(kId, params);
    CHECK(result.holds == Holds::kYes);
    CHECK(result.verdict == "values_do_not_reach_the_weights");
    for (const Scalar& each : result.scalars) {
      const std::string& place = each.at[1].value;
      const bool after = place == "values" || place == "output";
      if (each.name == "weights_changed") {
        CHECK((each.value == 0) == (after || place == "nowhere"));
        CHECK((each.expected == 0) == after);
      }
      if (each.name == "weights_from_scores") CHECK(each.value < 1e-5);
    }
  }
}

// The largest weights of the reference's simulation, 8 keys: means, shares above 0.99, and their standard
// errors.
TEST_CASE("scaling_values: weights as saturated as without any division") {
  struct Reference {
    const char* d;
    double unscaled, unscaled_se, scaled, scaled_se, share, share_se;
  };
  const Reference all[] = {{"32", 0.822451, 0.0013, 0.359824, 0.00086, 0.22525, 0.003},
                           {"128", 0.912582, 0.001, 0.360969, 0.00083, 0.52045, 0.0035},
                           {"512", 0.95524, 0.00076, 0.360413, 0.00083, 0.7322, 0.0031}};
  const Result result = run(kId, {{"trials", "4000"}});
  for (const auto& [d, unscaled, unscaled_se, scaled, scaled_se, share, share_se] : all) {
    for (const char* place : {"nowhere", "values", "output"}) {
      check_within(scalar(result, "softmax_max", at(d, place)), unscaled, unscaled_se);
      check_within(scalar(result, "frac_max_gt_0.99", at(d, place)), share, share_se);
    }
    for (const char* place : {"scores", "queries"}) {
      check_within(scalar(result, "softmax_max", at(d, place)), scaled, scaled_se);
    }
  }
}

TEST_CASE("scaling_values: output and gradient are divided along, whatever they were") {
  const Result result = run(kId);
  for (const char* d : {"32", "128", "512"}) {
    const double root = std::sqrt(std::stod(d));
    for (const char* place : {"values", "output"}) {
      for (const char* name : {"query_gradient", "output_rms"}) {
        CHECK(value(result, name, d, place) * root ==
              doctest::Approx(value(result, name, d, "nowhere")).epsilon(1e-5));
      }
    }
    CHECK(value(result, "query_gradient", d, "queries") ==
          doctest::Approx(value(result, "query_gradient", d, "scores")).epsilon(1e-4));
  }
  const double typical = scalar(result, "query_gradient", at("512", "scores")).p50;
  CHECK(scalar(result, "query_gradient", at("512", "values")).p50 < typical / 100);
}

// dividing by a power of two rounds nothing
TEST_CASE("scaling_values: at d = 64, divided queries give the very weights of divided scores") {
  const Result result = run(kId, {{"d", "64"}});
  CHECK(value(result, "weights_from_scores", "64", "queries") == 0);
  CHECK(value(result, "query_gradient", "64", "queries") == value(result, "query_gradient", "64", "scores"));
  CHECK(value(result, "output_rms", "64", "values") * 8 == value(result, "output_rms", "64", "nowhere"));
}

TEST_CASE("scaling_values: numbers, recomputed in double from the draws") {
  constexpr int64_t d = 6, n = 4, trials = 100;
  const Result result = run(kId, {{"d", "6"}, {"n_keys", "4"}, {"trials", "100"}, {"seed", "9"}});
  const double root = std::sqrt(6.0);
  const char* places[] = {"nowhere", "scores", "queries", "values", "output"};
  for (size_t which = 0; which < 5; ++which) {
    const double inner = which == 1 || which == 2 ? 1 / root : 1, outer = which >= 3 ? 1 / root : 1;
    double max_mean = 0, rms_mean = 0, dq_mean = 0;
    for (int64_t trial = 0; trial < trials; ++trial) {
      float x[d * (2 + 2 * n)];  // q, k, v, u
      sample_standard({}, 9, uint64_t{6} << 32 | static_cast<uint64_t>(trial), 0, x, d * (2 + 2 * n));
      const auto q = [&](int64_t j) { return static_cast<double>(x[j]); };
      const auto k = [&](int64_t i, int64_t j) { return static_cast<double>(x[d + i * d + j]); };
      const auto v = [&](int64_t i, int64_t j) { return static_cast<double>(x[d + n * d + i * d + j]); };
      const auto u = [&](int64_t j) { return static_cast<double>(x[d + 2 * n * d + j]); };
      double p[n], sum = 0, max = 0, square = 0, dp[n], mean_dp = 0, dq_square = 0;
      for (int64_t i = 0; i < n; ++i) {
        double score = 0;
        for (int64_t j = 0; j < d; ++j) score += q(j) * k(i, j);
        sum += p[i] = std::exp(inner * score);
      }
      for (int64_t i = 0; i < n; ++i) {
        max = std::max(max, p[i] /= sum);
        dp[i] = 0;
        for (int64_t j = 0; j < d; ++j) dp[i] += outer * u(j) * v(i, j);
        mean_dp += p[i] * dp[i];
      }
      for (int64_t j = 0; j < d; ++j) {
        double out = 0, dq = 0;
        for (int64_t i = 0; i < n; ++i) {
          out += outer * p[i] * v(i, j);
          dq += inner * p[i] * (dp[i] - mean_dp) * k(i, j);
        }
        square += out * out / d;
        dq_square += dq * dq;
      }
      max_mean += max / trials, rms_mean += std::sqrt(square) / trials,
          dq_mean += std::sqrt(dq_square) / trials;
    }
    CHECK(value(result, "softmax_max", "6", places[which]) == doctest::Approx(max_mean).epsilon(1e-5));
    CHECK(value(result, "output_rms", "6", places[which]) == doctest::Approx(rms_mean).epsilon(1e-5));
    CHECK(value(result, "query_gradient", "6", places[which]) == doctest::Approx(dq_mean).epsilon(1e-5));
  }
}

TEST_CASE("scaling_values: figures, and nothing to compare at d = 1 or with one key") {
  const Result result = run(kId, {{"d", "4,16"}});
  REQUIRE(result.figures.size() == 5);
  const Figure& lines = figure(result, "query_gradient_over_d");
  REQUIRE(lines.series.size() == 5);
  CHECK(lines.series[3].name == "values");
  CHECK(lines.series[3].x == std::vector<double>{4, 16});
  CHECK(lines.series[3].y[1] == scalar(result, "query_gradient", at("16", "values")).p50);
  const Figure& bars = figure(result, "weights", {{"d", "16"}});
  CHECK(bars.series[0].y == bars.series[3].y);
  CHECK(bars.series[0].y != bars.series[1].y);
  CHECK(run(kId, {{"d", "1"}}).verdict == "scaling_nothing_compared");
  CHECK(run(kId, {{"d", "1"}}).holds == Holds::kCannotBeJudged);
  CHECK(run(kId, {{"n_keys", "1"}}).verdict == "scaling_nothing_compared");
  CHECK(run(kId, {{"n_keys", "100"}, {"d", "4"}, {"trials", "100"}}).figures.size() == 3);
}

}  // namespace
}  // namespace sqrtdk::test
