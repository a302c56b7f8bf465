#include <algorithm>
#include <cmath>

#include "experiments/grids.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "gradient_flow";

Labels at(const std::string& d, const std::string& scale) { return {{"d", d}, {"scale", scale}}; }

/// The experiment without its training.
Result start(Text params) {
  params.insert({"steps", "0"});
  return run(kId, params);
}

// PyTorch 1.13 in float64, 20,000 trials, 8 keys, L = u·p.
constexpr Fact kFacts[] = {
    {"8", "none", "grad_norm_wrt_scaled_logits", 0.262646, 0.0014709},
    {"8", "1/sqrt(d)", "grad_norm_wrt_q", 0.319242, 0.00118},
    {"32", "1/sqrt(d)", "grad_norm_wrt_q", 0.331984, 0.00108},
    {"32", "1/sqrt(d)", "grad_norm_wrt_raw_logits", 0.0593450, 0.000184852},
    {"128", "1/sqrt(d)", "grad_norm_wrt_q", 0.334817, 0.00106},
    {"512", "1/sqrt(d)", "grad_norm_wrt_q", 0.336470, 0.00104},
    {"512", "1/sqrt(d)", "grad_norm_wrt_scaled_logits", 0.336753, 0.00104},
    {"512", "1/sqrt(d)", "grad_norm_wrt_raw_logits", 0.0148825, 4.6e-05},
    {"512", "1/(2*sqrt(d))", "grad_norm_wrt_q", 0.164530, 0.0004},
    {"512", "1/d", "grad_norm_wrt_q", 0.0141250, 2.8e-05},
};

struct Quantiles {  // of 20,000 trials, each with its 95 % interval
  const char *d, *name;
  double p50, low, high;
};

// Unscaled norms have heavy tails: their medians.
constexpr Quantiles kMedians[] = {
    {"8", "grad_norm_wrt_q", 0.54546, 0.53686, 0.55374},
    {"32", "grad_norm_wrt_q", 0.455752, 0.441052, 0.472667},
    {"32", "grad_norm_wrt_scaled_logits", 0.0837160, 0.0804841, 0.0864214},
    {"128", "grad_norm_wrt_q", 0.083774, 0.077078, 0.093383},
    {"512", "grad_norm_wrt_q", 0.0012248, 0.0010142, 0.001469},
    {"512", "grad_norm_wrt_raw_logits", 5.4704e-05, 4.4776e-05, 6.516e-05},
};

TEST_CASE("gradient_flow: an independent simulation's figures") {
  const Result result =
      start({{"d", "8,32,128,512"}, {"scale", "none,1/sqrt(d),1/(2*sqrt(d)),1/d"}, {"trials", "5000"}});
  check_facts(result, kFacts);
  for (const Quantiles& fact : kMedians) {
    CAPTURE(fact.d);
    CAPTURE(fact.name);
    const double se = (fact.high - fact.low) / (2 * 1.96) * std::sqrt(1 + 20000.0 / 5000);
    CHECK(std::fabs(scalar(result, fact.name, at(fact.d, "none")).p50 - fact.p50) < 4 * se);
  }
  CHECK(result.verdict == "typical_gradient_vanishes");
}

TEST_CASE("gradient_flow: unscaled, the mean is larger and the typical gradient vanishes") {
  for (const char* loss : {"u_p", "u_pv", "cross_entropy"}) {
    for (const char* seed : {"0", "1"}) {
      const Result result = start({{"loss", loss}, {"d", "512"}, {"trials", "2000"}, {"seed", seed}});
      CAPTURE(loss);
      CAPTURE(seed);
      CHECK(result.verdict == "typical_gradient_vanishes");
      CHECK(result.holds == Holds::kYes);
      const Scalar& unscaled = scalar(result, "grad_norm_wrt_q", at("512", "none"));
      const Scalar& scaled = scalar(result, "grad_norm_wrt_q", at("512", "1/sqrt(d)"));
      CHECK(unscaled.value - 4 * unscaled.se > 2 * scaled.value);
      CHECK(unscaled.p50 < 0.01 * scaled.p50);
      CHECK(scaled.p10 > 0.1);
      const auto other = [&](const char* name, const char* scale) {
        return scalar(result, name, at("512", scale)).value;
      };
      CHECK(other("share_of_small_gradients", "none") > 0.4);
      CHECK(other("share_of_small_gradients", "1/sqrt(d)") == 0);
      CHECK(other("share_of_largest_tenth", "none") > 0.7);
      CHECK(other("share_of_largest_tenth", "1/sqrt(d)") < 0.25);
    }
  }
}

