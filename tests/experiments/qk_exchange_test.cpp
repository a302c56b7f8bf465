#include <cmath>

#include "base/errors.h"
#include "experiments/grids.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "qk_exchange";

double value(const Result& result, const char* name) { return scalar(result, name, {}).value; }

TEST_CASE("qk_exchange: the scores transpose bit for bit, whatever the sizes") {
  for (const char* n : {"2", "3", "8", "17", "33", "64"}) {
    for (const char* d_k : {"1", "7", "64", "130"}) {
      const Result result = run(kId, {{"n", n}, {"d_k", d_k}, {"d_model", "96"}, {"seed", n}});
      CAPTURE(n);
      CAPTURE(d_k);
      CHECK(value(result, "score_mismatches") == 0);
      CHECK(grid(result, "scores_swapped").values == transposed(grid(result, "scores")).values);
      CHECK(result.holds == Holds::kYes);
    }
  }
}

TEST_CASE(
    "qk_exchange: softmax of K Qᵀ, transposed, is the softmax of S's columns: the weights do not transpose") {
  const Text runs[] = {{}, {{"seed", "5"}}, {{"n", "13"}, {"scale", "1/d"}}, {{"n", "5"}, {"scale", "0.5"}}};
  for (const Text& params : runs) {
    const Result result = run(kId, params);
    CHECK(result.verdict == "scores_transpose_weights_do_not");
    const Grid& scores = grid(result, "scores");
    const auto given = params.find("scale");
    const double scale = given == params.end() ? 1.0 / 8 : given->second == "0.5" ? 0.5 : 1.0 / 64;
    Grid scaled = scores;
    for (double& x : scaled.values) x *= scale;
    const Grid rows = test::row_softmax(scaled), columns = transposed(test::row_softmax(transposed(scaled)));
    const Grid &weights = grid(result, "weights"), &swapped = grid(result, "weights_swapped_transposed");
    CHECK(test::distance(weights, rows) < 1e-6);
    CHECK(test::distance(swapped, columns) < 1e-6);
    CHECK(value(result, "weights_difference") ==
          doctest::Approx(test::distance(rows, columns)).epsilon(1e-4));
    CHECK(value(result, "weights_difference") > 0.001);
    // Before they are divided the numbers are equal: w_ij r_i = w'_ij c_j.
    for (int64_t i = 1; i < scores.n_rows; ++i) {
      const double odds =
          cell(weights, i, 0) * cell(swapped, 0, 0) / (cell(weights, 0, 0) * cell(swapped, i, 0));
      const double odds_1 =
          cell(weights, i, 1) * cell(swapped, 0, 1) / (cell(weights, 0, 1) * cell(swapped, i, 1));
      CHECK(odds == doctest::Approx(odds_1).epsilon(1e-4));
    }
  }
}

TEST_CASE("qk_exchange: rows of the weights add up to 1, columns do not; exchanged, the other way round") {
  const Result result = run(kId);
  CHECK(value(result, "row_sum_error") <= 0x1p-22);
  CHECK(value(result, "column_sum_error_swapped") <= 0x1p-22);
  CHECK(value(result, "column_sum_error") > 0.1);
  CHECK(value(result, "row_sum_error_swapped") > 0.1);
  CHECK(value(result, "swapped_mismatches") == 64);
  const std::vector<Series>& rows = test::figure(result, "row_sums").series;
  const std::vector<Series>& columns = test::figure(result, "column_sums").series;
  REQUIRE(rows[0].y.size() == 8);
  const Grid &weights = grid(result, "weights"), &swapped = grid(result, "weights_swapped_transposed");
  for (int64_t i = 0; i < 8; ++i) {
    const size_t at = static_cast<size_t>(i);
    double sums[4] = {};
    for (int64_t j = 0; j < 8; ++j) {
      sums[0] += cell(weights, i, j), sums[1] += cell(swapped, i, j);
      sums[2] += cell(weights, j, i), sums[3] += cell(swapped, j, i);
    }
    CHECK(rows[0].y[at] == sums[0]);
    CHECK(rows[1].y[at] == sums[1]);
    CHECK(columns[0].y[at] == sums[2]);
    CHECK(columns[1].y[at] == sums[3]);
    CHECK(rows[0].y[at] == doctest::Approx(1).epsilon(1e-6));
    CHECK(columns[1].y[at] == doctest::Approx(1).epsilon(1e-6));
  }
}

TEST_CASE(
    "qk_exchange: with one projection for both, scores are symmetric and the exchange changes nothing") {
  for (const char* seed : {"0", "1", "2"}) {
    const Result result = run(kId, {{"w_k", "w_q"}, {"seed", seed}, {"scale", "1/d"}});
    CHECK(result.verdict == "exchange_of_equals");
    CHECK(grid(result, "scores").values == transposed(grid(result, "scores")).values);
    CHECK(value(result, "swapped_mismatches") == 0);
    CHECK(value(result, "weights_difference") > 0.001);  // rows against columns all the same
  }
  const Result hard = run(kId, {{"w_k", "w_q"}});
  CHECK(std::fabs(value(hard, "weights_difference") - 6e-5) < 5e-6);
  CHECK(value(hard, "column_sum_error") > 1e-4);
}

TEST_CASE("qk_exchange: nothing to compare where columns add up to 1 as well") {
  CHECK(run(kId, {{"n", "1"}}).verdict == "exchange_nothing_compared");
  CHECK(run(kId, {{"scale", "0"}}).verdict == "exchange_nothing_compared");
  CHECK(run(kId, {{"n", "1"}}).holds == Holds::kCannotBeJudged);
  const Result result = run(kId, {{"scale", "3e38"}});
  CHECK(result.verdict == "scores_not_finite");
  CHECK(result.holds == Holds::kCannotBeJudged);
  for (int seed = 0; seed < 200; ++seed) {  // saturated, two tokens: sometimes a permutation
    CHECK(
        run(kId, {{"n", "2"}, {"scale", "none"}, {"d_model", "16"}, {"seed", std::to_string(seed)}}).holds !=
        Holds::kNo);
  }
}

// N(0, 2 / (d_model + d_k)) gives q the variance 1 only where d_k = d_model.
TEST_CASE("qk_exchange: Xavier's variance of q is 2 d_model / (d_model + d_k)") {
  for (const auto& [d_k, expected] : {std::pair{"64", 512.0 / 288}, {"512", 1.0}, {"8", 512.0 / 260}}) {
    double sum = 0, squares = 0;
    for (int seed = 0; seed < 25; ++seed) {
      const Result result = run(kId, {{"d_k", d_k}, {"seed", std::to_string(seed)}});
      const Scalar& each = scalar(result, "q_variance", {});
      CHECK(each.expected == doctest::Approx(expected));
      sum += each.value, squares += each.se * each.se;
    }
    CHECK(std::fabs(sum / 25 - expected) < 4 * std::sqrt(squares) / 25);
  }
}

}  // namespace
}  // namespace sqrtdk::test
