#include <cmath>

#include "base/errors.h"
#include "experiments/grids.h"
#include "lab/sampling.h"
#include "reference/thrown_by.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "softmax_overflow";

Labels at(const char* d, const char* scale, const char* format) {
  return {{"d", d}, {"scale", scale}, {"format", format}};
}
Labels of(const char* format) { return {{"format", format}}; }

// P(some score of n reaches t), the score being N(0, scale² |q|²) given q, and |q|² chi-square of d.
double overflow_share(double t, int d, int n, double scale) {
  double sum = 0, total = 0;
  const double centre = d, spread = std::sqrt(2.0 * d);
  for (int i = -4000; i <= 4000; ++i) {
    const double x = centre + spread * i / 400.0;
    if (x <= 0) continue;
    const double density =
        std::exp((d / 2.0 - 1) * std::log(x) - x / 2 - std::lgamma(d / 2.0) - d / 2.0 * std::log(2.0));
    const double below = 0.5 * std::erfc(-t / (scale * std::sqrt(x)) / std::sqrt(2.0));
    sum += density * (1 - std::pow(below, n));
    total += density;
  }
  return sum / total;
}

TEST_CASE("softmax_overflow: the largest and the least exponents of each format") {
  const Result result = run(kId, {{"trials", "100"}, {"d", "4"}});
  const auto limit = [&](const char* name, const char* format) {
    return scalar(result, name, of(format)).value;
  };
  CHECK(limit("exp_overflows_above", "fp32") == doctest::Approx(88.72284).epsilon(1e-7));
  CHECK(limit("exp_overflows_above", "fp16") == doctest::Approx(std::log(65520.0)).epsilon(1e-7));
  CHECK(limit("exp_overflows_above", "bf16") == doctest::Approx(std::log(0x1.ffp127)).epsilon(1e-7));
  CHECK(limit("exp_is_zero_below", "fp32") == doctest::Approx(-150 * std::log(2.0)).epsilon(1e-7));
  CHECK(limit("exp_is_zero_below", "fp16") == doctest::Approx(-25 * std::log(2.0)).epsilon(1e-7));
  CHECK(limit("exp_is_zero_below", "bf16") == doctest::Approx(-134 * std::log(2.0)).epsilon(1e-6));
}

TEST_CASE("softmax_overflow: e^50 does not overflow fp32, nor bf16; fp16 breaks") {
  const Result result = run(kId, {{"trials", "100"}, {"d", "4"}});
  REQUIRE(result.lines.size() == 6);
  CHECK(result.lines[0].starts_with("fp32 e^s = 5.1847055e+21 2.7182817 2.7182817 2.7182817"));
  CHECK(result.lines[0].ends_with("weights = 1 5.2428857e-22 5.2428857e-22 5.2428857e-22"));
  CHECK(result.lines[2] == "fp16 e^s = inf 2.71875 2.71875 2.71875  sum = inf  weights = nan 0 0 0");
  CHECK(result.lines[3] == "fp16 e^(s-max) = 1 0 0 0  sum = 1  weights = 1 0 0 0");
  CHECK(result.lines[4].find("inf") == std::string::npos);
  const Result own = run(kId, {{"trials", "100"}, {"d", "4"}, {"scores", "89,88,-110"}});
  CHECK(own.lines[0] == "fp32 e^s = inf 1.6516363e+38 0  sum = inf  weights = nan 0 0");
  CHECK(own.lines[4].starts_with("bf16 e^s = inf 1.6548889e+38 "));
  CHECK(run(kId, {{"trials", "100"}, {"d", "4"}, {"scores", "88.5,1"}}).lines[4].find("inf") ==
        std::string::npos);
}

// 1.001 is 1.0009765625 in fp16, and that less 8 is -7; 3.01 and 2.99 are 3.015625 and 2.984375 in
// bf16.
TEST_CASE("softmax_overflow: scores and differences are rounded before the exponential") {
  const Text few = {{"trials", "100"}, {"d", "4"}};
  Text row = few;
  row["scores"] = "8,1.001";
  CHECK(run(kId, row).lines[3].starts_with("fp16 e^(s-max) = 1 0.00091171265 "));
  row["scores"] = "3.01,2.99";
  CHECK(run(kId, row).lines[4].starts_with("bf16 e^s = 20.375 "));
  CHECK(run(kId, row).lines[5].starts_with("bf16 e^(s-max) = 1 0.96875 "));
  row["scores"] = "88.5,88.5";
  CHECK(run(kId, row).lines[0].ends_with("sum = inf  weights = 0 0"));
}

