#include <cmath>

#include "base/errors.h"
#include "experiments/counted.h"
#include "experiments/grids.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "additive_vs_dot";

Labels at(const char* n, const char* d, const char* way) { return {{"n", n}, {"d", d}, {"way", way}}; }
double value(const Result& result, const char* name, const Labels& labels) {
  return scalar(result, name, labels).value;
}

// v · tanh(a + b)
Counted energy(const Numbers& a, const Numbers& b) {
  Numbers e;
  for (size_t c = 0; c < a.size(); ++c) e.push_back(tanh(a[c] + b[c]));
  return dot(Numbers(a.size()), e);
}

TEST_CASE("additive_vs_dot: operations, counted one by one") {
  const Result result =
      run(kId, {{"n", "5"}, {"d", "3"}, {"n_fixed", "5"}, {"d_fixed", "3"}, {"rounds", "3"}});
  constexpr size_t n = 5, d = 3;
  const Numbers w(d * d), x(d);
  const double naive = test::counted([&] {
    for (size_t i = 0; i < n; ++i) {
      Numbers scores;
      for (size_t j = 0; j < n; ++j) scores.push_back(energy(product(w, x), product(w, x)));
      test::attend(scores, d);
    }
  });
  const double projected = test::counted([&] {
    std::vector<Numbers> from_q, from_k;
    for (size_t i = 0; i < n; ++i) from_q.push_back(product(w, x)), from_k.push_back(product(w, x));
    for (const Numbers& query : from_q) {
      Numbers scores;
      for (const Numbers& key : from_k) scores.push_back(energy(query, key));
      test::attend(scores, d);
    }
  });
  const double dot = test::dot_product_attention(n, d);
  CHECK(value(result, "attention_operations", at("5", "3", "additive_naive")) == naive);
  CHECK(value(result, "attention_operations", at("5", "3", "additive_projected")) == projected);
  CHECK(value(result, "attention_operations", at("5", "3", "dot")) == dot);
  CHECK(value(result, "operations_of_dot", at("5", "3", "additive_naive")) == naive / dot);
}

TEST_CASE("additive_vs_dot: computed anew or once, the same bits") {
  for (const Text& params :
       {Text{{"n", "1,2,3,17,33"}, {"d", "1,5,12,33"}, {"n_fixed", "7"}, {"d_fixed", "19"}},
        Text{{"seed", "5"}, {"n", "4"}, {"d", "100"}, {"n_fixed", "9"}}}) {
    Text text = params;
    text.emplace("rounds", "3");
    const Result result = run(kId, text);
    CHECK(result.holds == Holds::kYes);
    CHECK(result.verdict == "additive_needs_no_square");
    int compared = 0;
    for (const Scalar& each : result.scalars) {
      if (each.name != "differing_bits_of_forms") continue;
      ++compared;
      CHECK(each.value == 0);
    }
    CHECK(compared >= 2);
  }
}

// n²d² only where W q is computed for every pair; else nd² + n²d.
TEST_CASE("additive_vs_dot: the powers of n and d") {
  const auto power = [](const Text& params, const char* name, const char* way, const char* other) {
    return value(run(kId, params), name, {{"way", way}, {other, params.at(std::string(other) + "_fixed")}});
  };
  const Text wide = {
      {"n", "1,2,4"}, {"d_fixed", "256"}, {"d", "64,128,256"}, {"n_fixed", "2"}, {"rounds", "3"}};
  CHECK(power(wide, "operations_exponent_n", "additive_naive", "d") == doctest::Approx(2).epsilon(1e-9));
  CHECK(power(wide, "operations_exponent_d", "additive_naive", "n") == doctest::Approx(2).epsilon(0.02));
  CHECK(power(wide, "operations_exponent_n", "additive_projected", "d") == doctest::Approx(1).epsilon(0.02));
  CHECK(power(wide, "operations_exponent_d", "additive_projected", "n") == doctest::Approx(2).epsilon(0.02));
  const Text many = {{"n", "128,256"}, {"d_fixed", "2"}, {"d", "1,2"}, {"n_fixed", "128"}, {"rounds", "3"}};
  CHECK(power(many, "operations_exponent_n", "additive_projected", "d") == doctest::Approx(2).epsilon(0.02));
  CHECK(power(many, "operations_exponent_n", "dot", "d") == doctest::Approx(2).epsilon(1e-9));
  CHECK(power(many, "operations_exponent_d", "dot", "n") < 1);
}

