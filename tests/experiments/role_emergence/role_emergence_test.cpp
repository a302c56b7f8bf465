#include <cmath>

#include "base/errors.h"
#include "experiments/grids.h"
#include "experiments/role_emergence/coreference_model.h"
#include "reference/thrown_by.h"
#include "training/trainer.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "role_emergence";

Labels at(const char* steps, const char* head, const char* layer = "1") {
  return {{"steps", steps}, {"layer", layer}, {"head", head}};
}
double value(const Result& result, const char* name, const Labels& where) {
  return scalar(result, name, where).value;
}

TEST_CASE("role_emergence: after training, a head looks at the noun that is meant; before, none did") {
  for (const char* seed : {"0", "1", "2", "3"}) {
    CAPTURE(seed);
    const Result result = run(kId, {{"seed", seed}, {"n_heads", "1"}});
    CHECK(result.holds == Holds::kYes);
    CHECK(result.verdict == "roles_emerge");
    CHECK(value(result, "answers_right", {{"steps", "0"}}) < 0.2);
    CHECK(value(result, "answers_right", {{"steps", "120"}}) > 0.9);
    CHECK(value(result, "answers_right_even_weights", {{"steps", "120"}}) < 0.5);
    const double before = value(result, "weight_on_referent", at("0", "1")) -
                          value(result, "weight_on_other_noun", at("0", "1"));
    CHECK(std::fabs(before) < 0.1);
    CHECK(value(result, "weight_on_referent", at("120", "1")) > 0.75);
    CHECK(value(result, "weight_on_other_noun", at("120", "1")) < 0.15);
  }
}

TEST_CASE("role_emergence: in one layer \"it\" prefers neither noun, before training and after") {
  for (const char* seed : {"0", "1", "2"}) {
    const Result result = run(kId, {{"seed", seed}});
    for (const char* head : {"1", "2"}) {
      for (const char* steps : {"0", "120"}) {
        const Scalar& it = scalar(result, "it_prefers_referent", at(steps, head));
        CHECK(it.expected == 0);
        test::check_within(it, 0);
      }
    }
  }
  CHECK(std::isnan(
      scalar(run(kId, {{"n_layers", "2"}, {"steps", "1"}}), "it_prefers_referent", at("1", "2", "2"))
          .expected));
}

TEST_CASE("role_emergence: the key says of what kind a noun is, the value which one it is") {
  for (const char* seed : {"0", "2"}) {
    const Result result = run(kId, {{"seed", seed}, {"n_heads", "1"}});
    const Labels same = {{"replaced_by", "same_kind"}}, other = {{"replaced_by", "other_kind"}};
    CHECK(value(result, "answer_follows", same) > 0.9);
    CHECK(value(result, "answer_follows", other) < 0.3);
    CHECK(value(result, "weight_change", same) > 0.005);
    CHECK(3 * value(result, "weight_change", same) < value(result, "weight_change", other));
  }
}

// One head, so that the trainer itself, its weights in the cache, says what every number should be.
TEST_CASE("role_emergence: numbers and maps are those of the trained model, asked directly") {
  TrainerConfig config;
  config.task.name = "coreference";
  config.model.n_layers = 1;
  config.model.layer.attention.d_model = 16;
  config.model.layer.attention.scale = 0.5f;
  config.optimizer.learning_rate = 0.01;
  config.seed = 9;
  Trainer trainer(config);
  for (int i = 0; i < 30; ++i) trainer.step();
  const Result result = run(kId, {{"seed", "9"},
                                  {"d_model", "16"},
                                  {"n_heads", "1"},
                                  {"trained_with", "1/(2*sqrt(d))"},
                                  {"learning_rate", "0.01"},
                                  {"steps", "30"}});
  // 1/(2√16) is not 0.5: another training.
  CHECK(value(result, "answers_right", {{"steps", "30"}}) != trainer.evaluate(500).token_accuracy);

  config.model.layer.attention.scale = 0.125f;
  Trainer same(config);
  for (int i = 0; i < 30; ++i) same.step();
  CHECK(value(result, "answers_right", {{"steps", "30"}}) ==
        doctest::Approx(same.evaluate(500).token_accuracy).epsilon(1e-12));
  CHECK(value(result, "answers_right_even_weights", {{"steps", "30"}}) ==
        doctest::Approx(same.evaluate(500, 0.0f).token_accuracy).epsilon(1e-12));

  double referent = 0, other = 0, it = 0, kinds = 0, asked = 0;
  for (int64_t i = 0; i < 500; ++i) {
    int32_t words[9], answer = 0;
    same.task().sample(9, stream_of("evaluate"), i, 1, words, &answer);
    same.answer(words, {}, true);
    const float* w = same.cache().at("layers.0.self_attn.weights").data;
    const int64_t place = words[1] == answer ? 1 : 4, rest = 5 - place;
    referent += static_cast<double>(w[8 * 9 + place]) / 500;
    other += static_cast<double>(w[8 * 9 + rest]) / 500;
    it += static_cast<double>(w[6 * 9 + place] - w[6 * 9 + rest]) / 500;
    if (words[8] < 24 || words[8] >= 28) continue;
    asked += 1;
    for (const int64_t noun : {1, 4}) {
      if (words[noun] >= 8 && words[noun] < 16) kinds += static_cast<double>(w[8 * 9 + noun]);
    }
  }
  CHECK(value(result, "weight_on_referent", at("30", "1")) == doctest::Approx(referent).epsilon(1e-6));
  CHECK(value(result, "weight_on_other_noun", at("30", "1")) == doctest::Approx(other).epsilon(1e-6));
  CHECK(std::fabs(value(result, "it_prefers_referent", at("30", "1")) - it) < 1e-7);
  const Grid& by_kind = grid(result, "weight_by_kind", {{"layer", "1"}, {"head", "1"}});
  CHECK(by_kind.rows[7] == "tired …");
  CHECK(by_kind.cols[5] == "cat …");
  CHECK(cell(by_kind, 7, 5) == doctest::Approx(kinds / asked).epsilon(1e-6));

  const int32_t sentence[] = {0, 8, 4, 0, 16, 1, 2, 3, 24};
  same.answer(sentence, {}, true);
  const float* w = same.cache().at("layers.0.self_attn.weights").data;
  const Grid& shown = grid(result, "sentence_weights", at("30", "1"));
  for (size_t i = 0; i < 81; ++i) CHECK(shown.values[i] == static_cast<double>(w[i]));
}

