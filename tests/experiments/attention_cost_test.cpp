#include <cmath>

#include "base/errors.h"
#include "experiments/counted.h"
#include "experiments/grids.h"
#include "kernels/attention/tiled_attention.h"
#include "lab/sampling.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "attention_cost";
constexpr const char* kWays[] = {"recurrent", "explainable", "tiled"};

Labels at(const char* n, const char* d, const char* way) { return {{"n", n}, {"d", d}, {"way", way}}; }
double value(const Result& result, const char* name, const Labels& labels) {
  return scalar(result, name, labels).value;
}

TEST_CASE("attention_cost: operations, counted one by one") {
  constexpr size_t n = 4, d = 6;
  const Result result = run(kId, {{"n", "4"}, {"d", "6"}, {"rounds", "3"}});
  const double recurrent = test::counted([&] {
    Numbers h(d);
    const Numbers w(d * d), x(d);
    for (size_t t = 0; t < n; ++t) {
      const Numbers from_x = product(w, x), from_h = product(w, h);
      for (size_t c = 0; c < d; ++c) h[c] = tanh(from_x[c] + from_h[c]);
    }
  });
  CHECK(value(result, "attention_operations", at("4", "6", "recurrent")) == recurrent);
  for (const char* way : {"explainable", "tiled"}) {
    CHECK(value(result, "attention_operations", at("4", "6", way)) == test::dot_product_attention(n, d));
    CHECK(value(result, "steps_in_order", at("4", "6", way)) == 1);
  }
  CHECK(value(result, "steps_in_order", at("4", "6", "recurrent")) == 4);
}

TEST_CASE("attention_cost: where attention and recurrence take equally many operations") {
  const Result result = run(kId, {{"n", "3"}, {"d", "6"}, {"rounds", "3"}});
  const double n = value(result, "equal_operations_n", {{"d", "6"}});
  CHECK(4 * n * n * 6 + 6 * n * n == doctest::Approx(n * (4 * 36 + 12)));
}

// Scores and weights of 4 bytes; the keys once more, and what is as large for any n.
TEST_CASE("attention_cost: bytes") {
  const Result result = run(kId, {{"n", "128,256,512"}, {"d", "16"}, {"rounds", "3"}});
  const auto bytes = [&](const char* n, const char* way) {
    return value(result, "bytes_between", at(n, "16", way));
  };
  CHECK(bytes("128", "explainable") == 128 * 128 * 8);
  CHECK(bytes("512", "explainable") == 512 * 512 * 8);
  const ConstView side{nullptr, {512, 16}};
  CHECK(bytes("512", "tiled") ==
        4.0 * static_cast<double>(tiled_attention_forward_scratch(side, side, side)));
  CHECK(bytes("512", "tiled") - bytes("256", "tiled") == 2 * (bytes("256", "tiled") - bytes("128", "tiled")));
  CHECK(bytes("512", "tiled") - bytes("256", "tiled") >= 256 * 16 * 4);
  CHECK(bytes("512", "tiled") < bytes("512", "explainable") / 10);
  CHECK(bytes("128", "recurrent") == bytes("512", "recurrent"));
  CHECK(bytes("128", "recurrent") >= 2 * 16 * 16 * 4);
  const auto power = [&](const char* way) {
    return value(result, "bytes_exponent_n", {{"way", way}, {"d", "16"}});
  };
  CHECK(power("explainable") == doctest::Approx(2));
  CHECK(power("tiled") <= 1);
  CHECK(power("recurrent") == 0);
}

TEST_CASE("attention_cost: both forms of attention agree within rounding") {
  for (const Text& params :
       {Text{{"n", "1,7,256,257,600"}, {"d", "24"}}, Text{{"n", "299,300"}, {"d", "1"}, {"seed", "3"}}}) {
    Text text = params;
    text.emplace("rounds", "3");
    const Result result = run(kId, text);
    CHECK(result.holds == Holds::kYes);
    CHECK(result.verdict == "memory_need_not_be_square");
    int compared = 0;
    for (const Scalar& each : result.scalars) {
      if (each.name != "forms_difference") continue;
      ++compared;
      CHECK(each.value < 3e-6);
      if (each.at[0].value == "600") CHECK(each.value > 0);  // two ways to sum, not one and the same
    }
    CHECK(compared >= 1);
  }
}