// 16, 7 and 110 times on a quiet core: bounds that a busy one keeps too.
TEST_CASE("additive_vs_dot: times, in kind") {
  const Result result = run(kId, {{"n", "32"}, {"d_fixed", "64"}, {"d", "64"}, {"rounds", "9"}});
  const auto time = [&](const char* way) { return value(result, "milliseconds", at("32", "64", way)); };
  CHECK(time("additive_naive") > 3 * time("additive_projected"));
  CHECK(time("additive_projected") > time("dot"));
  CHECK(time("additive_naive") > 10 * time("dot"));
  CHECK(time("dot") > 1e-4);
}

TEST_CASE("additive_vs_dot: every time with its spread, and as a multiple of the dot product's") {
  const Result result = run(kId, {{"n", "4,8"}, {"d", "8,16"}, {"n_fixed", "8"}, {"d_fixed", "8"}});
  int times = 0;
  for (const Scalar& each : result.scalars) {
    if (each.name == "milliseconds") {
      ++times;
      CHECK(each.value > 0);
      CHECK(each.se >= 0);
      CHECK(each.p10 <= each.p50);
      CHECK(each.p50 == each.value);
      CHECK(each.p50 <= each.p90);
    }
    if (each.name != "time_of_dot") continue;
    Labels dot = each.at;
    CHECK(dot[2].value != "dot");
    const Scalar& own = scalar(result, "milliseconds", each.at);
    dot[2].value = "dot";
    const Scalar& other = scalar(result, "milliseconds", dot);
    CHECK(each.value == doctest::Approx(own.value / other.value));
    CHECK(each.se / each.value ==
          doctest::Approx(std::hypot(own.se / own.value, other.se / other.value)).scale(0));
  }
  CHECK(times == 3 * 3);  // the size that both have is timed once
  CHECK(value(result, "clock_step", {}) > 0);
}

TEST_CASE("additive_vs_dot: figures") {
  const Result result = run(kId, {{"n", "9,3"}, {"d", "16,8,4"}, {"n_fixed", "3"}, {"d_fixed", "8"}});
  REQUIRE(result.figures.size() == 4);
  const Labels n_at = {{"d", "8"}}, d_at = {{"n", "3"}};
  const std::vector<double> over_n = {3, 9}, over_d = {4, 8, 16};
  for (const char* way : {"additive_naive", "additive_projected", "dot"}) {
    size_t index = 0;
    while (figure(result, "time_over_n", n_at).series[index].name != way) ++index;
    const Series &time_n = figure(result, "time_over_n", n_at).series[index],
                 &work_n = figure(result, "work_over_n", n_at).series[index],
                 &time_d = figure(result, "time_over_d", d_at).series[index],
                 &work_d = figure(result, "work_over_d", d_at).series[index];
    CHECK(time_n.x == over_n);
    CHECK(work_n.x == over_n);
    CHECK(time_d.x == over_d);
    CHECK(work_d.x == over_d);
    CHECK(time_n.y[1] == value(result, "milliseconds", at("9", "8", way)));
    CHECK(time_n.y_se[1] == scalar(result, "milliseconds", at("9", "8", way)).se);
    CHECK(work_n.y[0] == value(result, "attention_operations", at("3", "8", way)));
    CHECK(time_d.y[0] == value(result, "milliseconds", at("3", "4", way)));
    CHECK(work_d.y[2] == value(result, "attention_operations", at("3", "16", way)));
  }
}

TEST_CASE("additive_vs_dot: says that it is timed, and what it refuses") {
  const Experiment& experiment = find_experiment(kId);
  CHECK(experiment.timed);
  CHECK(describe_json(experiment).find(R"("timed":true,)") != std::string::npos);
  const Text least = {{"n", "1"}, {"d", "4"}, {"n_fixed", "1"}, {"d_fixed", "4"}};
  const Run small = run_experiment(kId, least);
  CHECK(small.result.verdict == "nothing_compared");
  CHECK(small.result.holds == Holds::kCannotBeJudged);
  CHECK(small.result.timed);
  CHECK(run_json(small).find(R"(,"timed":true,"hash":)") != std::string::npos);
  CHECK(estimated_work(kId, least) > 2e6);  // in a worker, however small
  for (const Text& params : {Text{{"n", "513"}}, Text{{"d", "0"}}, Text{{"rounds", "2"}}}) {
    CHECK_THROWS_AS(run(kId, params), ValueError);
  }
}

}  // namespace
}  // namespace sqrtdk::test
