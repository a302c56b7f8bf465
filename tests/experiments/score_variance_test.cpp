#include <cmath>

#include "experiments/run.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "score_variance";

Labels at(const std::string& d) { return {{"d", d}}; }
Labels at(const std::string& d, const std::string& scale) { return {{"d", d}, {"scale", scale}}; }

/// Every number whose expectation is known, within 4 standard errors of it.
void check_expected(const Result& result) {
  int checked = 0;
  for (const Scalar& each : result.scalars) {
    if (std::isfinite(each.expected)) {
      check_within(each, each.expected);
      ++checked;
    }
  }
  CHECK(checked > 0);
}

TEST_CASE("score_variance: the variance of q·k is d, and 1 after division by sqrt(d)") {
  const Result result = run(kId, {{"d", "1,32,128,512"}, {"trials", "4000"}});
  for (const std::string d : {"1", "32", "128", "512"}) {
    check_within(scalar(result, "score_mean", at(d)), 0);
    check_within(scalar(result, "score_variance", at(d)), std::stod(d));
    check_within(scalar(result, "logit_variance_per_trial", at(d, "none")), std::stod(d));
    check_within(scalar(result, "logit_variance_per_trial", at(d, "1/sqrt(d)")), 1);
    check_within(scalar(result, "logit_mean_square_per_trial", at(d, "1/d")), 1 / std::stod(d));
  }
  CHECK(result.holds == Holds::kYes);
  CHECK(result.verdict == "variance_is_d");
  check_expected(result);
}

TEST_CASE("score_variance: d sigma_q² sigma_k², not d sigma²") {
  const std::pair<const char*, const char*> sigmas[] = {{"2", "0.5"}, {"3", "2"}};
  for (const auto& [sigma_q, sigma_k] : sigmas) {
    const Result result =
        run(kId, {{"d", "16"}, {"sigma_q", sigma_q}, {"sigma_k", sigma_k}, {"trials", "2000"}});
    const double product = std::stod(sigma_q) * std::stod(sigma_k);
    check_within(scalar(result, "score_variance", at("16")), 16 * product * product);
    check_expected(result);
  }
}

// Excess kurtosis (kappa² - 3) / d: 6/d normal, (81/25 - 3)/d uniform, -2/d Rademacher.
TEST_CASE("score_variance: scores are not exactly normal") {
  const std::pair<const char*, double> expected[] = {{"normal", 6}, {"uniform", 0.24}, {"rademacher", -2}};
  for (const auto& each : expected) {
    const auto [distribution, numerator] = each;
    CAPTURE(each.first);
    const Result result = run(kId, {{"d", "4,16"}, {"distribution", distribution}, {"trials", "40000"}});
    check_within(scalar(result, "score_excess_kurtosis", at("4")), numerator / 4);
    check_within(scalar(result, "score_excess_kurtosis", at("16")), numerator / 16);
    CHECK(result.verdict == "variance_is_d");
    check_expected(result);
  }
  // 0.27 % of N(0, 1) lie beyond 3, and nearly four times as many of the scores of 4 normal components.
  const Result normal = run(kId, {{"d", "4,512"}, {"trials", "20000"}});
  const Scalar& few = scalar(normal, "share_beyond_3_sigma", at("4"));
  CHECK(few.value - 4 * few.se > 3 * 0.0027);
  CHECK(scalar(normal, "share_beyond_3_sigma", at("512")).value < 0.0033);
}

TEST_CASE("score_variance: Student's t with 3 degrees of freedom is visibly not normal") {
  const Result result = run(kId, {{"d", "4,64"}, {"distribution", "student_t"}, {"nu", "3"}});
  CHECK(result.verdict == "kurtosis_is_infinite");
  CHECK(result.holds == Holds::kCannotBeJudged);
  CHECK(run(kId, {{"distribution", "student_t"}, {"nu", "6"}, {"trials", "100"}}).verdict ==
        "tails_too_heavy");
  for (const char* d : {"4", "64"}) {
    CHECK(scalar(result, "score_excess_kurtosis", at(d)).expected == HUGE_VAL);
    CHECK(scalar(result, "score_excess_kurtosis", at(d)).value > 10);
    const Scalar& beyond = scalar(result, "share_beyond_3_sigma", at(d));
    CHECK(beyond.value - 4 * beyond.se > 0.0027);
  }
  // 9 degrees of freedom: kappa = 3 · 7/5, excess (4.2² - 3) / d.
  const Result milder =
      run(kId, {{"d", "16"}, {"distribution", "student_t"}, {"nu", "9"}, {"trials", "40000"}});
  CHECK(scalar(milder, "score_excess_kurtosis", at("16")).expected == doctest::Approx((4.2 * 4.2 - 3) / 16));
  check_within(scalar(milder, "score_variance", at("16")), 16);
}

TEST_CASE("score_variance: correlated q and k have mean rho d and variance d (1 + rho² (kappa - 2))") {
  const std::pair<const char*, double> kappas[] = {{"normal", 3}, {"uniform", 1.8}, {"rademacher", 1}};
  for (const auto& each : kappas) {
    const auto [distribution, kappa] = each;
    CAPTURE(each.first);
    const Result result =
        run(kId, {{"d", "32"}, {"correlation", "0.5"}, {"distribution", distribution}, {"trials", "5000"}});
    check_within(scalar(result, "score_mean", at("32")), 16);
    check_within(scalar(result, "score_variance", at("32")), 32 * (1 + 0.25 * (kappa - 2)));
    CHECK(result.verdict == "variance_as_expected");
    check_expected(result);
  }
}