TEST_CASE("gradient_flow: with 64 keys and d = 128 the unscaled gradient is the larger one, the median too") {
  for (const char* seed : {"0", "1"}) {
    const Result result = start({{"d", "128"}, {"n_keys", "64"}, {"trials", "1000"}, {"seed", seed}});
    CHECK(result.verdict == "gradient_erratic_not_small");
    CHECK(result.holds == Holds::kYes);
    CHECK(scalar(result, "grad_norm_wrt_q", at("128", "none")).p50 >
          2 * scalar(result, "grad_norm_wrt_q", at("128", "1/sqrt(d)")).p50);
  }
}

TEST_CASE("gradient_flow: a loss -log p_y does not vanish, 27 against 1") {
  for (const char* seed : {"0", "1"}) {
    const Result result = start({{"loss", "log_p"}, {"d", "512"}, {"seed", seed}});
    CHECK(result.verdict == "gradient_of_log_p_stays");
    check_within(scalar(result, "grad_norm_wrt_q", at("512", "none")), 27.5, 0.1);
    check_within(scalar(result, "grad_norm_wrt_q", at("512", "1/sqrt(d)")), 0.981, 0.0015);
    CHECK(scalar(result, "grad_norm_wrt_q", at("512", "none")).p50 > 30);
  }
}

TEST_CASE("gradient_flow: while a model learns without the scale, its typical gradient dies") {
  for (const char* seed : {"0", "3"}) {
    const Result result = run(kId, {{"d", "8"}, {"trials", "100"}, {"seed", seed}});
    CAPTURE(seed);
    CHECK(result.holds == Holds::kYes);
    const auto of = [&](const char* name, const char* scale, const char* step) -> const Scalar& {
      return scalar(result, name, {{"d_k", "128"}, {"scale", scale}, {"step", step}});
    };
    const Scalar &first = of("row_grad_norm_wrt_q", "none", "0"),
                 &last = of("row_grad_norm_wrt_q", "none", "40");
    CHECK(first.p50 > 0.05);
    CHECK(last.p50 < 0.2 * first.p50);
    CHECK(last.value > 0.1 * first.value);  // the mean stays alive
    CHECK(of("saturated_rows", "none", "40").value > of("saturated_rows", "none", "0").value + 0.1);
    CHECK(of("row_grad_norm_wrt_q", "1/sqrt(d)", "40").p50 > of("row_grad_norm_wrt_q", "1/sqrt(d)", "0").p50);
    CHECK(of("saturated_rows", "1/sqrt(d)", "40").value < 0.02);
    CHECK(of("token_accuracy", "1/sqrt(d)", "40").value > of("token_accuracy", "none", "40").value);
  }
}

// At the start, the scores of a sorter of width d_k have variance d_k as well: a row of 12 keys.
TEST_CASE("gradient_flow: the training begins where the draws say") {
  const Result result = run(kId, {{"d", "128"}, {"n_keys", "12"}, {"steps", "1"}, {"trials", "100"}});
  const Labels begin = {{"d_k", "128"}, {"scale", "1/sqrt(d)"}, {"step", "0"}};
  const double ratio = scalar(result, "row_grad_norm_wrt_scores", begin).p50 /
                       scalar(result, "row_grad_norm_wrt_q", begin).p50;
  CHECK(std::fabs(ratio - 1) < 0.2);  // ‖k‖/√d is 1
  CHECK(std::isnan(scalar(result, "row_grad_norm_wrt_q", begin).se));
}

