#include <algorithm>
#include <cmath>

#include "experiments/grids.h"
#include "training/trainer.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "qk_symmetry_breaking";

double at(const Result& result, const char* name, const char* start, const char* step) {
  return scalar(result, name, {{"start", start}, {"step", step}}).value;
}

TEST_CASE(
    "qk_symmetry_breaking: seed after seed, equal matrices part, and from Xavier they stay orthogonal") {
  for (const char* seed : {"0", "1"}) {
    const Result result = run(kId, {{"seed", seed}});
    CAPTURE(seed);
    CHECK(result.holds == Holds::kYes);
    CHECK(result.verdict == "qk_parted_by_the_loss");
    CHECK(std::fabs(at(result, "qk_cosine", "xavier", "0")) < 4.0 / 32);  // 1024 products: 1/32
    CHECK(std::fabs(at(result, "qk_distance", "xavier", "0") - std::sqrt(2)) < 0.1);
    CHECK(std::fabs(at(result, "qk_cosine", "xavier", "200")) < 0.15);
    CHECK(at(result, "qk_distance", "equal", "0") == 0);
    CHECK(at(result, "qk_cosine", "equal", "0") == doctest::Approx(1).epsilon(1e-12));
    CHECK(at(result, "qk_gradient_distance", "equal", "0") > 0.9);  // about 1, at the first step already
    CHECK(at(result, "qk_gradient_distance", "equal", "0") < 1.4);
    CHECK(at(result, "qk_cosine", "equal", "200") > 0.25);
    CHECK(at(result, "qk_cosine", "equal", "200") < 0.6);
    CHECK(at(result, "token_accuracy", "equal", "200") > 0.97);
    // Four orders of magnitude less than what it would be if a difference fed upon itself.
    CHECK(std::fabs(at(result, "qk_distance", "nearly_equal", "0") - 1e-4) < 1e-5);
    CHECK(scalar(result, "curves_apart", {}).value < 0.02);
    CHECK(std::fabs(scalar(result, "distance_after_learning", {}).value) < 0.15);
  }
}

TEST_CASE("qk_symmetry_breaking: the keys' gradients of a sequence add up to nothing, the queries' do not") {
  const Result result = run(kId, {{"steps", "1"}});
  CHECK(scalar(result, "gradient_sum_of_keys", {}).value < 1e-6);
  CHECK(scalar(result, "gradient_sum_of_queries", {}).value > 0.2);
}

TEST_CASE("qk_symmetry_breaking: the distance goes on as long as there is something to learn") {
  const Result result = run(kId, {{"steps", "40"}});
  CHECK(result.verdict == "qk_parting_goes_on");
  CHECK(result.holds == Holds::kYes);
  CHECK(scalar(result, "distance_after_learning", {}).value == 0);
  const std::vector<double>& distance = figure(result, "qk_distance").series[1].y;
  CHECK(distance.size() == 21);
  CHECK(std::is_sorted(distance.begin(), distance.end()));
}

TEST_CASE("qk_symmetry_breaking: equal matrices part, whatever the task, the optimizer and the width") {
  for (Text params :
       {Text{{"task", "sort"}}, Text{{"task", "copy"}}, Text{{"optimizer", "sgd"}, {"learning_rate", "0.5"}},
        Text{{"d_k", "8"}}, Text{{"scale", "1/d"}}, Text{{"scale", "none"}}, Text{{"difference", "0.01"}}}) {
    CAPTURE(params.begin()->second);
    params.insert({"steps", "40"});
    const Result result = run(kId, params);
    CHECK(result.holds == Holds::kYes);
    CHECK(at(result, "qk_distance", "equal", "40") > 0.01);
  }
}

TEST_CASE("qk_symmetry_breaking: no gradient and a diverged training are said") {
  for (const Text& params : {Text{{"scale", "0"}, {"steps", "4"}}, Text{{"learning_rate", "1"}}}) {
    const Result result = run(kId, params);
    CHECK(result.verdict == "qk_without_gradient");
    CHECK(result.holds == Holds::kCannotBeJudged);
  }
  const Result broken = run(kId, {{"scale", "1e38"}, {"steps", "4"}});
  CHECK(broken.verdict == "training_diverged");
  CHECK(broken.holds == Holds::kCannotBeJudged);
}

TEST_CASE("qk_symmetry_breaking: the numbers of a trainer asked directly") {
  TrainerConfig config;
  config.task = {"reverse", 6, 16};
  config.model.n_layers = 1;
  config.model.layer.attention.d_model = 16;
  config.model.layer.d_ff = 32;
  config.initialization.equal_qk = true;
  config.optimizer.learning_rate = 0.005;
  config.batch = 16;
  config.seed = 4;
  Trainer trainer(config);
  for (int i = 0; i < 10; ++i) trainer.step();
  const Parameters& parameters = std::as_const(trainer).parameters();
  const float* const w = parameters.value(parameters.find("layers.0.self_attn.in_proj_weight")).data;
  double apart = 0, both = 0, product = 0, q = 0, k = 0;
  for (int i = 0; i < 256; ++i) {
    const double a = w[i], b = w[256 + i];
    apart += (a - b) * (a - b), both += a * a + b * b, product += a * b, q += a * a, k += b * b;
  }
  const Result result = run(kId, {{"d_k", "16"}, {"steps", "10"}, {"seed", "4"}});
  CHECK(at(result, "qk_distance", "equal", "10") == doctest::Approx(std::sqrt(apart / (both / 2))));
  CHECK(at(result, "qk_cosine", "equal", "10") == doctest::Approx(product / std::sqrt(q * k)));
  CHECK(at(result, "token_accuracy", "equal", "10") == trainer.evaluate(64).token_accuracy);
}

TEST_CASE("qk_symmetry_breaking: figures") {
  const Result result = run(kId, {{"steps", "7"}});
  REQUIRE(result.figures.size() == 4);
  for (const Figure& each : result.figures) {
    CHECK(each.x == "step");
    REQUIRE(each.series.size() == 3);
    for (const Series& series : each.series) {
      CHECK(series.x == std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7});
      CHECK(series.y.size() == 8);
    }
  }
  const auto last = [&](const char* name) { return figure(result, name).series[1].y.back(); };
  CHECK(last("qk_distance") == at(result, "qk_distance", "equal", "7"));
  CHECK(last("qk_cosine") == at(result, "qk_cosine", "equal", "7"));
  CHECK(last("qk_gradient_cosine") == at(result, "qk_gradient_cosine", "equal", "7"));
  CHECK(last("accuracy_over_steps") == at(result, "token_accuracy", "equal", "7"));
  CHECK(result.figures.back().y_max == 1);
}

}  // namespace
}  // namespace sqrtdk::test
