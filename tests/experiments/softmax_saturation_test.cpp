#include <cmath>

#include "experiments/run.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "softmax_saturation";
constexpr const char* kAllScales = "none,1/sqrt(d),1/(2*sqrt(d)),1/d";

Labels at(const std::string& d, const std::string& scale) { return {{"d", d}, {"scale", scale}}; }

// PyTorch 1.13 in float64, 20,000 trials, 8 keys.
constexpr Fact kFacts[] = {
    {"1", "none", "softmax_max", 0.302988, 0.00119},
    {"1", "none", "entropy_nats", 1.80235, 0.00241},
    {"8", "none", "softmax_max", 0.649784, 0.00149},
    {"8", "none", "frac_max_gt_0.9", 0.169, 0.00265},
    {"8", "1/sqrt(d)", "softmax_max", 0.35321, 0.000917},
    {"8", "1/sqrt(d)", "effective_keys_exp_entropy", 5.80606, 0.00845},
    {"32", "none", "softmax_max", 0.822451, 0.00131},
    {"32", "none", "entropy_nats", 0.461536, 0.00282},
    {"32", "none", "frac_max_gt_0.99", 0.22525, 0.00295},
    {"32", "1/sqrt(d)", "softmax_max", 0.359824, 0.000858},
    {"128", "none", "effective_keys_exp_entropy", 1.30868, 0.00339},
    {"128", "none", "frac_max_gt_0.99", 0.52045, 0.00353},
    {"128", "1/sqrt(d)", "entropy_nats", 1.72264, 0.00143},
    {"512", "none", "softmax_max", 0.95524, 0.000761},
    {"512", "none", "frac_max_gt_0.9", 0.86275, 0.00243},
    {"512", "none", "frac_max_gt_0.99", 0.7322, 0.00313},
    {"512", "none", "frac_max_gt_0.999", 0.62325, 0.00343},
    {"512", "1/sqrt(d)", "softmax_max", 0.360413, 0.000825},
    {"512", "1/(2*sqrt(d))", "softmax_max", 0.233209, 0.000355},
    {"512", "1/(2*sqrt(d))", "effective_keys_exp_entropy", 7.22273, 0.00286},
    {"512", "1/d", "softmax_max", 0.133015, 2.05e-05},
    {"512", "1/d", "entropy_nats", 2.07859, 3.23e-06},
};

TEST_CASE("softmax_saturation: an independent simulation's figures") {
  const Result result = run(kId, {{"d", "1,8,32,128,512"}, {"scale", kAllScales}, {"trials", "10000"}});
  check_facts(result, kFacts);
  // The smallest weight has a heavy tail: quantiles, here with the 95 % intervals of theirs made wider.
  const Scalar& least = scalar(result, "softmax_min", at("512", "none"));
  CHECK(least.p10 > 0.8e-39);
  CHECK(least.p10 < 6e-39);
  CHECK(least.p50 > 1.7e-28);
  CHECK(least.p50 < 7e-28);
  CHECK(least.p90 > 5e-19);
  CHECK(least.p90 < 2.5e-18);
}

// Rows with a weight above 0.99, unscaled: shares of a million rows of chi times normal, drawn otherwise.
TEST_CASE("softmax_saturation: how many rows are nearly one-hot") {
  struct Share {
    const char *n_keys, *d;
    double expected;
  };
  constexpr Share kShares[] = {{"8", "32", 0.2220},  {"8", "128", 0.5185},  {"8", "512", 0.7346},
                               {"64", "32", 0.0797}, {"64", "128", 0.3341}, {"64", "512", 0.6005}};
  for (const auto& [n_keys, d, expected] : kShares) {
    const Result result = run(kId, {{"d", d}, {"n_keys", n_keys}, {"trials", "5000"}});
    check_within(scalar(result, "frac_max_gt_0.99", at(d, "none")), expected, 0.0005);
    CHECK(scalar(result, "frac_max_gt_0.99", at(d, "1/sqrt(d)")).value < 0.001);
  }
}