TEST_CASE("role_emergence: figures") {
  const Result result = run(kId, {{"steps", "24"}, {"n_layers", "2"}});
  CHECK(result.figures.size() == 1 + 3 * 4 + 4);
  const Figure& lines = figure(result, "role_emergence");
  REQUIRE(lines.series.size() == 3);
  CHECK(lines.series[0].x == std::vector<double>{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24});
  CHECK(lines.series[0].y.back() == value(result, "answers_right", {{"steps", "24"}}));
  for (const Figure& each : result.figures) {
    if (!each.heat_map()) continue;
    CHECK(each.grid().rows == each.grid().cols);
    for (int64_t row = 0; row < 9; ++row) {
      double sum = 0;
      for (const double x : test::row_of(each.grid(), row)) sum += x;
      CHECK(sum == doctest::Approx(1).epsilon(1e-6));
    }
  }
  CHECK(grid(result, "twin_weights", at("24", "1", "2")).rows[8] == "wide");
  CHECK(grid(result, "sentence_weights", at("0", "1", "2")).rows[8] == "tired");
}

TEST_CASE("role_emergence: a sentence of one's own") {
  const Result result =
      run(kId, {{"sentence", "The River left the Bear, because it was flooded."}, {"n_heads", "1"}});
  REQUIRE(result.lines.size() == 3);
  CHECK(result.lines[1] == "steps=120: the river left the bear because it was flooded -> river");
  CHECK(result.lines[2] == "steps=120: the river left the bear because it was hungry -> bear");
  const Text no_adjective = {{"sentence", "the the the the the the the the it"}, {"steps", "1"}};
  CHECK(run(kId, no_adjective).lines.size() == 2);
  const auto refused = [](const char* sentence, ErrorCode code, const char* got) {
    const ValueError error = thrown_by<ValueError>([&] {
      run(kId, {{"sentence", sentence}, {"steps", "1"}});
    });
    CHECK(error.code == code);
    CHECK(error.argument == "sentence");
    CHECK(error.got == got);
  };
  refused("the cat sat", ErrorCode::kUnsupported, "3 words");
  refused("the cat passed the street because it was green", ErrorCode::kNotAChoice, "green");
}

TEST_CASE("role_emergence: too little training is said to be too little") {
  const Result result = run(kId, {{"steps", "10"}});
  CHECK(result.verdict == "roles_not_learnt");
  CHECK(result.holds == Holds::kCannotBeJudged);
  // Unscaled and 64 wide, the only head finds one kind of noun and not the other.
  CHECK(run(kId, {{"trained_with", "none"}, {"d_model", "64"}, {"n_heads", "1"}}).verdict ==
        "roles_not_learnt");
}

TEST_CASE("coreference_model: kinds are those of the task's words") {
  CHECK(kind_of(0) == 0);
  CHECK(kind_of(7) == 4);
  CHECK(kind_of(8) == 5);
  CHECK(kind_of(31) == 8);
  const std::unique_ptr<Task> task = make_task({.name = "coreference"});
  CHECK(task->text(2) == "it");
  CHECK(task->text(8) == "cat");
  CHECK(task->text(16) == "street");
  CHECK(task->text(24) == "tired");
  CHECK(task->text(28) == "wide");
}

}  // namespace
}  // namespace sqrtdk::test
