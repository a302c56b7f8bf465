#include <algorithm>
#include <array>
#include <cmath>

#include "base/errors.h"
#include "base/text.h"
#include "experiments/grids.h"
#include "lab/sampling.h"
#include "reference/thrown_by.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "similarity_measures";

Labels at(const char* d, const char* label, const char* value) { return {{"d", d}, {label, value}}; }

TEST_CASE("similarity_measures: all three come from one product and the lengths") {
  const Text runs[] = {{}, {{"n_keys", "33"}, {"seed", "4"}}, {{"d", "1,3,300"}}};
  for (const Text& params : runs) {
    const Result result = run(kId, params);
    CHECK(result.holds == Holds::kYes);
    CHECK(result.verdict == "measures_are_one_product");
    int errors = 0;
    for (const Scalar& each : result.scalars) {
      if (each.expected != 0) continue;
      ++errors;
      CHECK(each.value < 2e-6);
    }
    CHECK(errors >= 9);
  }
}

TEST_CASE("similarity_measures: three measures, three winners") {
  const Result result = run(kId);
  const auto best = [&](const char* measure) {
    return scalar(result, "best_key", {{"measure", measure}}).value;
  };
  CHECK(best("dot") == 1);
  CHECK(best("cosine_similarity") == 0);
  CHECK(best("euclidean") == 2);
  CHECK(result.lines[0] == "key 0: q·k = 1.000  cos = 1.000  |q-k| = 1.789");
  CHECK(result.lines[1] == "key 1: q·k = 8.000  cos = 0.664  |q-k| = 4.243");
  CHECK(result.lines[2] == "key 2: q·k = 4.200  cos = 0.934  |q-k| = 0.800");
  const Figure& bars = figure(result, "weights");
  const double dot[] = {1, 8, 4.2}, cosine[] = {1, 8 / std::sqrt(5.0 * 29), 4.2 / std::sqrt(5 * 4.04)};
  const double square[] = {3.2, 18, 0.64};
  for (size_t i = 0; i < 3; ++i) {
    CHECK(std::log(bars.series[0].y[i] / bars.series[0].y[0]) ==
          doctest::Approx((dot[i] - 1) / std::sqrt(2.0)));
    CHECK(std::log(bars.series[1].y[i] / bars.series[1].y[0]) ==
          doctest::Approx((cosine[i] - 1) * std::sqrt(2.0)).epsilon(1e-6));
    CHECK(std::log(bars.series[2].y[i] / bars.series[2].y[0]) ==
          doctest::Approx((3.2 - square[i]) / (2 * std::sqrt(2.0))).epsilon(1e-6));
  }
}

TEST_CASE("similarity_measures: the numbers of the printed lines, key by key") {
  const Result result = run(kId);
  REQUIRE(result.printed.size() == 3 * result.lines.size());
  for (size_t i = 0; i < result.printed.size(); ++i) {
    const Scalar& number = result.printed[i];
    CHECK(number.name == std::array{"dot", "cosine_similarity", "euclidean"}[i % 3]);
    CHECK(number.at == Labels{{"key", i / 3}});
    CHECK(result.lines[i / 3].find("= " + fixed(number.value, 3)) != std::string::npos);
  }
}

TEST_CASE("similarity_measures: winners and largest weights, recomputed from the draws") {
  constexpr int64_t d = 6, n = 5, trials = 200;
  const Result result = run(kId, {{"d", "6"}, {"n_keys", "5"}, {"trials", "200"}, {"seed", "2"}});
  double same[3] = {}, max[3] = {};
  for (int64_t trial = 0; trial < trials; ++trial) {
    float x[d * (1 + n)];
    sample_standard({}, 2, uint64_t{6} << 32 | static_cast<uint64_t>(trial), 0, x, d * (1 + n));
    double scores[3][n];
    for (int64_t i = 0; i < n; ++i) {
      double qk = 0, qq = 0, kk = 0, distance = 0;
      for (int64_t j = 0; j < d; ++j) {
        const double q = static_cast<double>(x[j]), k = static_cast<double>(x[d + i * d + j]);
        qk += q * k, qq += q * q, kk += k * k, distance += (q - k) * (q - k);
      }
      scores[0][i] = qk / std::sqrt(6.0), scores[1][i] = std::sqrt(6.0) * qk / std::sqrt(qq * kk);
      scores[2][i] = -distance / (2 * std::sqrt(6.0));
    }
    const auto best = std::max_element(scores[0], scores[0] + n) - scores[0];
    for (int m = 0; m < 3; ++m) {
      const auto own = std::max_element(scores[m], scores[m] + n) - scores[m];
      double sum = 0;
      for (const double s : scores[m]) sum += std::exp(s - scores[m][own]);
      same[m] += own == best ? 1.0 / trials : 0;
      max[m] += 1 / sum / trials;
    }
  }
  const char* measures[] = {"dot", "cosine_similarity", "euclidean"};
  for (int m = 0; m < 3; ++m) {
    CHECK(scalar(result, "softmax_max", at("6", "measure", measures[m])).value ==
          doctest::Approx(max[m]).epsilon(1e-6));
    if (m > 0) {
      CHECK(scalar(result, "same_winner", at("6", "measure", measures[m])).value ==
            doctest::Approx(same[m]).epsilon(1e-9));
    }
  }
}

