#include <array>
#include <cmath>

#include "experiments/grids.h"
#include "training/trainer.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "scale_in_the_weights";
constexpr const char* kPlaces[] = {"in_formula", "in_queries", "in_queries_corrected", "in_both",
                                   "in_both_corrected"};

double at(const Result& result, const char* name, const char* place) {
  return scalar(result, name, {{"scale_place", place}}).value;
}

struct Settings {
  const char *optimizer, *learning_rate;
  double ratio;  // by which W_Q moves faster where it holds the scale, at d = 64
};
constexpr Settings kSettings[] = {{"adam", "0.001", 8},
                                  {"adamw", "0.001", 8},
                                  {"sgd", "0.3", 64},
                                  {"momentum", "0.1", 64},
                                  {"adafactor", "0.01", 1}};

TEST_CASE("scale_in_the_weights: one function, other trainings; corrected, the same to the last bit") {
  for (const Settings& settings : kSettings) {
    CAPTURE(settings.optimizer);
    const Result result = run(kId, {{"optimizer", settings.optimizer},
                                    {"learning_rate", settings.learning_rate},
                                    {"steps", "12"},
                                    {"seed", "3"}});
    CHECK(result.holds == Holds::kYes);
    CHECK(result.verdict == "same_to_the_bit");
    for (const char* place : kPlaces) {
      CHECK(std::fabs(at(result, "first_loss", place) - at(result, "first_loss", "in_formula")) < 1e-5);
    }
    CHECK(at(result, "loss_apart", "in_queries_corrected") == 0);
    CHECK(at(result, "differing_parameters", "in_queries_corrected") == 0);
    CHECK(at(result, "query_step_ratio", "in_queries") == doctest::Approx(settings.ratio).epsilon(0.02));
    CHECK(at(result, "query_step_ratio", "in_queries_corrected") == 1);
    CHECK(at(result, "query_step_ratio", "in_both") ==
          doctest::Approx(std::sqrt(settings.ratio)).epsilon(0.02));
    CHECK(at(result, "differing_parameters", "in_queries") > 1000);
    CHECK(at(result, "differing_parameters", "in_both_corrected") > 0);  // the fourth root of 64 is rounded
    CHECK(at(result, "loss_apart", "in_both_corrected") < 1e-4);
    const double apart = at(result, "loss_apart", "in_queries");
    CHECK(apart > (settings.ratio == 1 ? 0 : 0.02));
    CHECK((settings.ratio > 1 || apart < 1e-3));
  }
}

TEST_CASE("scale_in_the_weights: 60 steps of Adam are .16 apart, and PyTorch's seeds say much the same" *
          doctest::skip(kSanitized)) {
  const Result result = run(kId);
  CHECK(result.verdict == "same_to_the_bit");
  CHECK(at(result, "loss_apart", "in_queries") > 0.08);
  CHECK(at(result, "loss_apart", "in_queries") < 0.32);
  CHECK(at(result, "loss_apart", "in_queries_corrected") == 0);
}

TEST_CASE("scale_in_the_weights: the fourth root is exact too at d = 16, and 32 has no exact root") {
  const Result sixteen = run(kId, {{"d_k", "16"}, {"steps", "30"}});
  CHECK(at(sixteen, "differing_parameters", "in_queries_corrected") == 0);
  CHECK(at(sixteen, "differing_parameters", "in_both_corrected") == 0);
  CHECK(at(sixteen, "query_step_ratio", "in_queries") == doctest::Approx(4).epsilon(0.02));
  const Result rounded = run(kId, {{"d_k", "32"}, {"steps", "20"}});
  CHECK(rounded.verdict == "same_but_for_rounding");
  CHECK(rounded.holds == Holds::kYes);
  CHECK(at(rounded, "differing_parameters", "in_queries_corrected") > 0);
  CHECK(at(rounded, "loss_apart", "in_queries_corrected") < 1e-5);
  CHECK(at(rounded, "loss_apart", "in_queries") > 0.01);
}

