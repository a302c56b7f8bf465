#include <cmath>

#include "base/errors.h"
#include "experiments/grids.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "cross_modal";

const Labels kScaled = {{"scale", "1/sqrt(d)"}}, kUnscaled = {{"scale", "none"}};

struct Fact {
  const char *name, *scale;
  double mean, se;
};

struct Facts {
  Text params;
  std::vector<Fact> facts;
};

// PyTorch 1.13 in float64, 400 trials of (2, 10, 768) against (2, 49, 768).
const Facts kFacts[] = {
    {{},
     {{"entropy_nats", "1/sqrt(d)", 3.4266, 0.0015},
      {"softmax_max", "1/sqrt(d)", 0.126229, 0.000528},
      {"entropy_nats", "none", 0.137192, 0.00273},
      {"softmax_max", "none", 0.94488, 0.00132}}},
    {{{"mean_text", "1"}},
     {{"entropy_nats", "1/sqrt(d)", 3.02669, 0.00484}, {"entropy_nats", "none", 0.0966213, 0.00248}}},
    {{{"mean_image", "1"}},
     {{"entropy_nats", "1/sqrt(d)", 3.42685, 0.00161}, {"entropy_nats", "none", 0.141223, 0.00274}}},
    {{{"std_image", "4"}},
     {{"entropy_nats", "1/sqrt(d)", 1.22108, 0.00702}, {"softmax_max", "1/sqrt(d)", 0.612559, 0.00252}}},
    {{{"std_text", "2"}, {"std_image", "0.25"}},
     {{"entropy_nats", "1/sqrt(d)", 3.77066, 0.000329}, {"entropy_nats", "none", 0.298603, 0.00407}}},
    {{{"correlation", "0.1"}},
     {{"entropy_nats", "1/sqrt(d)", 3.13507, 0.00444},
      {"partner_weight", "1/sqrt(d)", 0.209797, 0.00174},
      {"partner_weight", "none", 0.687739, 0.00525},
      {"softmax_max", "none", 0.973438, 0.000974}}}};

TEST_CASE("cross_modal: an independent simulation's figures") {
  for (const Facts& facts : kFacts) {
    const Result result = run(kId, facts.params);
    CHECK(result.holds == Holds::kYes);
    for (const Fact& fact : facts.facts) {
      check_within(scalar(result, fact.name, {{"scale", fact.scale}}), fact.mean, fact.se);
    }
  }
  const Result result = run(kId, {{"correlation", "0.1"}});
  check_within(scalar(result, "partner_found", {}), 0.68875, 0.00539);
}

TEST_CASE("cross_modal: a row's variance is d sigma_image² (sigma_text² + mu_text²), scaled without the d") {
  const Text runs[] = {{},
                       {{"mean_text", "2"}, {"std_text", "0.5"}},
                       {{"mean_image", "10"}, {"std_image", "3"}},
                       {{"mean_text", "-1"}, {"mean_image", "5"}, {"std_text", "0"}, {"std_image", "0.1"}},
                       {{"d", "1"}, {"trials", "400"}},
                       {{"d", "17"}, {"n_image", "2"}, {"batch", "1"}, {"n_text", "1"}, {"trials", "2000"}},
                       {{"correlation", "0.3"}, {"d", "64"}, {"std_image", "2"}},
                       {{"correlation", "-1"}, {"d", "32"}, {"mean_text", "1"}}};
  for (const Text& params : runs) {
    const auto number = [&](const char* name, double otherwise) {
      const auto given = params.find(name);
      return given == params.end() ? otherwise : std::stod(given->second);
    };
    const Result result = run(kId, params);
    CHECK(result.holds == Holds::kYes);
    CHECK(result.verdict == "row_variance_as_expected");
    const double d = number("d", 768), mean = number("mean_text", 0), text = number("std_text", 1),
                 image = number("std_image", 1), rho = number("correlation", 0);
    const double expected = d * image * image * (text * text + mean * mean) +
                            d * (d + 1) * rho * rho * text * text * image * image / number("n_image", 49);
    check_within(scalar(result, "logit_variance_per_row", kUnscaled), expected);
    check_within(scalar(result, "logit_variance_per_row", kScaled), expected / d);
    CHECK(scalar(result, "logit_variance_per_row", kScaled).expected == doctest::Approx(expected / d));
  }
}

