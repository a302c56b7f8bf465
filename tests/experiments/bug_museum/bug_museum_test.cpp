#include <algorithm>
#include <cmath>

#include "experiments/bug_museum/misplaced_training.h"
#include "experiments/grids.h"
#include "lab/sampling.h"
#include "lab/token_rows.h"
#include "training/trainer.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "bug_museum";
constexpr const char* kBugs[] = {"absent", "d_model", "after_softmax", "on_v", "twice", "q_first"};

Labels at(const std::string& code) { return {{"code", code}}; }
double value(const Result& result, const char* name, const std::string& code) {
  return scalar(result, name, at(code)).value;
}

/// The experiment without its training.
Result rows(const std::string& bug, Text params = {}) {
  params.insert({{"steps", "0"}, {"bug", bug}});
  return run(kId, params);
}

TEST_CASE("bug_museum: what each mistake does to the weights") {
  const std::map<std::string, std::string> verdicts = {
      {"absent", "museum_too_sharp"}, {"d_model", "museum_too_flat"}, {"after_softmax", "museum_too_late"},
      {"on_v", "museum_too_late"},    {"twice", "museum_too_flat"},   {"q_first", "museum_no_bug"}};
  for (const Text& params : {Text{}, Text{{"seed", "1"}}, Text{{"seed", "2"}, {"n_keys", "33"}},
                             Text{{"d_model", "96"}, {"n_heads", "4"}}}) {
    for (const auto& each : verdicts) {
      const std::string& bug = each.first;
      const Result result = rows(bug, params);
      CAPTURE(bug);
      CHECK(result.holds == Holds::kYes);
      CHECK(result.verdict == each.second);
      const bool late = bug == "after_softmax" || bug == "on_v";
      CHECK((value(result, "weights_unlike_absent", bug) == 0) == (late || bug == "absent"));
      CHECK((scalar(result, "weights_unlike_absent", at(bug)).expected == 0) == late);
      CHECK(value(result, "weights_unlike_right", bug) > 0);
      CHECK(value(result, "weights_unlike_right", "right") == 0);
    }
  }
}

TEST_CASE("bug_museum: the deviation of the scores says which factor they have") {
  const double root = std::sqrt(32.0);
  const std::map<std::string, double> expected = {{"absent", root},        {"d_model", 1 / std::sqrt(2.0)},
                                                  {"after_softmax", root}, {"on_v", root},
                                                  {"twice", 1 / root},     {"q_first", 1}};
  for (const auto& [bug, sd] : expected) {
    const Result result = rows(bug, {{"trials", "4000"}});
    CHECK(scalar(result, "score_sd", at(bug)).expected == doctest::Approx(sd).epsilon(1e-6));
    check_within(scalar(result, "score_sd", at(bug)), sd);
    check_within(scalar(result, "score_sd", at("right")), 1);
  }
}

// PyTorch 1.13 in float64 over 20,000 rows of 8 keys with d = 32: values with their standard errors.
TEST_CASE("bug_museum: an independent simulation's figures") {
  struct Fact {
    const char *bug, *code;
    double max, max_se, entropy, entropy_se;
  };
  constexpr Fact kFacts[] = {{"absent", "right", 0.359824, 0.00086, 1.723457, 0.00151},
                             {"absent", "absent", 0.822451, 0.00131, 0.461536, 0.00282},
                             {"after_softmax", "after_softmax", 0.822451, 0.00131, 0.461536, 0.00282},
                             {"on_v", "on_v", 0.822451, 0.00131, 0.461536, 0.00282},
                             {"twice", "twice", 0.159019, 0.000102, 2.065784, 5.98e-05},
                             {"q_first", "q_first", 0.359824, 0.00086, 1.723457, 0.00151}};
  for (const auto& [bug, code, max, max_se, entropy, entropy_se] : kFacts) {
    const Result result = rows(bug, {{"trials", "4000"}});
    check_within(scalar(result, "softmax_max", at(code)), max, max_se);
    check_within(scalar(result, "entropy_nats", at(code)), entropy, entropy_se);
    if (max > 0.8) check_within(scalar(result, "frac_max_gt_0.99", at(code)), 0.22525, 0.00295);
  }
  // 1/sqrt(d_model) with four heads is half of what it should be.
  const Result half = rows("d_model", {{"d_model", "128"}, {"n_heads", "4"}, {"trials", "4000"}});
  check_within(scalar(half, "softmax_max", at("d_model")), 0.233229, 0.000378);
}

