#include <algorithm>
#include <cmath>

#include "experiments/grids.h"
#include "training/trainer.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "kv_tying";
const Labels kTied = {{"key_value", "tied"}}, kSeparate = {{"key_value", "separate"}};

Labels layer(Labels at, const char* number) {
  at.push_back({"layer", number});
  return at;
}
double value(const Result& result, const char* name, const Labels& at) {
  return scalar(result, name, at).value;
}

TEST_CASE("kv_tying: while a model learns, the two paths into W_KV are nearly orthogonal") {
  const Text runs[] = {{},
                       {{"task", "coreference"}, {"steps", "80"}, {"runs", "2"}},
                       {{"task", "reverse"}, {"steps", "60"}, {"runs", "2"}, {"seed", "7"}},
                       {{"task", "recall"}, {"length", "3"}, {"n_layers", "2"}, {"runs", "1"}}};
  for (const Text& params : runs) {
    const Result result = run(kId, params);
    CHECK(result.holds == Holds::kYes);
    CHECK(result.verdict == "kv_paths_do_not_conflict");
    const Labels at = layer(kTied, "1");
    CHECK(std::fabs(value(result, "cosine_mean", at)) < 0.15);
    CHECK(value(result, "cosine_least", at) > -0.4);
    CHECK(value(result, "cosine_most", at) < 0.6);
  }
}

TEST_CASE("kv_tying: at the start the cosine is 0 on average") {
  for (const char* task : {"sort", "coreference"}) {
    const Result result =
        run(kId, {{"task", task}, {"steps", "1"}, {"runs", "24"}, {"d_model", "16"}, {"n_layers", "2"}});
    for (const char* number : {"1", "2"}) {
      test::check_within(scalar(result, "cosine_at_start", layer(kTied, number)), 0);
    }
  }
}

TEST_CASE("kv_tying: a model with one matrix for both learns to sort as well, or almost") {
  const Result result = run(kId, {{"runs", "4"}});
  const Scalar& cost = scalar(result, "tied_less_separate", {});
  CHECK(std::fabs(cost.value) < 0.03);
  CHECK(value(result, "token_accuracy", kTied) > 0.85);
  CHECK(value(result, "token_accuracy", kSeparate) > 0.85);
  CHECK(value(result, "accuracy_while_learning", kTied) -
            value(result, "accuracy_while_learning", kSeparate) ==
        doctest::Approx(cost.value).epsilon(1e-9));
}

TEST_CASE("kv_tying: the runs of one seed are none of the next") {
  const auto mean = [](const char* seed, const char* runs) {
    const Result result = run(kId, {{"seed", seed}, {"runs", runs}, {"steps", "10"}});
    return value(result, "cosine_mean", layer(kTied, "1"));
  };
  CHECK(mean("0", "2") != doctest::Approx((mean("0", "1") + mean("1", "1")) / 2).epsilon(1e-6));
}

/// dw = drowsᵀ x in double, from what the backward pass left.
std::vector<double> weight_gradient(const Trainer& trainer, const std::string& letter) {
  const std::string attention = "layers.0.self_attn.";
  const ConstView rows = trainer.cache().at(attention + "d" + letter + "_rows");
  const ConstView x = trainer.cache().kept(attention + letter + "_proj.x");
  const int64_t n = x.shape.leading(1), d_out = rows.shape[-1], d_in = x.shape[-1];
  std::vector<double> dw(static_cast<size_t>(d_out * d_in));
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < d_out * d_in; ++j) {
      dw[static_cast<size_t>(j)] += static_cast<double>(rows.data[i * d_out + j / d_in]) *
                                    static_cast<double>(x.data[i * d_in + j % d_in]);
    }
  }
  return dw;
}
double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