TEST_CASE("softmax_saturation: the scores 50, 1, 1, 1") {
  const Result result = run(kId, {{"trials", "100"}});
  const auto example = [&](const char* name, const char* scale) {
    return scalar(result, name, {{"example", "50,1,1,1"}, {"d", "64"}, {"scale", scale}}).value;
  };
  CHECK(example("example_max", "none") == 1);
  CHECK(example("example_min", "none") == doctest::Approx(std::exp(-49)).epsilon(1e-12).scale(0));
  const double others = std::exp(-49.0 / 8);
  CHECK(example("example_max", "1/sqrt(d)") == doctest::Approx(1 / (1 + 3 * others)).epsilon(1e-12));
  CHECK(example("example_min", "1/sqrt(d)") ==
        doctest::Approx(others / (1 + 3 * others)).epsilon(1e-12).scale(0));
}

TEST_CASE("softmax_saturation: the verdict looks at the numbers") {
  CHECK(run(kId).verdict == "unscaled_saturates");
  for (const char* distribution : {"uniform", "rademacher", "student_t"}) {
    for (const char* n_keys : {"2", "64"}) {
      const Result result =
          run(kId,
              {{"distribution", distribution}, {"n_keys", n_keys}, {"d", "1,2,8,64,512"}, {"trials", "300"}});
      CAPTURE(distribution);
      CHECK(result.verdict == "unscaled_saturates");
      CHECK(result.holds == Holds::kYes);
    }
  }
  for (const Text& nothing : {Text{{"scale", "1/d"}}, Text{{"scale", "none"}}, Text{{"n_keys", "1"}}}) {
    CHECK(run(kId, nothing).verdict == "nothing_compared");
    CHECK(run(kId, nothing).holds == Holds::kCannotBeJudged);
  }
  for (const char* d : {"1", "64", "1,2", "4,64"}) {  // one d climbs nowhere
    const Result result = run(kId, {{"d", d}, {"trials", "100"}});
    CHECK(result.verdict == "too_few_d");
    CHECK(result.holds == Holds::kCannotBeJudged);
  }
}

TEST_CASE("softmax_saturation: figures over d, a series per scale") {
  const Result result = run(kId, {{"d", "128,8"}, {"scale", "none,1/sqrt(d),0.25"}, {"trials", "200"}});
  const std::pair<const char*, const char*> names[] = {
      {"max_over_d", "softmax_max"},
      {"entropy_over_d", "entropy_nats"},
      {"effective_keys_over_d", "effective_keys_exp_entropy"},
      {"share_saturated_over_d", "frac_max_gt_0.99"}};
  REQUIRE(result.figures.size() == 4);
  for (size_t i = 0; i < 4; ++i) {
    const Figure& figure = result.figures[i];
    CHECK(figure.name == names[i].first);
    CHECK(std::holds_alternative<LineChart>(figure.kind));
    CHECK(figure.x == "d");
    CHECK(figure.y == names[i].second);
    CHECK(figure.log_x);
    REQUIRE(figure.series.size() == 3);
    CHECK(figure.series[0].role == Role::kUnscaled);
    CHECK(figure.series[1].role == Role::kScaled);
    CHECK(figure.series[2].role == Role::kOther);
    for (const Series& series : figure.series) {
      CHECK(series.x == std::vector<double>{8, 128});
      CHECK(series.y[1] == scalar(result, names[i].second, at("128", series.name)).value);
      CHECK(series.y_se[1] == scalar(result, names[i].second, at("128", series.name)).se);
    }
  }
  CHECK(result.figures[0].y_max == 1);
  CHECK(result.figures[2].y_max == 8);
}

TEST_CASE("softmax_saturation: one d and one trial depend on nothing else in the run") {
  const auto mean = [](const Text& params) {
    return scalar(run(kId, params), "softmax_max", at("32", "none")).value;
  };
  CHECK(mean({{"d", "32"}, {"trials", "300"}}) ==
        mean({{"d", "8,32"}, {"trials", "300"}, {"scale", "1/d,none"}}));
}

}  // namespace
}  // namespace sqrtdk::test
