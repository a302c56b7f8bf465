#include <cmath>

#include "base/errors.h"
#include "experiments/grids.h"
#include "experiments/mixed_precision/half_scores.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "mixed_precision";

Labels at(const char* d, const char* std) { return {{"d", d}, {"std", std}}; }
Labels at(const char* d, const char* std, const char* path) {
  return {{"d", d}, {"std", std}, {"computed", path}};
}

// The reference's simulation, 20,000 scores each: shares with standard errors, exactly beyond 65504, not
// finite with sums in fp16, and in fp32; errors with sums in fp16 and in fp32.
struct Reference {
  const char *d, *std;
  double exact, exact_se, own, own_se, wide, wide_se, own_error, wide_error;
};
constexpr Reference kReference[] = {
    {"64", "32", 0, 0, 0, 0, 0, 0, 0.001209, 0.0002055},
    {"64", "64", 0.04645, 0.0015, 0.07455, 0.0019, 0.0464, 0.0015, 0.001012, 0.0001679},
    {"64", "100", 0.4098, 0.0035, 0.7008, 0.0032, 0.40975, 0.0035, 0.0003113, 6.482e-05},
    {"128", "32", 0, 0, 0, 0, 0, 0, 0.001711, 0.000206},
    {"128", "64", 0.1536, 0.0025, 0.27235, 0.0031, 0.15355, 0.0025, 0.001007, 0.000126},
    {"128", "100", 0.55475, 0.0035, 0.92765, 0.0018, 0.5547, 0.0035, 0.0001543, 4.086e-05},
    {"512", "32", 0.00575, 0.00053, 0.0098, 0.0007, 0.00575, 0.00053, 0.003184, 0.0001992},
    {"512", "64", 0.4806, 0.0035, 0.86555, 0.0024, 0.4804, 0.0035, 0.0004629, 5.275e-05},
    {"512", "100", 0.7716, 0.003, 1, 0, 0.7715, 0.003, 0, 1.457e-05}};

TEST_CASE("mixed_precision: infinities and errors as in the reference") {
  const Result result = run(kId, {{"d", "64,128,512"}, {"std", "32,64,100"}, {"trials", "400"}});
  CHECK(result.holds == Holds::kYes);
  CHECK(result.verdict == "scaling_must_come_first");
  for (const Reference& r : kReference) {
    CAPTURE(r.d);
    CAPTURE(r.std);
    const auto check_share = [&](const Scalar& share, double expected, double se) {
      if (share.se > 0 && expected < 1) {
        check_within(share, expected, se);
      } else {
        CHECK(std::fabs(share.value - expected) < 1e-3);
      }
    };
    const Scalar& exact = scalar(result, "scores_beyond_exactly", at(r.d, r.std));
    check_share(exact, r.exact, r.exact_se);
    CHECK(std::fabs(exact.expected - exact.value) < 0.01);
    check_share(scalar(result, "scores_not_finite", at(r.d, r.std, "own_sum")), r.own, r.own_se);
    check_share(scalar(result, "scores_not_finite", at(r.d, r.std, "fp32_sum")), r.wide, r.wide_se);
    CHECK(scalar(result, "scores_not_finite", at(r.d, r.std, "scaled_after")).value ==
          scalar(result, "scores_not_finite", at(r.d, r.std, "fp32_sum")).value);
    CHECK(scalar(result, "scores_not_finite", at(r.d, r.std, "scaled_before")).value == 0);
    CHECK(scalar(result, "rows_with_nan", at(r.d, r.std, "scaled_before")).value == 0);
    // The reference rounds products too, which adds a fiftieth to the error with sums in fp16.
    const Scalar& wide = scalar(result, "rms_rel_error", at(r.d, r.std, "fp32_sum"));
    CHECK(std::fabs(wide.value / r.wide_error - 1) < 0.04);
    const Scalar& own = scalar(result, "rms_rel_error", at(r.d, r.std, "own_sum"));
    if (r.own_error > 2e-4) CHECK(std::fabs(own.value / r.own_error - 1) < 0.1);
  }
}

