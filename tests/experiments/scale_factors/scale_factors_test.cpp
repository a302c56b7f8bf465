#include <algorithm>
#include <cmath>

#include "experiments/grids.h"
#include "training/trainer.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "scale_factors";

Labels at(const std::string& d, const std::string& scale) { return {{"d", d}, {"scale", scale}}; }

/// The experiment without its training.
Result draws(Text params) {
  params.insert({"steps", "0"});
  return run(kId, params);
}

// PyTorch 1.13 in float64, 20,000 trials, 8 keys.
constexpr Fact kFacts[] = {
    {"8", "1/sqrt(d)", "effective_keys_exp_entropy", 5.8060607, 0.00845},
    {"8", "1/d", "softmax_max", 0.19660067, 0.000274},
    {"32", "1/(2*sqrt(d))", "effective_keys_exp_entropy", 7.2217263, 0.0032},
    {"32", "1/d", "grad_norm_wrt_q", 0.056418812, 0.000123},
    {"512", "1/sqrt(d)", "effective_keys_exp_entropy", 5.7033021, 0.00711},
    {"512", "1/sqrt(d)", "grad_norm_wrt_q", 0.33647322, 0.00105},
    {"512", "1/(2*sqrt(d))", "effective_keys_exp_entropy", 7.222727, 0.00286},
    {"512", "1/(2*sqrt(d))", "softmax_max", 0.23320933, 0.000355},
    {"512", "1/(2*sqrt(d))", "grad_norm_wrt_q", 0.16452547, 0.000396},
    {"512", "1/d", "effective_keys_exp_entropy", 7.9931772, 2.58e-05},
    {"512", "1/d", "softmax_max", 0.13301486, 2.05e-05},
    {"512", "1/d", "grad_norm_wrt_q", 0.014125092, 2.76e-05},
    {"512", "none", "softmax_max", 0.95524037, 0.000761},
};

TEST_CASE("scale_factors: an independent simulation's figures") {
  const Result result =
      draws({{"scale", "1/sqrt(d),1/(2*sqrt(d)),1/d,none"}, {"trials", "2000"}, {"d", "8,32,512"}});
  check_facts(result, kFacts);
  // entropy / ln 8 of 1/d, and its gradient as a share of the scaled one's
  check_within(scalar(result, "entropy_share", at("512", "1/d")), 2.07859 / std::log(8), 2e-6);
  const double ratio = scalar(result, "grad_norm_wrt_q", at("512", "1/sqrt(d)")).value /
                       scalar(result, "grad_norm_wrt_q", at("512", "1/d")).value;
  CHECK(std::fabs(ratio - 24) < 1);
}

TEST_CASE("scale_factors: only at the power 1/2 the softmax is the same for every d") {
  for (const char* seed : {"0", "1", "2"}) {
    for (const char* n_keys : {"8", "64"}) {
      const Result result = draws({{"seed", seed}, {"n_keys", n_keys}, {"trials", "200"}});
      CAPTURE(seed);
      CAPTURE(n_keys);
      CHECK(result.holds == Holds::kYes);
      CHECK(result.verdict == "only_the_root_is_level");
      const Series& spread = figure(result, "spread_over_power").series[0];
      REQUIRE(spread.x.size() == 9);
      CHECK(spread.x[4] == 0.5);
      CHECK(spread.y[4] < 1.3);
      for (const size_t other : {0, 3, 5, 8}) CHECK(spread.y[other] > spread.y[4] + 0.2);
      CHECK(spread.y.back() > 30);
    }
  }
}

TEST_CASE("scale_factors: a temperature is the same for every d, and a scale times a constant is one") {
  const Result result = draws({{"scale", "1/sqrt(d),1/(2*sqrt(d))"}, {"d", "128,512"}});
  const Figure& temperature = figure(result, "keys_over_temperature");
  CHECK(temperature.log_x);
  for (const Series& series : temperature.series) {
    REQUIRE(series.x.size() == 7);
    CHECK(std::is_sorted(series.y.begin(), series.y.end()));
    CHECK(series.x[4] == 2);
    const std::string d = series.name.substr(2);
    const Scalar& half = scalar(result, "effective_keys_exp_entropy", at(d, "1/(2*sqrt(d))"));
    CHECK(std::fabs(series.y[4] - half.value) < 1e-5);
    CHECK(std::fabs(series.y_se[4] - half.se) < 1e-5);
  }
  for (size_t i = 0; i < 7; ++i) {
    const Series &a = temperature.series[0], &b = temperature.series[1];
    CHECK(std::fabs(a.y[i] - b.y[i]) < 4 * std::hypot(a.y_se[i], b.y_se[i]));
  }
}