TEST_CASE("attention_cost: nothing is said about memory's growth from one n") {
  for (const char* n : {"64", "64,64"}) {
    const Result result = run(kId, {{"n", n}, {"d", "8"}, {"rounds", "3"}});
    CHECK(result.holds == Holds::kCannotBeJudged);
    CHECK(result.verdict == "memory_nothing_compared");
  }
  CHECK(run(kId, {{"n", "64,128"}, {"d", "8"}, {"rounds", "3"}}).verdict == "memory_need_not_be_square");
}

TEST_CASE("attention_cost: the last state, recomputed from the draws") {
  constexpr int64_t n = 5, d = 3;
  const Result result = run(kId, {{"n", "5"}, {"d", "3"}, {"seed", "9"}, {"rounds", "3"}});
  float x[n * d], w[2 * d * d];
  sample_standard({}, 9, 0, 0, x, n * d);
  sample_standard({}, 9, 3, 0, w, 2 * d * d);
  double h[d] = {};
  for (int64_t t = 0; t < n; ++t) {
    double next[d];
    for (int64_t i = 0; i < d; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < d; ++j) {
        sum += static_cast<double>(w[i * d + j]) * static_cast<double>(x[t * d + j]);
        sum += static_cast<double>(w[d * d + i * d + j]) * h[j];
      }
      next[i] = sum / std::sqrt(6.0);
    }
    for (int64_t i = 0; i < d; ++i) h[i] = std::tanh(next[i]);
  }
  const double expected = std::sqrt((h[0] * h[0] + h[1] * h[1] + h[2] * h[2]) / 3);
  CHECK(value(result, "last_state", {{"n", "5"}, {"d", "3"}}) == doctest::Approx(expected).epsilon(1e-5));
}

// On a quiet core 16 and 240 times as long: bounds that a busy one keeps too.
TEST_CASE("attention_cost: times, in kind") {
  const Result result = run(kId, {{"n", "32,512"}, {"d", "32"}, {"rounds", "15"}});
  const auto grows = [&](const char* way) {
    return value(result, "milliseconds", at("512", "32", way)) /
           value(result, "milliseconds", at("32", "32", way));
  };
  CHECK(grows("recurrent") > 4);
  CHECK(grows("recurrent") < grows("explainable"));
  CHECK(grows("explainable") > 30);
  CHECK(grows("tiled") > 30);
}

TEST_CASE("attention_cost: figures") {
  const Result result = run(kId, {{"n", "16,8,32"}, {"d", "8"}, {"rounds", "3"}});
  REQUIRE(result.figures.size() == 3);
  const Labels d = {{"d", "8"}};
  const std::vector<double> x = {8, 16, 32};
  for (size_t i = 0; i < 3; ++i) {
    const Series &time = figure(result, "time_over_n", d).series[i],
                 &bytes = figure(result, "bytes_over_n", d).series[i];
    CHECK(time.name == kWays[i]);
    CHECK(bytes.name == kWays[i]);
    CHECK(time.x == x);
    CHECK(bytes.x == x);
    CHECK(time.y[2] == value(result, "milliseconds", at("32", "8", kWays[i])));
    CHECK(bytes.y[1] == value(result, "bytes_between", at("16", "8", kWays[i])));
  }
  const Figure& work = figure(result, "work_over_n", d);
  REQUIRE(work.series.size() == 2);
  CHECK(work.series[0].name == "recurrent");
  CHECK(work.series[1].name == "either_attention");
  CHECK(work.series[1].y[0] == value(result, "attention_operations", at("8", "8", "tiled")));
}

TEST_CASE("attention_cost: says that it is timed, and what it refuses") {
  CHECK(find_experiment(kId).timed);
  const Text small = {{"n", "1"}, {"d", "1"}, {"rounds", "3"}};
  CHECK(run(kId, small).timed);
  CHECK(estimated_work(kId, small) > 2e6);
  for (const Text& params : {Text{{"n", "4097"}}, Text{{"d", "257"}}, Text{{"n", "1,2,3,4,5,6,7,8,9"}}}) {
    CHECK_THROWS_AS(run(kId, params), ValueError);
  }
}

}  // namespace
}  // namespace sqrtdk::test