TEST_CASE("mixed_precision: at unit spread nothing overflows, and sums in 16 bits err more with d") {
  for (const char* format : {"fp16", "bf16"}) {
    const Result result = run(kId, {{"d", "64,512"}, {"std", "1"}, {"format", format}});
    CHECK(result.holds == Holds::kYes);
    CHECK(result.verdict == "no_score_overflows");
    CHECK(result.lines.empty());
    const double unit = format[0] == 'f' ? 1 : 8;  // bf16 has three bits less
    for (const char* d : {"64", "512"}) {
      const double wide = scalar(result, "rms_rel_error", at(d, "1", "fp32_sum")).value / unit;
      CHECK(wide == doctest::Approx(0.000206).epsilon(0.05).scale(0));
    }
    const double narrow_64 = scalar(result, "rms_rel_error", at("64", "1", "own_sum")).value / unit;
    const double narrow_512 = scalar(result, "rms_rel_error", at("512", "1", "own_sum")).value / unit;
    CHECK(narrow_64 == doctest::Approx(0.0012).epsilon(0.06).scale(0));
    CHECK(narrow_512 == doctest::Approx(0.0032).epsilon(0.06).scale(0));
  }
  CHECK(run(kId, {{"format", "bf16"}}).verdict == "no_score_overflows");
}

// Mean with its standard error, and the intervals of 95 % of median and 90 % quantile; 8 keys.
struct WeightError {
  const char *d, *scale;
  double mean, se, p50_low, p50_high, p90_low, p90_high;
};
constexpr WeightError kWeightErrors[] = {
    {"32", "none", 0.00015128, 1.5e-06, 6.936e-05, 7.398e-05, 0.0004014, 0.0004187},
    {"32", "1/sqrt(d)", 6.3034e-05, 3.4e-07, 4.929e-05, 5.07e-05, 0.0001195, 0.0001232},
    {"128", "none", 0.00015888, 2.3e-06, 1.29e-05, 1.498e-05, 0.0004868, 0.0005185},
    {"128", "1/sqrt(d)", 6.3199e-05, 3.3e-07, 4.967e-05, 5.129e-05, 0.0001184, 0.000122},
    {"512", "none", 0.00016089, 3.5e-06, 1.487e-07, 2.136e-07, 0.0004196, 0.0004823},
    {"512", "1/sqrt(d)", 6.4009e-05, 3.4e-07, 5.043e-05, 5.184e-05, 0.0001208, 0.0001245}};

TEST_CASE("mixed_precision: what rounding the scores does to the weights, as in the reference") {
  const Result result =
      run(kId, {{"d", "32,128,512"}, {"std", "1"}, {"n_keys", "8"}, {"trials", "4000"}, {"seed", "1"}});
  for (const WeightError& each : kWeightErrors) {
    CAPTURE(each.d);
    CAPTURE(each.scale);
    const Scalar& error =
        scalar(result, "max_abs_prob_error_from_rounding_logits", {{"d", each.d}, {"scale", each.scale}});
    check_within(error, each.mean, each.se);
    CHECK(error.p50 > each.p50_low / 1.15);
    CHECK(error.p50 < each.p50_high * 1.15);
    CHECK(error.p90 > each.p90_low / 1.15);
    CHECK(error.p90 < each.p90_high * 1.15);
  }
}

TEST_CASE("mixed_precision: a large spread overflows even when q is scaled first") {
  const Result result = run(kId, {{"d", "64"}, {"std", "1000"}});
  CHECK(result.verdict == "scaling_first_is_not_enough");
  CHECK(result.holds == Holds::kYes);
}

TEST_CASE(
    "mixed_precision: where every score is infinite, there is no error, and where none overflows, nothing to "
    "see") {
  const Result result = run(kId, {{"d", "512"}, {"std", "1000"}, {"trials", "20"}});
  CHECK(scalar(result, "scores_not_finite", at("512", "1000", "own_sum")).value == 1);
  CHECK(std::isnan(scalar(result, "rms_rel_error", at("512", "1000", "own_sum")).value));
  CHECK(std::isnan(scalar(result, "rms_rel_error", at("512", "1000", "own_sum")).se));
  const Result calm = run(kId, {{"d", "64"}, {"std", "2"}});
  CHECK(calm.verdict == "no_score_overflows");
  CHECK(calm.holds == Holds::kCannotBeJudged);
}