TEST_CASE("bug_museum: rows add up to 1 unless they were divided afterwards") {
  for (const char* bug : kBugs) {
    const Result result = rows(bug);
    const double expected = bug == std::string("after_softmax") ? 1 / std::sqrt(32.0) : 1;
    CHECK(value(result, "row_sum", bug) == doctest::Approx(expected).epsilon(1e-6));
    CHECK(scalar(result, "row_sum", at(bug)).expected == doctest::Approx(expected).epsilon(1e-6));
    const Figure& bars = figure(result, "weights");
    CHECK(bars.series[1].name == bug);
    double sum = 0;
    for (const double weight : bars.series[1].y) sum += weight;
    CHECK(sum == doctest::Approx(expected).epsilon(1e-6));
  }
}

TEST_CASE("bug_museum: numbers, recomputed in double from the draws") {
  constexpr int64_t h = 3, d = 4, n = 5, trials = 100, width = h * d;
  const double own = 1 / std::sqrt(4.0), whole = 1 / std::sqrt(12.0);
  struct Inner {
    const char* bug;
    double inner, outer;  // factors before and behind the softmax
  };
  const Inner all[] = {{"absent", 1, 1}, {"d_model", whole, 1},   {"after_softmax", 1, own},
                       {"on_v", 1, own}, {"twice", own * own, 1}, {"q_first", own, 1}};
  for (const Inner& each : all) {
    const char* const bug = each.bug;
    const double inner = each.inner, outer = each.outer;
    double max_mean = 0, out_mean = 0, dq_mean = 0;
    for (int64_t trial = 0; trial < trials; ++trial) {
      float x[width * (2 + 2 * n)];  // q, k, v, u
      sample_standard({}, 9, static_cast<uint64_t>(trial), 0, x, width * (2 + 2 * n));
      double out_square = 0, dq_square = 0;
      for (int64_t head = 0; head < h; ++head) {
        const float *const q = x + head * d, *const k = x + width + head * n * d, *const v = k + width * n,
                           *const u = x + width * (1 + 2 * n) + head * d;
        double p[n], dp[n], sum = 0, max = 0, mean_dp = 0;
        for (int64_t i = 0; i < n; ++i) {
          double score = 0;
          for (int64_t j = 0; j < d; ++j)
            score += static_cast<double>(q[j]) * static_cast<double>(k[i * d + j]);
          sum += p[i] = std::exp(inner * score);
        }
        for (int64_t i = 0; i < n; ++i) {
          max = std::max(max, p[i] /= sum);
          dp[i] = 0;
          for (int64_t j = 0; j < d; ++j) {
            dp[i] += outer * static_cast<double>(u[j]) * static_cast<double>(v[i * d + j]);
          }
          mean_dp += p[i] * dp[i];
        }
        for (int64_t j = 0; j < d; ++j) {
          double out = 0, dq = 0;
          for (int64_t i = 0; i < n; ++i) {
            out += outer * p[i] * static_cast<double>(v[i * d + j]);
            dq += inner * p[i] * (dp[i] - mean_dp) * static_cast<double>(k[i * d + j]);
          }
          out_square += out * out, dq_square += dq * dq;
        }
        max_mean += max / (h * trials);
      }
      out_mean += std::sqrt(out_square / width) / trials, dq_mean += std::sqrt(dq_square / h) / trials;
    }
    const Result result =
        rows(bug, {{"d_model", "12"}, {"n_heads", "3"}, {"n_keys", "5"}, {"trials", "100"}, {"seed", "9"}});
    CAPTURE(bug);
    CHECK(value(result, "softmax_max", bug) == doctest::Approx(max_mean).epsilon(1e-5));
    CHECK(value(result, "output_rms", bug) == doctest::Approx(out_mean).epsilon(1e-5));
    CHECK(value(result, "query_gradient", bug) == doctest::Approx(dq_mean).epsilon(1e-4));
  }
}