TEST_CASE("scale_factors: the mean gradient falls with the power, at every d") {
  const Result result = draws({{"d", "32,512"}});
  const Figure& gradient = figure(result, "gradient_over_power");
  CHECK(gradient.log_y);
  for (const Series& series : gradient.series) {
    CHECK(std::is_sorted(series.y.rbegin(), series.y.rend()));
  }
  const double scaled = scalar(result, "grad_norm_wrt_q", at("512", "1/sqrt(d)")).value;
  CHECK(std::fabs(gradient.series[1].y[4] - scaled) < 1e-5);
}

TEST_CASE("scale_factors: learned scales end below 1/sqrt(d), wherever they begin") {
  const Result result = run(kId, {{"d", "8,32"}, {"trials", "100"}, {"seed", "1"}});
  const auto learned = [&](const char* scale) {  // in units of 1/sqrt(d)
    return scalar(result, "learned_scale", {{"scale", scale}}).value;
  };
  const auto accuracy = [&](const char* scale, const char* how) {
    return scalar(result, "token_accuracy", {{"scale", scale}, {"learned", how}}).value;
  };
  CHECK(learned("none") < 1);
  CHECK(learned("1/sqrt(d)") < 0.5);
  CHECK(learned("1/d") < 0.5);
  CHECK(accuracy("none", "yes") > accuracy("none", "no") + 0.05);
  CHECK(accuracy("1/sqrt(d)", "yes") > accuracy("none", "yes"));
  const Figure& over = figure(result, "learned_scale");
  REQUIRE(over.series.size() == 3);
  CHECK(over.log_y);
  CHECK(std::fabs(over.series[0].y[0] - std::sqrt(32)) < 1e-5);
  CHECK(over.series[1].y[0] == doctest::Approx(1));
  CHECK(std::fabs(over.series[2].y[0] - 1 / std::sqrt(32)) < 1e-6);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(over.series[i].y.back() == learned(over.series[i].name.c_str()));
    CHECK(figure(result, "accuracy_with_learned_scale").series[i].y.back() ==
          accuracy(over.series[i].name.c_str(), "yes"));
  }
  CHECK(over.series[0].role == Role::kUnscaled);
}

TEST_CASE("scale_factors: the learned scale of a trainer asked directly") {
  TrainerConfig config;
  config.task = {"reverse", 8, 16};
  config.model.n_layers = 1;
  config.model.layer.attention.d_model = 16;
  config.model.layer.d_ff = 32;
  config.model.layer.attention.scale = 1;
  config.model.layer.attention.learned_scale = true;
  config.optimizer.learning_rate = 0.01;
  config.batch = 16;
  Trainer trainer(config);
  for (int i = 0; i < 12; ++i) trainer.step();
  const Parameters& parameters = std::as_const(trainer).parameters();
  const double scale = *parameters.value(parameters.find("layers.0.self_attn.scale")).data;
  const Result result = run(kId, {{"task", "reverse"},
                                  {"d_k", "16"},
                                  {"steps", "12"},
                                  {"learning_rate", "0.01"},
                                  {"d", "8"},
                                  {"trials", "100"}});
  CHECK(scalar(result, "learned_scale", {{"scale", "none"}}).value == doctest::Approx(4 * scale));
  CHECK(scalar(result, "token_accuracy", {{"scale", "none"}, {"learned", "yes"}}).value ==
        trainer.evaluate(64).token_accuracy);
}

TEST_CASE("scale_factors: nothing to compare, and figures") {
  for (const Text& params : {Text{{"d", "64"}}, Text{{"d", "4,64"}}, Text{{"n_keys", "1"}}}) {
    const Result result = draws(params);
    CHECK(result.verdict == "factors_nothing_compared");
    CHECK(result.holds == Holds::kCannotBeJudged);
    CHECK(result.figures.size() == 4);
  }
  const Result result = draws({{"d", "32,8"}, {"trials", "100"}});
  const Figure& keys = figure(result, "keys_over_power");
  CHECK(keys.series[0].name == "d=8");
  CHECK(keys.series[1].name == "d=32");
  CHECK(keys.series[0].y_se.size() == 9);
}

}  // namespace
}  // namespace sqrtdk::test