TEST_CASE("half_scores: by hand") {
  HalfScores scores(4, 3);
  // std 256: 4 · 256² = 262144. Products 65536 c: the second key's sum passes 65504 and comes back.
  scores.compute({1, 1, 1, 1, 0.25f, 0.25f, 0.25f, 0, 1, -1, 0.5f, 0, -1, -1, -1, -1}, 256, Format::kF16);
  CHECK(scores.exact() == std::vector<double>{49152, 32768, -262144});
  constexpr float inf = std::numeric_limits<float>::infinity();
  CHECK(scores.at(kFp32Sum) == std::vector<float>{49152, 32768, -inf});
  CHECK(scores.at(kOwnSum)[0] == 49152);
  CHECK(!std::isfinite(scores.at(kOwnSum)[1]));
  CHECK(scores.at(kOwnSum)[2] == -inf);
  CHECK(scores.at(kScaledAfter) == std::vector<float>{24576, 16384, -inf});
  CHECK(scores.at(kScaledBefore)[0] == 24576);
  CHECK(scores.at(kScaledBefore)[1] == 16384);
  CHECK(scores.at(kScaledBefore)[2] == -inf);
  CHECK(scores.birth(Format::kF16) == "key 1: inf after 1 of 4 terms; exact 32768.0");
  // 2048 + 1 is 2048 in fp16, as often as one likes.
  HalfScores ones(3, 1);
  ones.compute({2048, 1, 1, 1, 1, 1}, 1, Format::kF16);
  CHECK(ones.exact()[0] == 2050);
  CHECK(ones.at(kFp32Sum)[0] == 2050);
  CHECK(ones.at(kOwnSum)[0] == 2048);
  CHECK(ones.birth(Format::kF16).empty());
  CHECK(largest_number(Format::kBf16) == static_cast<double>(bf16_value(0x7f7f)));
}

TEST_CASE("half_scores: products exact or rounded, where that decides a tie") {
  const float up = 1 + 0x1p-10f, down = 1 - 0x1p-10f;  // up · down = 1 - 2^-20, in fp16 1
  for (const bool round_products : {false, true}) {
    HalfScores scores(2, 1, round_products);
    scores.compute({2050, up, 1, down}, 1, Format::kF16);  // the spacing at 2050 is 2
    CHECK(scores.at(kOwnSum)[0] == (round_products ? 2052 : 2050));
    CHECK(scores.at(kFp32Sum)[0] == 2052);  // in fp32 the sum is 2051
  }
  HalfScores large(2, 1, true);  // 300 · 300 is beyond fp16 alone
  large.compute({300, 300, 300, -300}, 1, Format::kF16);
  CHECK(large.exact()[0] == 0);
  CHECK(!std::isfinite(large.at(kOwnSum)[0]));
  CHECK(large.birth(Format::kF16) == "key 0: inf after 1 of 2 terms; exact 0.0");
}

TEST_CASE(
    "mixed_precision: rounded products err more by a fiftieth at d = 64, and leave sums in fp32 alone") {
  const Text small = {{"d", "64"}, {"std", "1"}, {"n_keys", "64"}};
  Text changed = small;
  changed["products"] = "rounded";
  const Result exact = run(kId, small), rounded = run(kId, changed);
  const auto error = [](const Result& result, const char* path) {
    return scalar(result, "rms_rel_error", {{"d", "64"}, {"std", "1"}, {"computed", path}}).value;
  };
  CHECK(error(rounded, "fp32_sum") == error(exact, "fp32_sum"));
  const double ratio = error(rounded, "own_sum") / error(exact, "own_sum");
  CHECK(ratio > 1.005);
  CHECK(ratio < 1.05);
}

TEST_CASE("mixed_precision: figures and lines") {
  const Result result = run(kId);
  REQUIRE(result.figures.size() == 5);  // the first is sum_over_terms
  const Figure& over = figure(result, "not_finite_over_std", {{"d", "512"}});
  REQUIRE(over.series.size() == 4);
  CHECK(over.series[2].name == "scaled_before");
  CHECK(over.series[1].x == std::vector<double>{1, 32, 64, 100});
  CHECK(over.series[1].y[2] == scalar(result, "scores_not_finite", at("512", "64", "own_sum")).value);
  CHECK(over.series[3].y[2] == scalar(result, "scores_beyond_exactly", at("512", "64")).expected);
  const Figure& rounding = figure(result, "rounding_over_d");
  CHECK(rounding.series[1].y[1] == scalar(result, "rms_rel_error", at("512", "1", "own_sum")).value);
  CHECK(result.lines.front().starts_with("d=64 std=64 key "));
  CHECK(run(kId, {{"std", "64,1,64"}, {"d", "64"}}).scalars.size() == 2 * 10 + 2);
}

}  // namespace
}  // namespace sqrtdk::test