TEST_CASE("gradient_flow: a scale beyond all numbers trains nothing, and says so by NaN") {
  const Result result = run(kId, {{"scale", "1e38"}, {"d", "8"}, {"steps", "2"}, {"trials", "100"}});
  const Labels end = {{"d_k", "128"}, {"scale", "1e+38"}, {"step", "2"}};
  CHECK(std::isnan(scalar(result, "row_grad_norm_wrt_q", end).value));
  CHECK(std::isnan(scalar(result, "row_grad_norm_wrt_q", end).p50));
}

TEST_CASE("gradient_flow: nothing to compare") {
  for (const Text& params : {Text{{"scale", "none"}}, Text{{"scale", "1/sqrt(d),1/d"}}, Text{{"n_keys", "1"}},
                             Text{{"d", "1"}}, Text{{"d", "1,2"}}}) {
    const Result result = start(params);
    CHECK(result.verdict == "nothing_compared");
    CHECK(result.holds == Holds::kCannotBeJudged);
  }
  const Result two_keys = start({{"d", "4096"}, {"n_keys", "2"}, {"trials", "100"}});
  CHECK(two_keys.verdict == "typical_gradient_vanishes");
  CHECK(two_keys.holds == Holds::kYes);
}

TEST_CASE("gradient_flow: figures") {
  const Result result =
      run(kId, {{"d", "128,8"}, {"trials", "500"}, {"d_k", "16"}, {"steps", "20"}, {"scale", "none,0.5"}});
  REQUIRE(result.figures.size() == 6);
  for (const char* name : {"gradient_median_over_d", "gradient_mean_over_d"}) {
    const Figure& over = figure(result, name);
    CHECK(over.log_x);
    CHECK(over.log_y);
    REQUIRE(over.series.size() == 2);
    for (const Series& series : over.series) {
      CHECK(series.x == std::vector<double>{8, 128});
      const Scalar& last = scalar(result, "grad_norm_wrt_q", at("128", series.name));
      const bool median = name == std::string("gradient_median_over_d");
      CHECK(series.y[1] == (median ? last.p50 : last.value));
    }
  }
  const Figure& histogram = figure(result, "gradient_histogram", {{"d", "128"}});
  CHECK(std::holds_alternative<HistogramChart>(histogram.kind));
  for (const Series& series : histogram.series) {
    double inside = 0, mean = 0;
    for (size_t i = 0; i < series.y.size(); ++i) {
      const double share = series.y[i] * (series.x[1] - series.x[0]);
      inside += share;
      mean += share * series.x[i];
    }
    CHECK(inside == doctest::Approx(1));
    if (series.name == "none") CHECK(series.y.front() > 0);  // what lies below the axis, too
    CHECK(mean < std::log10(scalar(result, "grad_norm_wrt_q", at("128", series.name)).value) + 0.3);
  }
  for (const char* name : {"training_median", "training_mean", "training_saturated"}) {
    const Figure& training = figure(result, name);
    CHECK(training.x == "step");
    REQUIRE(training.series.size() == 2);
    CHECK(training.series[1].x == std::vector<double>{0, 4, 8, 12, 16, 20});
  }
  CHECK(figure(result, "training_median").series[0].y.back() ==
        scalar(result, "row_grad_norm_wrt_q", {{"d_k", "16"}, {"scale", "none"}, {"step", "20"}}).p50);
  CHECK(start({}).figures.size() == 3);
}

TEST_CASE("gradient_flow: one d depends on nothing else in the run") {
  const auto mean = [](const Text& params) {
    return scalar(start(params), "grad_norm_wrt_q", at("32", "none")).value;
  };
  CHECK(mean({{"d", "32"}, {"trials", "200"}}) ==
        mean({{"d", "8,32"}, {"trials", "200"}, {"scale", "1/d,none"}}));
}

}  // namespace
}  // namespace sqrtdk::test