TEST_CASE("score_variance: means that are not zero give d (1 + 2 mu²), and 2 rho mu² with correlation") {
  const Result means = run(kId, {{"d", "32"}, {"mean", "1.5"}, {"trials", "5000"}});
  check_within(scalar(means, "score_mean", at("32")), 32 * 2.25);
  check_within(scalar(means, "score_variance", at("32")), 32 * (1 + 2 * 2.25));
  // The scores of one trial share q: their own variance is only d (1 + mu²).
  check_within(scalar(means, "logit_variance_per_trial", at("32", "none")), 32 * (1 + 2.25));
  check_expected(means);
  const Result both = run(kId, {{"d", "32"}, {"mean", "1.5"}, {"correlation", "-0.5"}, {"trials", "5000"}});
  check_within(scalar(both, "score_variance", at("32")), 32 * (1 + 0.25 + 2 * 2.25 - 2.25));
  check_expected(both);
  CHECK(both.holds == Holds::kYes);
}

TEST_CASE("score_variance: figures") {
  const Result result = run(kId, {{"d", "64,4,64"}, {"trials", "5000"}});
  REQUIRE(result.figures.size() == 3);
  const Figure& over_d = result.figures[0];
  CHECK(over_d.name == "variance_over_d");
  CHECK(over_d.log_x);
  CHECK(over_d.log_y);
  REQUIRE(over_d.series.size() == 5);  // measured, three scales, d
  for (const Series& series : over_d.series) CHECK(series.x == std::vector<double>{4, 64});
  CHECK(over_d.series[0].y[1] == scalar(result, "score_variance", at("64")).value);
  CHECK(over_d.series[0].y_se[1] == scalar(result, "score_variance", at("64")).se);
  CHECK(over_d.series[1].role == Role::kScaled);
  CHECK(over_d.series[1].y[1] == doctest::Approx(over_d.series[0].y[1] / 64));
  CHECK(over_d.series[4].name == "d");
  CHECK(over_d.series[4].y == std::vector<double>{4, 64});

  const Figure& histogram = result.figures[2];
  CHECK(histogram.name == "score_histogram");
  CHECK(histogram.at == at("64"));
  REQUIRE(histogram.series.size() == 2);
  const Series& measured = histogram.series[0];
  const Series& normal = histogram.series[1];
  CHECK(normal.name == "N(0, d)");
  const double width = measured.x[1] - measured.x[0];
  double inside = 0, above = 0;
  for (size_t i = 0; i < measured.x.size(); ++i) {
    inside += measured.y[i] * width;
    CHECK(normal.y[i] ==
          doctest::Approx(std::exp(-measured.x[i] * measured.x[i] / 128) / std::sqrt(402.1238596594935))
              .scale(0));
    above += std::fabs(measured.y[i] - normal.y[i]) > 4 * measured.y_se[i] + 0.05 * normal.y[i] + 1e-4;
  }
  CHECK(inside == doctest::Approx(1).epsilon(1e-3));
  CHECK(above == 0);
}

TEST_CASE("score_variance: walks are added for who asks, and change nothing else") {
  const Text plain = {{"d", "16,100"}, {"trials", "100"}};
  Text walking = plain;
  walking["walks"] = "3";
  Result with = run(kId, walking);
  REQUIRE(with.figures.size() == 5);
  const Figure& walks = with.figures[4];
  CHECK(walks.name == "score_walks");
  CHECK(walks.at == at("100"));
  REQUIRE(walks.series.size() == 4);
  for (const Series& walk : walks.series) CHECK(walk.x.size() == 65);
  CHECK(with.figures[3].series[0].x.size() == 17);
  with.figures.resize(3);
  CHECK(result_hash(with) == result_hash(run(kId, plain)));
}

TEST_CASE("score_variance: one d, one trial, one key depend on nothing else in the run") {
  const auto mean = [](const Text& params) { return scalar(run(kId, params), "score_mean", at("16")).value; };
  CHECK(mean({{"d", "16"}, {"trials", "500"}}) == mean({{"d", "4,16,64"}, {"trials", "500"}}));
  CHECK(mean({{"d", "16"}, {"trials", "500"}}) != mean({{"d", "16"}, {"trials", "500"}, {"seed", "1"}}));
}

TEST_CASE("score_variance: a single key has no variance within a trial") {
  const Result result = run(kId, {{"d", "16"}, {"n_keys", "1"}, {"trials", "20000"}});
  check_within(scalar(result, "score_variance", at("16")), 16);
  for (const Scalar& each : result.scalars) CHECK(each.name != "logit_variance_per_trial");
}

TEST_CASE("score_variance: standard errors are theory's, not those of a few trials") {
  const Result constant = run(kId, {{"distribution", "rademacher"}, {"d", "1,2,4"}});
  CHECK(constant.holds == Holds::kYes);
  CHECK(constant.verdict == "variance_is_d");
  for (int seed = 0; seed < 200; ++seed) {
    CHECK(
        run(kId, {{"d", "1,4"}, {"n_keys", "1"}, {"trials", "100"}, {"seed", std::to_string(seed)}}).holds ==
        Holds::kYes);
  }
}

TEST_CASE("score_variance: holds for seed after seed, and constants without spread") {
  for (int seed = 0; seed < 40; ++seed) {
    CHECK(run(kId, {{"d", "1,8,64"}, {"trials", "300"}, {"seed", std::to_string(seed)}}).holds ==
          Holds::kYes);
  }
  CHECK(run(kId, {{"d", "8"}, {"sigma_q", "0"}, {"sigma_k", "0"}, {"mean", "3"}, {"trials", "100"}}).holds ==
        Holds::kYes);
  CHECK(
      run(kId, {{"d", "8"}, {"distribution", "rademacher"}, {"correlation", "1"}, {"trials", "100"}}).holds ==
      Holds::kYes);
}

}  // namespace
}  // namespace sqrtdk::test
