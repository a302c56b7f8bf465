#include <algorithm>

#include "base/base64.h"
#include "base/errors.h"
#include "experiments/run.h"
#include "training/trainer.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "trained_without";

double measured(const Result& result, const char* name, const char* scale) {
  return scalar(result, name, {{"scale", scale}}).value;
}
double right(const Result& result, const char* scale) { return measured(result, "token_accuracy", scale); }

TEST_CASE("trained_without: a model that sorts loses it without the scale of its training") {
  const Result result = run(kId);
  CHECK(result.holds == Holds::kYes);
  CHECK(result.verdict == "scale_belongs_to_the_weights");
  CHECK(right(result, "1/sqrt(d)") > 0.97);
  CHECK(right(result, "none") < 0.8);
  CHECK(right(result, "1/d") < 0.85);
  CHECK(measured(result, "sequence_accuracy", "1/sqrt(d)") > 0.9);
  CHECK(measured(result, "sequence_accuracy", "none") < 0.25);
  CHECK(measured(result, "loss", "none") > 5 * measured(result, "loss", "1/sqrt(d)"));
  CHECK(result.lines.front().starts_with("scale=1/sqrt(d) (trained with it): "));
  CHECK(result.lines.size() == 4);
}

TEST_CASE(
    "trained_without: a model that was trained with another scale, or none, loses it with the usual one") {
  for (const char* trained_with : {"none", "1/d", "1/(2*sqrt(d))"}) {
    const Result result = run(kId, {{"trained_with", trained_with}, {"d_k", "16"}});
    CAPTURE(trained_with);
    CHECK(result.holds == Holds::kYes);
    CHECK(result.verdict == "scale_belongs_to_the_weights");
    CHECK(right(result, trained_with) > 0.9);
    const bool with_none = trained_with == std::string("none");
    CHECK(right(result, with_none ? "1/sqrt(d)" : "none") < 0.85);
  }
}

TEST_CASE("trained_without: figures") {
  const Result result = run(kId, {{"scale", "none"}, {"d_k", "16"}});
  REQUIRE(result.figures.size() == 3);
  const Figure& over = result.figures[0];
  CHECK(over.name == "accuracy_over_factor");
  const Series& series = over.series.at(0);
  REQUIRE(series.x.size() == 9);
  CHECK(series.x.front() == 1.0 / 16);
  CHECK(series.x[4] == 1);
  CHECK(series.y[4] == right(result, "1/sqrt(d)"));
  CHECK(*std::max_element(series.y.begin(), series.y.end()) < series.y[4] + 0.01);
  CHECK(series.y.front() < series.y[4] - 0.1);
  CHECK(series.y.back() < series.y[4] - 0.1);
  for (const size_t i : {1, 2}) {
    const Grid& grid = result.figures[i].grid();
    CHECK(result.figures[i].name == "trained_weights");
    CHECK(result.figures[i].at == Labels{{"scale", i == 1 ? "1/sqrt(d)" : "none"}});
    REQUIRE(grid.values.size() == 36);
    CHECK(grid.rows.size() == 6);
    for (size_t row = 0; row < 6; ++row) {
      double sum = 0;
      for (size_t j = 0; j < 6; ++j) sum += grid.values[6 * row + j];
      CHECK(sum == doctest::Approx(1).epsilon(1e-6));
    }
  }
  CHECK(result.figures[1].grid().values != result.figures[2].grid().values);
}

TEST_CASE("trained_without: a model that tells a rhyme forgets its words without the scale of its training") {
  const Result result = run(kId, {{"task", "characters"},
                                  {"d_k", "16"},
                                  {"length", "40"},
                                  {"learning_rate", "0.012"},
                                  {"scale", "none,1/sqrt(d)"}});
  CHECK(result.holds == Holds::kYes);
  CHECK(result.verdict == "scale_belongs_to_the_weights");
  CHECK(right(result, "1/sqrt(d)") > 0.9);
  CHECK(right(result, "none") < 0.8);
  REQUIRE(result.lines.size() == 2);
  const std::string &own = result.lines[0], &without = result.lines[1];
  CHECK(own.starts_with("scale=1/sqrt(d) (trained with it): T -> his is the "));  // from the text's beginning
  CHECK(own.size() - own.find("-> ") == 3 + 40);
  CHECK(without.starts_with("scale=none: T -> "));
  CHECK(own.substr(own.find("->")) != without.substr(without.find("->")));
}