TEST_CASE("scale_in_the_weights: the rate alone is not enough to the bit") {
  const Result adam = run(kId, {{"correction", "rate_only"}, {"steps", "12"}});
  CHECK(adam.holds == Holds::kYes);
  CHECK(adam.verdict == "same_but_for_rounding");
  CHECK(at(adam, "differing_parameters", "in_queries_corrected") > 0);
  CHECK(at(adam, "loss_apart", "in_queries_corrected") < 1e-4);
  const Result adamw = run(
      kId, {{"correction", "rate_only"}, {"optimizer", "adamw"}, {"weight_decay", "0.5"}, {"steps", "12"}});
  CHECK(at(adamw, "loss_apart", "in_queries_corrected") >
        10 * at(adam, "loss_apart", "in_queries_corrected"));
  const Result sgd =
      run(kId, {{"correction", "rate_only"}, {"optimizer", "sgd"}, {"learning_rate", "0.3"}, {"steps", "6"}});
  CHECK(at(sgd, "differing_parameters", "in_queries_corrected") == 0);  // it has nothing else
  const Result grown = run(kId, {{"d_k", "4"}, {"steps", "101"}, {"correction", "rate_only"}});
  CHECK(grown.verdict == "rounding_has_grown");
  CHECK(grown.holds == Holds::kCannotBeJudged);
}

TEST_CASE("scale_in_the_weights: without a correction the corrected trainings are left out") {
  const Result plain = run(kId, {{"correction", "none"}, {"d_k", "16"}, {"steps", "12"}});
  const Result all = run(kId, {{"d_k", "16"}, {"steps", "12"}});
  CHECK(plain.holds == Holds::kYes);
  CHECK(plain.verdict == "faster_in_the_weights");
  const std::vector<Series>& series = figure(plain, "loss_over_steps").series;
  REQUIRE(series.size() == 3);
  for (size_t i = 0; i < series.size(); ++i) {
    const char* place = std::array{"in_formula", "in_queries", "in_both"}[i];
    CHECK(series[i].name == place);
    CHECK(at(plain, "last_loss", place) == at(all, "last_loss", place));
    CHECK(at(plain, "query_step_ratio", place) == at(all, "query_step_ratio", place));
  }
}

TEST_CASE("scale_in_the_weights: the numbers of a trainer asked directly") {
  TrainerConfig config;
  config.task = {"sort", 12, 16};
  config.model.layer.attention.d_model = 16;
  config.model.layer.d_ff = 32;
  config.model.layer.attention.scale = 1.0f;
  config.seed = 4;
  Trainer trainer(config);
  Parameters& parameters = trainer.parameters();
  for (const char* layer : {"layers.0", "layers.1"}) {
    const std::string name = std::string(layer) + ".self_attn.in_proj_weight";
    const View in_proj = parameters.value(parameters.find(name));
    for (int64_t i = 0; i < 16 * 16; ++i) in_proj.data[i] /= 4;
  }
  double loss = 0;
  for (int i = 0; i < 5; ++i) loss = trainer.step().loss;
  const Result result = run(kId, {{"d_k", "16"}, {"steps", "5"}, {"seed", "4"}});
  CHECK(at(result, "last_loss", "in_queries") == loss);
  CHECK(at(result, "token_accuracy", "in_queries") == trainer.evaluate(64).token_accuracy);
  CHECK(figure(result, "loss_over_steps").series[1].y.back() == trainer.evaluate(64).loss);
}

TEST_CASE("scale_in_the_weights: figures") {
  const Result result = run(kId, {{"d_k", "16"}, {"steps", "7"}});
  REQUIRE(result.figures.size() == 3);
  for (const Figure& each : result.figures) {
    REQUIRE(each.series.size() == 5);
    for (size_t i = 0; i < 5; ++i) {
      CHECK(each.series[i].name == kPlaces[i]);
      CHECK(each.series[i].x == std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7});
    }
  }
  CHECK(figure(result, "query_change").series[1].y.front() == 0);
  CHECK(figure(result, "query_change").series[1].y[1] > figure(result, "query_change").series[0].y[1]);
  CHECK(std::isnan(at(result, "steps_to_90", "in_formula")));
}

}  // namespace
}  // namespace sqrtdk::test