TEST_CASE("kv_tying: numbers are those of the trainer, asked directly; both paths make the whole gradient") {
  const Result result = run(kId, {{"runs", "1"},
                                  {"steps", "8"},
                                  {"d_model", "16"},
                                  {"length", "4"},
                                  {"symbols", "5"},
                                  {"trained_with", "none"},
                                  {"learning_rate", "0.004"},
                                  {"seed", "3"}});
  for (const bool tied : {false, true}) {
    TrainerConfig config;
    config.task = {"sort", 4, 5};
    config.model.n_layers = 1;
    config.model.layer.attention.d_model = 16;
    config.model.layer.attention.scale = 1.0f;
    config.model.layer.attention.tied_kv = tied;
    config.optimizer.learning_rate = 0.004;
    config.batch = 16;
    config.seed = 3 * 0x9E3779B97F4A7C15;  // which no run of another small seed has
    Trainer trainer(config);
    const Labels& at = tied ? kTied : kSeparate;
    const size_t series = tied ? 1 : 0;
    for (int step = 0; step <= 8; ++step) {
      if (step > 0) trainer.step();
      const size_t i = static_cast<size_t>(step);
      const double accuracy = trainer.evaluate(64).token_accuracy;
      CHECK(figure(result, "accuracy_over_steps").series[series].y.at(i) == accuracy);
      if (step == 8) CHECK(value(result, "token_accuracy", at) == accuracy);
      trainer.compute_gradients(32);
      const std::vector<double> dw_k = weight_gradient(trainer, "k"), dw_v = weight_gradient(trainer, "v");
      const double of_k = std::sqrt(dot(dw_k, dw_k)), of_v = std::sqrt(dot(dw_v, dw_v));
      const Labels first = {{"layer", "1"}};
      CHECK(std::fabs(figure(result, "path_cosine", first).series[series].y.at(i) -
                      dot(dw_k, dw_v) / (of_k * of_v)) < 1e-5);
      CHECK(figure(result, "path_norm_ratio", first).series[series].y.at(i) ==
            doctest::Approx(of_k / of_v).epsilon(1e-5));
      if (!tied) continue;
      const ConstView whole =
          trainer.parameters().gradient(trainer.parameters().find("layers.0.self_attn.in_proj_weight"));
      REQUIRE(whole.shape == Shape{32, 16});
      for (size_t j = 0; j < 256; ++j) {
        CHECK(std::fabs(static_cast<double>(whole.data[256 + j]) - dw_k[j] - dw_v[j]) < 1e-5 * (of_k + of_v));
      }
    }
  }
}

TEST_CASE("kv_tying: bands and means are those of the runs, each with a seed of its own") {
  const Text one = {{"runs", "1"}, {"steps", "6"}, {"d_model", "8"}, {"n_layers", "2"}};
  Text both = one, second = one;
  // The seed whose first run is the second of seed 0: the inverse of that factor modulo 2^64.
  both["runs"] = "2", second["seed"] = "17428512612931826493";
  const Result all = run(kId, both), first = run(kId, one), other = run(kId, second);
  for (const Labels& at : {Labels{{"layer", "1"}}, Labels{{"layer", "2"}}}) {
    for (const size_t i : {0, 1}) {
      const Series& series = figure(all, "path_cosine", at).series[i];
      const std::vector<double>& a = figure(first, "path_cosine", at).series[i].y;
      const std::vector<double>& b = figure(other, "path_cosine", at).series[i].y;
      REQUIRE(series.y.size() == 7);
      for (size_t j = 0; j < a.size(); ++j) {
        CHECK(series.low[j] == std::min(a[j], b[j]));
        CHECK(series.high[j] == std::max(a[j], b[j]));
        CHECK(series.y[j] == doctest::Approx((a[j] + b[j]) / 2).epsilon(1e-12));
      }
      const Labels where = layer(i == 0 ? kSeparate : kTied, at.front().value.c_str());
      CHECK(value(all, "cosine_at_start", where) == doctest::Approx((a[0] + b[0]) / 2).epsilon(1e-12));
      CHECK(value(all, "cosine_least", where) == *std::min_element(series.low.begin(), series.low.end()));
      CHECK(value(all, "cosine_most", where) == *std::max_element(series.high.begin(), series.high.end()));
    }
  }
}

}  // namespace
}  // namespace sqrtdk::test