TEST_CASE("trained_without: nothing learned, or nothing to compare with") {
  const Result early = run(kId, {{"steps", "5"}});
  CHECK(early.verdict == "not_learnt");
  CHECK(early.holds == Holds::kCannotBeJudged);
  CHECK(run(kId, {{"scale", "1/sqrt(d)"}, {"steps", "5"}}).verdict == "no_other_scale");
  CHECK(run(kId, {{"scale", "0.2"}, {"steps", "5"}}).verdict == "no_other_scale");  // 0.177 is its own
}

TEST_CASE("trained_without: our trainer's checkpoint, with the scale that stands in it") {
  TrainerConfig config;
  config.task = {"reverse", 4, 5};
  config.model.layer.attention.d_model = 16;
  config.model.layer.attention.n_heads = 2;
  config.model.layer.attention.scale = 0.5f;
  config.seed = 3;
  Trainer trainer(config);
  for (int i = 0; i < 30; ++i) trainer.step();
  const Result result = run(kId, {{"checkpoint", encode_base64(trainer.save())}, {"d_k", "64"}});
  CHECK(measured(result, "token_accuracy", "0.5") == trainer.evaluate(500).token_accuracy);
  CHECK(measured(result, "loss", "none") == trainer.evaluate(500, 1.0f).loss);
  CHECK(measured(result, "loss", "1/d") == trainer.evaluate(500, 1.0f / 8).loss);
  CHECK(result.lines.size() == 5);
  CHECK(result.figures.size() == 6);
  for (const Topology topology : {Topology::kDecoder, Topology::kEncoderDecoder}) {
    TrainerConfig other = config;
    other.topology = topology;
    Trainer fresh(other);
    CHECK(measured(run(kId, {{"checkpoint", encode_base64(fresh.save())}}), "loss", "none") ==
          fresh.evaluate(500, 1.0f).loss);
  }
}

TEST_CASE(
    "trained_without: a checkpoint's own scale follows its heads, and cosine attention's its own rule") {
  TrainerConfig config;
  config.task = {"reverse", 4, 5};
  config.model.layer.attention.d_model = 16;
  config.model.layer.attention.d_head = 64;
  for (const bool cosine : {false, true}) {
    config.model.layer.attention.cosine = cosine;
    Trainer trainer(config);
    CHECK(trainer.first_scale() == (cosine ? 8.0f : 0.125f));
    const Result result = run(kId, {{"checkpoint", encode_base64(trainer.save())}});
    const char* own = cosine ? "8" : "1/sqrt(d)";
    CHECK(measured(result, "loss", own) == trainer.evaluate(500).loss);
    CHECK(measured(result, "loss", "1/d") == trainer.evaluate(500, 1.0f / 64).loss);
  }
  config.model.layer.attention.learned_scale = true;
  CHECK_THROWS_AS(run(kId, {{"checkpoint", encode_base64(Trainer(config).save())}}), FormatError);
}

TEST_CASE("trained_without: a model that attends evenly at any scale is no evidence") {
  TrainerConfig config;
  config.task = {"copy", 4, 5};
  config.model.n_layers = 1;
  config.model.layer.attention.d_model = 16;
  config.optimizer.learning_rate = 0.01;
  Trainer trainer(config);
  for (int i = 0; i < 150; ++i) trainer.step();
  Parameters& parameters = trainer.parameters();
  const View projection = parameters.value(parameters.find("layers.0.self_attn.in_proj_weight"));
  std::fill_n(projection.data, 16 * 16, 0.0f);  // of the queries
  const View bias = parameters.value(parameters.find("layers.0.self_attn.in_proj_bias"));
  std::fill_n(bias.data, 16, 0.0f);
  const Result result = run(kId, {{"checkpoint", encode_base64(trainer.save())}});
  CHECK(right(result, "1/sqrt(d)") >= 0.8);
  CHECK(right(result, "none") == right(result, "1/sqrt(d)"));
  CHECK(result.verdict == "scale_makes_no_difference");
  CHECK(result.holds == Holds::kNo);
}

}  // namespace
}  // namespace sqrtdk::test