TEST_CASE("cross_modal: a mean of the image's is the same for every patch, so that softmax does not see it") {
  const Result before = run(kId), after = run(kId, {{"mean_image", "3"}});
  for (const Labels& at : {kScaled, kUnscaled}) {
    CHECK(scalar(after, "entropy_nats", at).value ==
          doctest::Approx(scalar(before, "entropy_nats", at).value).epsilon(1e-4));
  }
  CHECK(scalar(run(kId, {{"mean_text", "3"}}), "entropy_nats", kScaled).value < 2);
}

TEST_CASE("cross_modal: shapes, maps and the sweep over the image's spread") {
  const Result result = run(kId, {{"trials", "20"}});
  CHECK(result.lines == std::vector<std::string>{"torch.Size([2, 10, 49])"});
  const Grid& logits = grid(result, "logits", kUnscaled);
  CHECK(logits.n_rows == 10);
  CHECK(logits.n_cols == 49);
  Grid scaled = logits;
  for (double& x : scaled.values) x /= std::sqrt(768.0);
  CHECK(test::distance(grid(result, "weights", kUnscaled), test::row_softmax(logits)) < 1e-5);
  CHECK(test::distance(grid(result, "weights", kScaled), test::row_softmax(scaled)) < 1e-6);
  const Figure& entropy = test::figure(result, "entropy_over_std");
  REQUIRE(entropy.series.size() == 2);
  CHECK(entropy.y_max == doctest::Approx(std::log(49.0)));
  CHECK(entropy.series[0].x == std::vector<double>{0.25, 0.5, 1, 2, 4});
  CHECK(entropy.series[0].y[2] == scalar(result, "entropy_nats", kScaled).value);
  CHECK(entropy.series[1].y[2] == scalar(result, "entropy_nats", kUnscaled).value);
  CHECK(
      entropy.series[0].y[4] ==
      doctest::Approx(scalar(run(kId, {{"trials", "20"}, {"std_image", "4"}}), "entropy_nats", kScaled).value)
          .epsilon(1e-6));
  const Result batches = run(kId, {{"batch", "3"}, {"n_text", "4"}, {"n_image", "5"}, {"d", "8"}});
  CHECK(batches.lines[0] == "torch.Size([3, 4, 5])");
}

TEST_CASE("cross_modal: partners need patches, long runs can be cancelled") {
  CHECK_THROWS_AS(run(kId, {{"correlation", "0.5"}, {"n_text", "50"}}), ValueError);
  CHECK(run(kId, {{"n_text", "50"}, {"trials", "20"}, {"d", "8"}}).holds == Holds::kYes);
  int calls = 0;
  const auto long_run = [&] {
    run_experiment(kId, {{"trials", "10000"}}, [&](double) { return ++calls < 5; });
  };
  CHECK_THROWS_AS(long_run(), Cancelled);
  CHECK(calls == 5);
}

TEST_CASE("cross_modal: of few components, chance is no evidence against the variance") {
  for (int seed = 0; seed < 60; ++seed) {
    for (const char* correlation : {"0", "1"}) {
      CHECK(run(kId, {{"d", "1"},
                      {"n_text", "1"},
                      {"n_image", "5"},
                      {"batch", "1"},
                      {"trials", "20"},
                      {"correlation", correlation},
                      {"seed", std::to_string(seed)}})
                .holds == Holds::kYes);
    }
  }
}

}  // namespace
}  // namespace sqrtdk::test
