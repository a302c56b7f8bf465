#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "experiments/run.h"
#include "experiments/training_race/race_rows.h"
#include "reference/thrown_by.h"

namespace sqrtdk::test {
namespace {

using Text = std::map<std::string, std::string>;
using Accuracies = std::vector<std::vector<std::vector<double>>>;  // [racer][seed][record]

const Text kTwo = {{"scale", "none,1/sqrt(d)"}, {"seeds", "7,8"}, {"steps", "30"}, {"record_every", "10"}};

const Text kThree = [] {
  Text text = kTwo;
  text["seeds"] = "7,8,9";
  return text;
}();

RaceRows rows_of(const Params& params, const Accuracies& accuracies) {
  RaceRows rows;
  for (size_t racer = 0; racer < accuracies.size(); ++racer) {
    rows.emplace_back();
    for (const auto& seed : accuracies[racer]) rows.back().push_back(race_records(params, racer, 10, seed));
  }
  return rows;
}

Result result_of(const Text& text, const Accuracies& accuracies) {
  const Params params = race_params(text);
  return race_result(params, rows_of(params, accuracies));
}

const Figure& figure(const Result& result, const std::string& name, const Labels& at = {}) {
  for (const Figure& each : result.figures) {
    if (each.name == name && each.at == at) return each;
  }
  FAIL("no figure " << name);
  return result.figures.at(0);
}

const std::vector<double> kFast = {0, .95, .99, 1}, kMiddle = {0, .5, .9, .92}, kSlow = {0, .3, .6, .9},
                          kNever = {0, .3, .5, .6};

TEST_CASE("race result: racers are heads by scale, and their fields are a trainer's") {
  const Params params = race_params({{"scale", "none,learned,0.25"}, {"n_heads", "1,2"}, {"task", "recall"}});
  const std::vector<Racer> racers = racers_of(params);
  REQUIRE(racers.size() == 6);
  CHECK(racers[2].scale.name == "0.25");
  CHECK(racers[2].n_heads == 1);
  CHECK(racers[4].scale.name == "learned");
  CHECK(racers[4].n_heads == 2);
  const Texts fields = race_fields(params, racers[4], 9);
  CHECK(fields.at("scale") == "learned");
  CHECK(fields.at("n_heads") == "2");
  CHECK(fields.at("seed") == "9");
  CHECK(fields.at("non_finite") == "skip");
  CHECK(fields.at("task") == "recall");
  for (const char* of_the_race : {"seeds", "steps", "record_every", "examples"})
    CHECK(!fields.contains(of_the_race));
  CHECK(race_config(params, racers[4], 9).model.layer.attention.learned_scale);
  CHECK(race_config(params, racers[5], 9).model.layer.attention.scale == 0.25f);
  CHECK(race_config(params, racers[5], 9).model.layer.attention.d_head == 32);
  CHECK(race_config(params, racers[3], 9).model.layer.attention.scale == 1.0f);
  CHECK(race_config(params, racers[3], 9).seed == 9);
}

TEST_CASE("race result: what is there twice is refused, for it would count as two") {
  const auto refused = [](const Text& text, const char* argument) {
    const ValueError error = thrown_by<ValueError>([&] { racers_of(race_params(text)); });
    CHECK(error.argument == argument);
    CHECK(error.code == ErrorCode::kTooMany);
    CHECK(error.expected == "one of each");
    CHECK(error.got == text.at(argument));
  };
  refused({{"seeds", "0,0,0"}}, "seeds");
  refused({{"seeds", "3,1,3"}}, "seeds");
  refused({{"n_heads", "2,2"}}, "n_heads");
  refused({{"scale", "none,1/d,none"}}, "scale");
  CHECK_THROWS_AS(result_of({{"seeds", "00,0"}}, {}), ValueError);
  CHECK(racers_of(race_params({{"seeds", "0,1,2,10"}})).size() == 3);
}

TEST_CASE("race result: a model that no page could train is refused before it is made") {
  const auto config = [](const Text& text) {
    const Params params = race_params(text);
    return race_config(params, racers_of(params)[0], 0);
  };
  CHECK_THROWS_AS(config({{"n_heads", "64"}, {"d_head", "512"}, {"d_model", "512"}, {"n_layers", "8"}}),
                  OutOfMemory);
  CHECK_THROWS_AS(config({{"batch", "512"}, {"length", "64"}, {"d_ff", "2048"}, {"n_layers", "8"}}),
                  OutOfMemory);
  CHECK_THROWS_AS(config({{"batch", "512"}, {"length", "64"}, {"dropout", "0.1"}, {"n_heads", "32"}}),
                  OutOfMemory);
  CHECK(
      config({{"d_model", "512"}, {"n_heads", "8"}, {"n_layers", "8"}, {"d_ff", "2048"}}).model.layer.d_ff ==
      2048);
  for (const Preset& preset : find_experiment("training_race").presets) {
    CHECK_NOTHROW(config({preset.texts.begin(), preset.texts.end()}));
  }
}

TEST_CASE("race result: heads that do not divide the model, and too many racers") {
  const Params uneven = race_params({{"n_heads", "3"}});
  CHECK_THROWS_AS(race_fields(uneven, racers_of(uneven)[0], 0), ValueError);
  const Params own_width = race_params({{"n_heads", "3"}, {"d_head", "20"}});
  CHECK(race_config(own_width, racers_of(own_width)[0], 0).model.layer.attention.d_head == 20);
  CHECK_THROWS_AS(racers_of(race_params({{"n_heads", "1,2,4,8"}, {"scale", "1,2,3,4"}})), ValueError);
}

TEST_CASE("race result: curves are the mean over seeds, with a band from the lowest to the highest") {
  const Result result = result_of(kTwo, {{kNever, kSlow}, {kFast, kMiddle}});
  const Figure& accuracy = figure(result, "race_accuracy");
  CHECK(accuracy.y_max == 1);
  REQUIRE(accuracy.series.size() == 3);
  const Series& scaled = accuracy.series[1];
  CHECK(scaled.name == "1/sqrt(d)");
  CHECK(scaled.role == Role::kScaled);
  CHECK(accuracy.series[0].role == Role::kUnscaled);
  CHECK(scaled.x == std::vector<double>{0, 10, 20, 30});
  CHECK(scaled.y == std::vector<double>{0, (.95 + .5) / 2, (.99 + .9) / 2, (1 + .92) / 2});
  CHECK(scaled.low == std::vector<double>{0, .5, .9, .92});
  CHECK(scaled.high == kFast);
  const Series& chance = accuracy.series[2];
  CHECK(chance.role == Role::kReference);
  CHECK(chance.y.at(0) == make_task({"sort", 6, 8})->chance());
  CHECK(chance.x == std::vector<double>{0, 30});
}

TEST_CASE("race result: a single seed has no band; an entropy's reaches over the heads") {
  Text text = kTwo;
  for (const auto& [name, value] : Text{{"seeds", "7"}, {"n_heads", "2"}, {"n_layers", "1"}})
    text[name] = value;
  const Params params = race_params(text);
  RaceRows rows = rows_of(params, {{kNever}, {kFast}});
  const std::vector<std::string> columns = race_columns(params);
  for (std::vector<double>& record : rows[0][0]) {
    record[column(columns, "entropy.layers.0.self_attn.0")] = 0.5;
    record[column(columns, "entropy.layers.0.self_attn.1")] = 1;
    record[column(columns, "saturated.layers.0.self_attn.1")] = 0.25;
    record[column(columns, "gradient_norm.layers.0")] = record[0] == 0 ? kNone : 3;
    record[column(columns, "gradient_norm.embedding")] = 100;
    record[column(columns, "dscores_mean.layers.0.self_attn")] = 5;
    record[column(columns, "dscores_median.layers.0.self_attn")] = 2;
    record[column(columns, "evaluation_loss")] = 6;
    record[column(columns, "loss")] = 7;
  }
  const Result result = race_result(params, rows);
  const Labels attention = {{"layer", "1"}};
  CHECK(figure(result, "race_accuracy").series[0].low.empty());
  CHECK(figure(result, "race_loss").series[0].y.at(1) == 6);
  const Series& entropy = figure(result, "entropy_over_steps", attention).series.at(0);
  CHECK(entropy.y.at(2) == 0.75);
  CHECK(entropy.low.at(2) == 0.5);
  CHECK(entropy.high.at(2) == 1);
  CHECK(figure(result, "saturated_over_steps", attention).series.at(0).y.at(2) == 0.125);
  const Figure& layer = figure(result, "gradient_norm_over_steps", {{"layer", "1"}});
  CHECK(layer.log_y);
  CHECK(std::isnan(layer.series[0].y.at(0)));
  CHECK(layer.series[0].y.at(1) == 3);
  CHECK(figure(result, "score_gradient_mean", attention).series.at(0).y.at(0) == 5);
  CHECK(figure(result, "score_gradient_median", attention).series.at(0).y.at(0) == 2);
  CHECK(result.figures.size() == 7);
}

TEST_CASE("race result: where an attention stands in an encoder and a decoder") {
  Text text = kTwo;
  text["topology"] = "encoder_decoder";
  const Params params = race_params(text);
  const Result result = race_result(params, rows_of(params, {{kNever, kNever}, {kFast, kFast}}));
  for (const char* layer : {"1", "2"}) {
    for (const char* stack : {"encoder", "decoder"}) {
      const Labels at = {{"stack", stack}, {"layer", layer}};
      CHECK(figure(result, "gradient_norm_over_steps", at).series.size() == 2);
      CHECK(figure(result, "score_gradient_median", at).y == "score_gradient_median");
    }
    const Labels cross = {{"stack", "decoder"}, {"layer", layer}, {"attention", "cross"}};
    CHECK(figure(result, "entropy_over_steps", cross).series.size() == 2);
  }
  CHECK(result.figures.size() == 2 + 4 + 4 * 6);
}

TEST_CASE("race result: steps to 90 % of each seed, and their median") {
  const Result result = result_of(kTwo, {{kNever, kSlow}, {kFast, kMiddle}});
  const auto steps = [&](const char* scale, const char* seed = nullptr) {
    Labels at = {{"scale", scale}, {"n_heads", "1"}};
    if (seed) at.add({"seed", seed});
    return scalar(result, "steps_to_90", at).value;
  };
  CHECK(steps("1/sqrt(d)") == 15);
  CHECK(steps("1/sqrt(d)", "7") == 10);
  CHECK(steps("1/sqrt(d)", "8") == 20);
  CHECK(std::isnan(steps("none")));  // half of the seeds
  CHECK(std::isnan(steps("none", "7")));
  CHECK(steps("none", "8") == 30);
  const Labels at = {{"scale", "none"}, {"n_heads", "1"}};
  CHECK(scalar(result, "token_accuracy", at).value == doctest::Approx(0.75));
  CHECK(scalar(result, "token_accuracy", at).se == doctest::Approx(0.15));
  CHECK(result.lines.at(0) ==
        "scale=none n_heads=1 d_k=64: 90% right at step never, 30; right at the end 60.0, 90.0%");
}

TEST_CASE("race result: under way, curves end where the last seed is") {
  const auto until = [](std::vector<double> x, size_t n) { return x.resize(n), x; };
  const Result result = result_of(kTwo, {{until(kNever, 3), until(kSlow, 1)}, {kFast, {}}});
  CHECK(result.verdict == "race_under_way");
  CHECK(result.holds == Holds::kCannotBeJudged);
  const Figure& accuracy = figure(result, "race_accuracy");
  CHECK(accuracy.series[0].x == std::vector<double>{0});
  CHECK(accuracy.series[1].x.empty());
  CHECK(accuracy.series[2].x.back() == 30);
  const Labels at = {{"scale", "1/sqrt(d)"}, {"n_heads", "1"}};
  CHECK(std::isnan(scalar(result, "token_accuracy", at).value));
  const Result nothing = result_of(kTwo, {{{}, {}}, {{}, {}}});
  CHECK(nothing.verdict == "race_under_way");
}

TEST_CASE("race result: a run whose steps end between records is done with the last of them") {
  Text text = kThree;
  const std::vector<std::vector<double>> fast(3, kFast), never(3, kNever);
  text["steps"] = "39";
  CHECK(result_of(text, {never, fast}).verdict == "race_unscaled_never");
  text["steps"] = "40";
  CHECK(result_of(text, {never, fast}).verdict == "race_under_way");
}

TEST_CASE("race result: what has happened is said") {
  const auto check = [](const Accuracies& accuracies, const char* verdict, Holds holds) {
    const Result result = result_of(kThree, accuracies);
    CHECK(result.verdict == verdict);
    CHECK(result.holds == holds);
  };
  constexpr Holds kYes = Holds::kYes, kNo = Holds::kNo, kUnjudged = Holds::kCannotBeJudged;
  const std::vector<std::vector<double>> fast(3, kFast), slow(3, kSlow), never(3, kNever);
  check({never, {kFast, kMiddle, kMiddle}}, "race_unscaled_never", kYes);
  check({slow, {kFast, kMiddle, kMiddle}}, "race_unscaled_slower", kYes);
  check({{kSlow, kNever, kSlow}, {kFast, kMiddle, kMiddle}}, "race_unscaled_slower", kYes);
  check({{kSlow, kMiddle, kSlow}, {kFast, kMiddle, kFast}}, "race_undecided", kUnjudged);
  check({fast, {kMiddle, kSlow, kSlow}}, "race_unscaled_faster", kNo);
  check({fast, never}, "race_unscaled_faster", kNo);
  check({never, {kFast, kNever, kNever}}, "race_undecided", kUnjudged);
  const std::vector<double> poor = {0, .35, .4, .45}, chance = {.2, .3, .3, .3};
  const std::vector<std::vector<double>> poors(3, poor), chances(3, chance);
  check({poors, never}, "race_unscaled_less_right", kYes);
  check({never, poors}, "race_unscaled_more_right", kNo);
  check({{kNever, poor, poor}, {poor, kNever, kNever}}, "race_undecided", kUnjudged);
  check({chances, chances}, "race_nothing_learnt", kUnjudged);
  Text text = kThree;
  text["scale"] = "none,1/d";
  CHECK(result_of(text, {never, fast}).verdict == "race_nothing_compared");
  CHECK(result_of(text, {never, fast}).holds == kUnjudged);
  CHECK(result_of(kTwo, {{kNever, kNever}, {kFast, kFast}}).verdict == "race_too_few_seeds");
  CHECK(result_of(kTwo, {{kNever, kNever}, {poor, poor}}).verdict == "race_too_few_seeds");
}

// Orders of 8 and 8 with at most u pairs against: 1 for u = 0, 2 for 1, 4 for 2, .. of 12870; 5 % are reached
// with 15 of the 64 pairs (Mann and Whitney's table).
TEST_CASE("race result: of many seeds, some may be out of order") {
  Text text = kTwo;
  text["seeds"] = "1,2,3,4,5,6,7,8";
  std::vector<std::vector<double>> slow(8, kSlow), fast(8, kFast);
  slow[0] = kMiddle;
  fast[0] = kSlow;  // after one of the others, and beside seven
  CHECK(result_of(text, {slow, fast}).verdict == "race_unscaled_slower");
  CHECK(result_of(text, {slow, fast}).holds == Holds::kYes);
  fast[1] = fast[2] = kSlow;
  CHECK(result_of(text, {slow, fast}).verdict == "race_undecided");
}

TEST_CASE("race result: a training that has diverged has not just learned nothing") {
  const Params params = race_params(kThree);
  RaceRows rows = rows_of(params, {{kNever, kNever, kNever}, {kNever, kNever, kNever}});
  const size_t loss = column(race_columns(params), "evaluation_loss");
  CHECK(race_result(params, rows).verdict != "race_diverged");
  for (const double broken : {kNone, HUGE_VAL, 1e6}) {
    rows[1][2].back()[loss] = broken;
    CHECK(race_result(params, rows).verdict == "race_diverged");
    CHECK(race_result(params, rows).holds == Holds::kCannotBeJudged);
  }
}

TEST_CASE("race result: several widths of heads are judged by the widest, and compared") {
  Text text = kThree;
  text["n_heads"] = "8,1";  // d_k 8 and 64
  const std::vector<std::vector<double>> fast(3, kFast), never(3, kNever);
  const Result result = result_of(text, {{kSlow, kMiddle, kMiddle}, {kFast, kMiddle, kFast}, never, fast});
  CHECK(result.verdict == "race_unscaled_needs_narrow_heads");
  CHECK(result.holds == Holds::kYes);
  CHECK(result_of(text, {{kNever, kSlow, kSlow}, fast, never, fast}).verdict == "race_unscaled_never");
  const Figure& steps = figure(result, "steps_over_d_k");
  REQUIRE(steps.series.size() == 2);
  CHECK(steps.series[0].x == std::vector<double>{8, 64});
  CHECK(steps.series[0].y.at(0) == 20);
  CHECK(steps.series[0].low.at(0) == 20);
  CHECK(steps.series[0].high.at(0) == 30);
  CHECK(std::isnan(steps.series[0].y.at(1)));
  CHECK(steps.series[1].y == std::vector<double>{10, 10});
  CHECK(figure(result, "accuracy_over_d_k").series.at(0).y.at(1) == doctest::Approx(0.6));
  CHECK(figure(result, "race_accuracy", {{"n_heads", "8"}}).series.at(1).y.at(1) ==
        doctest::Approx((.95 + .5 + .95) / 3));
  CHECK(figure(result, "race_loss", {{"n_heads", "1"}}).series.size() == 2);
  CHECK(result.figures.size() == 6);
}

TEST_CASE("race result: rows that are not of this race are refused") {
  const Params params = race_params(kTwo);
  const RaceRows rows = rows_of(params, {{kNever, kSlow}, {kFast, kMiddle}});
  const auto refused = [&](const auto& change) {
    RaceRows changed = rows;
    change(changed);
    CHECK_THROWS_AS(race_result(params, changed), ShapeError);
  };
  refused([](RaceRows& each) { each.pop_back(); });
  refused([](RaceRows& each) { each.push_back(each[0]); });
  refused([](RaceRows& each) { each[1].pop_back(); });
  refused([](RaceRows& each) { each[1][0][2].pop_back(); });
  refused([](RaceRows& each) { each[1][0][2].clear(); });
  RaceRows twice = rows;  // a record that came again, and one whose step is no number
  twice[0][0].push_back(twice[0][0][1]);
  twice[0][1].push_back(std::vector<double>(twice[0][1][0].size(), kNone));
  CHECK(result_hash(race_result(params, twice)) == result_hash(race_result(params, rows)));
}

}  // namespace
}  // namespace sqrtdk::test
