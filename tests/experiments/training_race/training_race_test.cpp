#include <algorithm>
#include <cmath>
#include <set>

#include "base/errors.h"
#include "base/text.h"
#include "experiments/run.h"
#include "experiments/training_race/race_rows.h"
#include "reference/thrown_by.h"
#include "training/config_text.h"
#include "training/tasks.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "training_race";

const Scalar& of(const Result& result, const char* name, const char* scale, const char* n_heads = "1") {
  return scalar(result, name, {{"scale", scale}, {"n_heads", n_heads}});
}

const Series& series(const Result& result, const std::string& name, const std::string& scale,
                     const Labels& at = {}) {
  for (const Figure& figure : result.figures) {
    if (figure.name != name || figure.at != at) continue;
    for (const Series& each : figure.series) {
      if (each.name == scale) return each;
    }
  }
  FAIL("no series " << name << " " << scale);
  return result.figures.at(0).series.at(0);
}

// By at least 4 standard errors.
void check_more(const Scalar& more, const Scalar& less) {
  CHECK(more.value - less.value > 4 * std::sqrt(more.se * more.se + less.se * less.se));
}

TEST_CASE("training_race: at d_k = 64, no seed learns without the scale, and every one with it" *
          doctest::skip(kSanitized)) {
  const Result result = run(kId);
  CHECK(result.holds == Holds::kYes);
  CHECK(result.verdict == "race_unscaled_never");
  for (const char* seed : {"0", "1", "2"}) {
    const auto steps = [&](const char* scale) {
      return scalar(result, "steps_to_90", {{"scale", scale}, {"n_heads", "1"}, {"seed", seed}}).value;
    };
    CHECK(std::isnan(steps("none")));
    CHECK(steps("1/sqrt(d)") <= 220);
    CHECK(steps("1/d") < steps("1/sqrt(d)"));  // said of it too: it is the faster one here
  }
  check_more(of(result, "token_accuracy", "1/sqrt(d)"), of(result, "token_accuracy", "none"));
  check_more(of(result, "loss", "none"), of(result, "loss", "1/sqrt(d)"));
  CHECK(of(result, "token_accuracy", "none").value < 0.7);

  for (const char* layer : {"1", "2"}) {
    const auto curve = [&](const char* name, const char* scale) -> const Series& {
      return series(result, name, scale, {{"layer", layer}});
    };
    const Series& saturated = curve("saturated_over_steps", "none");
    CHECK(saturated.y.back() > saturated.y.front());  // a saturated start becomes more saturated
    CHECK(saturated.low.back() > 0.5);
    CHECK(curve("saturated_over_steps", "1/sqrt(d)").high.back() < 0.1);
    CHECK(curve("entropy_over_steps", "1/sqrt(d)").low.back() > 1);
    CHECK(curve("entropy_over_steps", "none").high.back() < 0.3);
    const Series& median = curve("score_gradient_median", "none");
    CHECK(median.high.back() < median.low.front() / 10);  // the typical gradient dies
    CHECK(median.high.back() < curve("score_gradient_mean", "none").low.back() / 100);
    CHECK(curve("score_gradient_median", "1/sqrt(d)").low.back() > 10 * median.high.back());
  }
}

TEST_CASE("training_race: a small start spares the unscaled model most of it") {
  const Text small = {{"init", "normal"}, {"batch", "16"},  {"learning_rate", "0.001"},
                      {"steps", "120"},   {"seeds", "1,2"}, {"scale", "none,1/sqrt(d)"}};
  const Result result = run(kId, small);
  CHECK(of(result, "steps_to_90", "none").value <= 120);
  CHECK(of(result, "steps_to_90", "1/sqrt(d)").value <= 80);
}

TEST_CASE("training_race: its rows are the trainer's records") {
  const Text text = {{"scale", "none,learned,cosine,0.25"},
                     {"n_heads", "2"},
                     {"seeds", "3,5"},
                     {"steps", "5"},
                     {"record_every", "2"},
                     {"examples", "16"}};
  const Result result = run(kId, text);
  const Params params = test::race_params(text);
  const std::vector<Racer> racers = racers_of(params);
  RaceRows rows;
  for (const Racer& racer : racers) {
    rows.emplace_back();
    for (const uint64_t seed : {3, 5}) {
      Trainer trainer(config_of(race_fields(params, racer, seed), kId));
      rows.back().emplace_back();
      for (int step = 0; step < 3; ++step) {
        RunOptions options{2, 16, 32};
        options.on_record = [&](const Record& record) { rows.back().back().push_back(record_row(record)); };
        sqrtdk::run(trainer, 2, options);
      }
      rows.back().back().resize(3);  // steps 0, 2, 4
    }
  }
  CHECK(result_hash(race_result(params, rows)) == result_hash(result));
  CHECK(series(result, "race_loss", "learned").x == std::vector<double>{0, 2, 4});
  std::swap(rows[0], rows[1]);
  CHECK(result_hash(race_result(params, rows)) != result_hash(result));
}

TEST_CASE("training_race: learning rates change on the way, as a trainer's do") {
  Text text = {{"scale", "1/sqrt(d)"}, {"seeds", "3"},    {"steps", "6"},
               {"record_every", "2"},  {"examples", "8"}, {"d_model", "16"}};
  const std::string constant = result_hash(run(kId, text));
  const Params constant_rate = test::race_params(text);
  Trainer trainer(config_of(race_fields(constant_rate, racers_of(constant_rate).front(), 3), kId));
  RaceRows rows(1, {{}});
  RunOptions options{2, 8, 32};
  options.on_record = [&](const Record& record) { rows[0][0].push_back(record_row(record)); };
  sqrtdk::run(trainer, 3, options);
  trainer.set_learning_rate(0.02);
  sqrtdk::run(trainer, 3, options);

  text["rate_changes"] = "3:0.02, 6:1";  // the last one changes no step
  const std::string changed = result_hash(run(kId, text));
  CHECK(changed == result_hash(race_result(test::race_params(text), rows)));
  CHECK(changed != constant);
  text["rate_changes"] = "7:0.02";  // after the end
  CHECK(result_hash(run(kId, text)) == constant);
}