// A score of fp16 is infinite under exp from 11.09375 on, of bf16 from 89: what rounds to these.
TEST_CASE("softmax_overflow: shares of broken rows, against theory") {
  for (const char* n : {"8", "64"}) {
    const Result result = run(kId, {{"n_keys", n}, {"trials", "4000"}, {"d", "32,128,512,1024"}});
    CHECK(result.holds == Holds::kYes);
    CHECK(result.verdict == "subtraction_saves_every_row");
    const int keys = std::stoi(n);
    const auto check_share = [&](const char* d, const char* format, double t) {
      const double expected = overflow_share(t, std::stoi(d), keys, 1);
      const double se = std::sqrt(expected * (1 - expected) / 4000);
      CAPTURE(expected);
      CHECK(std::fabs(scalar(result, "rows_broken", at(d, "none", format)).value - expected) < 4 * se + 1e-4);
    };
    for (const char* d : {"32", "128", "512"}) check_share(d, "fp16", 11.08984375);
    for (const char* format : {"fp32", "bf16"}) {
      check_share("1024", format, format[0] == 'f' ? 88.7228 : 88.75);
      CHECK(scalar(result, "rows_broken", at("1024", "1/sqrt(d)", format)).value == 0);
      CHECK(scalar(result, "rows_broken_subtracted", of(format)).value == 0);
    }
    CHECK(scalar(result, "rows_broken", at("512", "1/sqrt(d)", "fp16")).value == 0);
    CHECK(scalar(result, "rows_broken_subtracted", of("fp16")).value == 0);
  }
  CHECK(overflow_share(88.7228, 512, 8, 1) == doctest::Approx(0.00038).epsilon(0.1).scale(0));
}

TEST_CASE("softmax_overflow: with the maximum subtracted, weights far below it are lost in fp16") {
  const Result result = run(kId, {{"trials", "3000"}});
  for (const char* d : {"32", "128", "512"}) {
    for (const char* scale : {"none", "1/sqrt(d)"}) {
      const int64_t width = std::stoll(d);
      const double factor = scale[0] == 'n' ? 1 : 1 / std::sqrt(static_cast<double>(width));
      int64_t zeros = 0;
      ProgressMeter meter(kId);
      sample_scores({}, 0, width, 8, 3000, meter, [&](const float* scores) {
        const double max = static_cast<double>(*std::max_element(scores, scores + 8));
        for (int i = 0; i < 8; ++i) {
          zeros += factor * (static_cast<double>(scores[i]) - max) < -25 * std::log(2.0);
        }
      });
      const Scalar& lost = scalar(result, "weights_zero", at(d, scale, "fp16"));
      CHECK(std::fabs(lost.value - static_cast<double>(zeros) / 24000) < 0.003);
      if (scale[0] == '1') CHECK(lost.value == 0);
    }
  }
  const Scalar& most = scalar(result, "weights_zero", at("512", "none", "fp16"));
  CHECK(std::fabs(most.value - 0.687) < 4 * most.se);
  CHECK(most.se > 0.0028);  // of rows, not of weights
  CHECK(scalar(result, "weights_zero", at("512", "none", "fp32")).value < 0.01);
}

TEST_CASE("softmax_overflow: what is infinite before the softmax is outside the claim") {
  const Result some = run(kId, {{"scale", "1000"}, {"trials", "100"}});  // beyond 65504, in fp16
  CHECK(some.verdict == "subtraction_saves_finite_rows");
  CHECK(some.holds == Holds::kYes);
  CHECK(scalar(some, "rows_broken", at("512", "1000", "fp16")).value == 1);
  CHECK(scalar(some, "rows_broken_subtracted", {{"format", "fp16"}}).value == 0);
  const Result all = run(kId, {{"scale", "3e38"}, {"trials", "100"}, {"d", "512"}, {"n_keys", "64"}});
  CHECK(all.verdict == "scores_not_finite");
  CHECK(all.holds == Holds::kCannotBeJudged);
}

TEST_CASE("softmax_overflow: nothing overflows, figures, and a row that is none") {
  const Result calm = run(kId, {{"d", "4"}, {"trials", "100"}, {"scale", "1/sqrt(d)"}});
  CHECK(calm.verdict == "nothing_overflows");
  CHECK(calm.holds == Holds::kCannotBeJudged);
  CHECK(calm.figures.size() == 4);  // two charts, and one row with and without the maximum subtracted
  const Result result = run(kId);
  const Figure& lines = figure(result, "rows_broken_over_d", {{"scale", "none"}});
  REQUIRE(lines.series.size() == 3);
  CHECK(lines.series[1].name == "fp16");
  CHECK(lines.series[1].y[2] == scalar(result, "rows_broken", at("512", "none", "fp16")).value);
  CHECK(figure(result, "zero_weights_over_d", {{"scale", "none"}}).series[1].y[1] ==
        scalar(result, "weights_zero", at("128", "none", "fp16")).value);
  const ValueError error = thrown_by<ValueError>([&] { run(kId, {{"scores", "1,2;3,4"}}); });
  CHECK(error.argument == "scores");
  CHECK(error.expected == "(1, 2)");
  CHECK(error.got == "(2, 2)");
}

}  // namespace
}  // namespace sqrtdk::test