// out is linear in v, and dv is its gradient: <dout, out> = <dv, v>.
TEST_CASE("bug_museum: each factor goes back where it came from") {
  const auto dot = [](const Tensor& a, const Tensor& b) {
    double sum = 0;
    for (size_t i = 0; i < a.values.size(); ++i) {
      sum += static_cast<double>(a.values[i]) * static_cast<double>(b.values[i]);
    }
    return sum;
  };
  for (const Misplacement& code : misplacements()) {
    const ScaleFactors factors = factors_of(code, 24, 4);
    const Shape shape{4, 5, 6};
    const Tensor q = normal_tokens(1, 0, shape), k = normal_tokens(1, 1, shape),
                 v = normal_tokens(1, 2, shape), u = normal_tokens(1, 3, shape);
    Tensor scores({4, 5, 5}), weights({4, 5, 5}), dscores({4, 5, 5}), out(shape), dq(shape), dk(shape),
        dv(shape);
    Tensor q_in = q, v_in = v, dout = u;
    misplaced_forward(q_in.view(), k.view(), v_in.view(), factors, scores.view(), weights.view(), out.view());
    misplaced_backward(q_in.view(), k.view(), v_in.view(), factors, weights.view(), dout.view(),
                       dscores.view(), dq.view(), dk.view(), dv.view());
    CAPTURE(code.name);
    CHECK(dot(dv, v) == doctest::Approx(dot(u, out)).epsilon(1e-5));
    CHECK(dot(dq, q) == doctest::Approx(dot(dk, k)).epsilon(1e-4));  // both times the scores
  }
}

TEST_CASE("bug_museum: the model is the trainer's, where the factor is on the scores") {
  for (const char* bug : {"right", "absent", "d_model"}) {
    const MisplacedTraining training{.d_model = 16, .n_heads = 2, .steps = 12, .seed = 3};
    const Misplacement* code = nullptr;
    for (const Misplacement& each : misplacements()) {
      if (each.name == std::string(bug)) code = &each;
    }
    REQUIRE(code != nullptr);
    const ScaleFactors factors = factors_of(*code, 16, 2);
    ProgressMeter meter(kId);
    const std::vector<MisplacedRecord> records = train_misplaced(training, factors, meter);
    TrainerConfig config;
    config.task = {"sort", 8, 8};
    config.model.n_layers = 1;
    config.model.layer.attention.d_model = 16;
    config.model.layer.attention.n_heads = 2;
    config.model.layer.attention.scale = factors.scores;
    config.optimizer.learning_rate = 3e-3;
    config.batch = 16;
    config.seed = 3;
    Trainer trainer(config);
    REQUIRE(records.size() == 13);
    for (const MisplacedRecord& record : records) {
      while (trainer.steps() < record.step) trainer.step();
      const Evaluation evaluation = trainer.evaluate(64);
      CHECK(record.loss == doctest::Approx(evaluation.loss).epsilon(1e-4));
      CHECK(record.token_accuracy == doctest::Approx(evaluation.token_accuracy).epsilon(0.01));
      CHECK(record.saturated ==
            doctest::Approx(
                (trainer.look_at_heads(64)[0].saturated + trainer.look_at_heads(64)[1].saturated) / 2)
                .epsilon(0.01)
                .scale(0.001));
    }
  }
}