TEST_CASE("training_race: with fewer steps than one record takes, there is one at the end") {
  const Text text = {
      {"scale", "none,1/sqrt(d)"}, {"seeds", "0"}, {"steps", "5"}, {"examples", "16"}, {"d_model", "16"}};
  const Result result = run(kId, text);
  CHECK(series(result, "race_loss", "none").x == std::vector<double>{0, 5});
  Text every = text;
  every["record_every"] = std::to_string(5);
  CHECK(result_hash(result) == result_hash(run(kId, every)));
  // Records of the start alone are no race's end.
  const Params params = test::race_params(text);
  const RaceRows start(2, {test::race_records(params, 0, 5, {0.1})});
  CHECK(race_result(params, start).verdict == "race_under_way");
}

TEST_CASE("training_race: every task and architecture starts") {
  const auto starts = [](Text text) {
    text.insert({{"steps", "1"},
                 {"record_every", "1"},
                 {"seeds", "0"},
                 {"d_model", "8"},
                 {"examples", "4"},
                 {"scale", "none,1/sqrt(d)"}});
    CHECK(!run(kId, text).verdict.empty());
  };
  for (const char* task : {"sort", "copy", "reverse", "recall", "modular_addition"}) starts({{"task", task}});
  starts({{"task", "coreference"}, {"topology", "decoder"}});
  starts({{"task", "dates"}, {"topology", "encoder_decoder"}});
  starts({{"task", "characters"}, {"text", "abracadabra, abracadabra"}});  // by a decoder
  starts({{"positions", "rotary"},
          {"norm", "rms"},
          {"norm_first", "false"},
          {"qk_norm", "true"},
          {"softcap", "5"},
          {"feed_forward", "swiglu"},
          {"tied", "true"},
          {"tied_kv", "true"},
          {"dropout", "0.1"},
          {"init_equal_qk", "true"},
          {"optimizer", "sgd"},
          {"momentum", "0.9"},
          {"warmup_steps", "3"},
          {"total_steps", "9"},
          {"max_gradient_norm", "1"},
          {"label_smoothing", "0.1"}});
}

TEST_CASE("training_race: settings that make no model are refused by name") {
  const auto refused = [](const Text& text, const char* argument) {
    const Error error = thrown_by<Error>([&] { run(kId, text); });
    CHECK(error.argument == argument);
  };
  refused({{"n_heads", "3"}}, "n_heads");
  refused({{"n_heads", "1,2,4,8"}, {"scale", "none,1,2,3"}}, "scale");
  refused({{"task", "characters"}, {"text", ""}}, "text");
  for (const char* changes : {"0.01", "2:x", "two:0.01", "2:0.01:3", "2:1.5", "2:-1", "3:0.01,2:0.02", ","}) {
    refused({{"rate_changes", changes}}, "rate_changes");
  }
  refused({{"task", "recall"}, {"length", "9"}}, "length");
}

TEST_CASE("training_race: a learning rate that breaks every racer is not \"nothing learned\"") {
  const Result result =
      run(kId, {{"optimizer", "sgd"}, {"learning_rate", "1"}, {"steps", "40"}, {"scale", "none,1/sqrt(d)"}});
  CHECK(result.verdict == "race_diverged");
  CHECK(result.holds == Holds::kCannotBeJudged);
}

TEST_CASE("training_race: an unscaled model that overflows is shown, not thrown") {
  const Result result = run(kId, {{"scale", "1e30"}, {"steps", "2"}, {"record_every", "1"}, {"seeds", "0"}});
  CHECK(result.verdict == "race_nothing_compared");
}

}  // namespace
TEST_CASE("training_race: what is a field of a trainer's config has its type and choices") {
  int n_fields = 0;
  for (const Param& param : find_experiment("training_race").params) {
    CAPTURE(param.name);
    const std::vector<ConfigField> fields = config_fields({});
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const ConfigField& each) { return each.name == param.name; });
    const std::set<std::string> own = {"steps", "seeds", "rate_changes", "record_every", "examples"};
    REQUIRE((field == fields.end()) == own.contains(param.name));
    if (field == fields.end()) continue;
    ++n_fields;
    const auto is = [&]<class Kind>(const Kind&) { return std::holds_alternative<Kind>(param.kind); };
    const auto* const choice = std::get_if<ChoiceParam>(&param.kind);
    const std::string choices = choice ? joined(choice->choices) : "";
    if (field->name == "task") {
      CHECK(choices == joined(kTaskNames));
    } else if (field->name == "scale") {
      CHECK(is(ScaleListParam()));
    } else if (field->expected == "true, false") {
      CHECK(choices == "false, true");
    } else if (field->expected == "integer") {
      CHECK((is(IntParam()) || is(IntListParam())));
    } else if (field->expected == "number") {
      CHECK(is(RealParam()));
    } else if (field->expected == "text") {
      CHECK(is(TextParam()));
    } else {
      CHECK(choices == field->expected);
    }
  }
  CHECK(n_fields > 25);
}

}  // namespace sqrtdk::test