// softmax_max of the reference for the scaled dot product, 8 keys; cosines agree with it more and more.
TEST_CASE("similarity_measures: with d the cosine becomes the scaled dot product, the distance does not") {
  const Result result = run(kId, {{"d", "32,512"}, {"trials", "4000"}});
  check_within(scalar(result, "softmax_max", at("512", "measure", "dot")), 0.360413, 0.00083);
  const Scalar& cosine_32 = scalar(result, "same_winner", at("32", "measure", "cosine_similarity"));
  const Scalar& cosine_512 = scalar(result, "same_winner", at("512", "measure", "cosine_similarity"));
  CHECK(cosine_512.value > cosine_32.value + 4 * cosine_32.se);
  CHECK(cosine_512.value > 0.96);
  for (const char* d : {"32", "512"}) {
    const Scalar& euclidean = scalar(result, "same_winner", at(d, "measure", "euclidean"));
    CHECK(euclidean.value > 0.5);
    CHECK(euclidean.value < 0.58);
  }
  // The length of a key adds N(0, 1/2) to its score.
  CHECK(scalar(result, "softmax_max", at("512", "measure", "euclidean")).value >
        scalar(result, "softmax_max", at("512", "measure", "dot")).value + 0.02);
}

TEST_CASE("similarity_measures: operations and numbers held, counted one by one") {
  const Result result = run(kId, {{"d", "3"}, {"n", "5"}, {"trials", "100"}});
  const auto check = [&](const char* way, double operations, double held) {
    CHECK(scalar(result, "operations", at("3", "way", way)).value == operations);
    CHECK(scalar(result, "numbers_held", at("3", "way", way)).value == held);
  };
  check("dot", 25 * 6, 25);
  check("cosine_similarity", 25 * 6 + 10 * 6 + 10 * 2 + 25 * 2,
        35);                                         // squares; roots and divisions; two factors
  check("euclidean", 25 * 6 + 10 * 6 + 25 * 3, 35);  // squares; -2, + |q|², + |k|²
  check("euclidean_direct", 25 * 9, 25 * 3 + 25);
  const Figure& cost = figure(result, "operations_over_d");
  CHECK(cost.series[3].name == "euclidean_direct");
  CHECK(cost.series[3].y[0] == 1.5);
  const Result wide = run(kId, {{"d", "512"}, {"n", "1024"}, {"trials", "100"}});
  CHECK(figure(wide, "operations_over_d").series[1].y[0] < 1.01);
  CHECK(figure(wide, "operations_over_d").series[2].y[0] < 1.01);
}

TEST_CASE("similarity_measures: the reader's vectors") {
  const Result zero = run(kId, {{"q", "0,0"}, {"k", "1,0;0,0"}, {"trials", "100"}, {"d", "4"}});
  CHECK(zero.lines[1] == "key 1: q·k = 0.000  cos = 0.000  |q-k| = 0.000");
  CHECK(zero.holds == Holds::kYes);
  const auto refused = [](const Text& params, const char* argument, const char* expected) {
    const ValueError error = thrown_by<ValueError>([&] { run(kId, params); });
    CHECK(error.argument == argument);
    CHECK(error.expected == expected);
  };
  refused({{"q", "1,2;3,4"}}, "q", "(1, 2)");
  refused({{"k", "1,2,3"}}, "k", "(1, 2)");
  refused({{"q", ""}}, "q", "at least 1 number");
}

}  // namespace
}  // namespace sqrtdk::test