TEST_CASE("bug_museum: in training, what is too sharp learns less and what is too flat does not") {
  for (const uint64_t seed : {0, 1}) {
    std::map<std::string, double> accuracy, saturated, loss;
    for (const Misplacement& code : misplacements()) {
      ProgressMeter meter(kId);
      const MisplacedRecord last = train_misplaced({64, 2, 60, seed}, factors_of(code, 64, 2), meter).back();
      accuracy[code.name] = last.token_accuracy, saturated[code.name] = last.saturated;
      loss[code.name] = last.loss;
    }
    for (const char* bug : {"absent", "after_softmax", "on_v"}) {
      CHECK(accuracy[bug] < accuracy["right"] - 0.1);
      CHECK(saturated[bug] > 0.3);
    }
    for (const char* bug : {"d_model", "twice"}) {
      CHECK(accuracy[bug] > accuracy["right"] - 0.05);
      CHECK(saturated[bug] < 0.01);
    }
    CHECK(loss["q_first"] == doctest::Approx(loss["right"]).epsilon(0.01));
    CHECK(loss["on_v"] == doctest::Approx(loss["after_softmax"]).epsilon(0.01));
    CHECK(loss["on_v"] != loss["absent"]);
  }
}

// dividing by a power of two rounds nothing
TEST_CASE("bug_museum: with heads of 16, q first gives the very same bits, in training too") {
  const Result result = run(kId, {{"bug", "q_first"}, {"n_heads", "4"}, {"steps", "8"}, {"trials", "100"}});
  CHECK(value(result, "weights_unlike_right", "q_first") == 0);
  for (const char* name : {"loss", "query_gradient", "output_rms", "score_sd"}) {
    CHECK(value(result, name, "q_first") == value(result, name, "right"));
  }
}

TEST_CASE("bug_museum: nothing to see") {
  CHECK(rows("d_model", {{"n_heads", "1"}}).verdict == "museum_nothing_to_see");
  CHECK(rows("absent", {{"n_heads", "64"}}).verdict == "museum_nothing_to_see");
  CHECK(rows("twice", {{"n_keys", "1"}}).verdict == "museum_nothing_to_see");
  CHECK(rows("twice", {{"n_keys", "1"}}).holds == Holds::kYes);
  CHECK(rows("d_model", {{"n_heads", "64"}}).verdict == "museum_too_flat");  // 1/8 instead of 1
  CHECK_THROWS_AS(rows("twice", {{"n_heads", "64"}, {"trials", "1000000"}}), ValueError);
  CHECK_THROWS_AS(rows("absent", {{"n_heads", "3"}}), ValueError);
}

TEST_CASE("bug_museum: code, figures, cancelling") {
  const Result result = run(kId, {{"steps", "24"}, {"trials", "100"}});
  REQUIRE(result.lines.size() == 4);
  CHECK(result.lines[0] == "# right");
  CHECK(result.lines[3] == "weights = (q @ k.mT).softmax(-1); out = weights @ v");
  const Figure& accuracy = figure(result, "accuracy_over_steps");
  REQUIRE(accuracy.series.size() == 2);
  CHECK(accuracy.series[0].role == Role::kScaled);
  CHECK(accuracy.series[1].role == Role::kUnscaled);
  CHECK(accuracy.series[1].x == std::vector<double>{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24});
  CHECK(accuracy.series[1].y.back() == value(result, "token_accuracy", "absent"));
  CHECK(figure(result, "training_saturated").series[0].y.back() == value(result, "saturated_rows", "right"));
  CHECK(rows("absent").figures.size() == 1);
  CHECK(rows("absent", {{"n_keys", "100"}}).figures.empty());
  int calls = 0;
  const auto long_run = [&] {
    run_experiment(kId, {{"steps", "2000"}}, [&](double) { return ++calls < 40; });
  };
  CHECK_THROWS_AS(long_run(), Cancelled);
  CHECK(calls == 40);
}

}  // namespace
}  // namespace sqrtdk::test
