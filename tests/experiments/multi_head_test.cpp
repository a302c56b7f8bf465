#include <cmath>

#include "base/errors.h"
#include "experiments/grids.h"
#include "lab/tokens.h"
#include "layers/initialize.h"
#include "reference/thrown_by.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "multi_head";

Labels head(int64_t i) { return {{"head", std::to_string(i)}}; }
double value(const Result& result, const char* name) { return scalar(result, name, {}).value; }

TEST_CASE("multi_head: rows of every head and of their mean add up to 1, and the mean is their mean") {
  const Text runs[] = {{}, {{"n_heads", "8"}, {"seed", "3"}}, {{"init", "torch"}, {"text", "猫坐在垫子上"}}};
  for (const Text& params : runs) {
    const Result result = run(kId, params);
    CHECK(result.holds == Holds::kYes);
    CHECK(result.verdict == "heads_are_separate");
    const int64_t h = params.count("n_heads") > 0 ? 8 : 4;
    Grid mean = grid(result, "weights_mean");
    for (const double x : test::product(mean, {6, 1, {}, {}, std::vector<double>(6, 1)}).values) {
      CHECK(std::fabs(x - 1) <= 0x1p-21);
    }
    for (int64_t i = 1; i <= h; ++i) {
      const Grid& weights = grid(result, "weights", head(i));
      for (int64_t row = 0; row < 6; ++row) {
        double sum = 0;
        for (const double x : test::row_of(weights, row)) sum += x;
        CHECK(std::fabs(sum - 1) <= 0x1p-22);
      }
      for (size_t j = 0; j < mean.values.size(); ++j) {
        mean.values[j] -= weights.values[j] / static_cast<double>(h);
      }
    }
    for (const double x : mean.values) CHECK(std::fabs(x) < 1e-6);
  }
}

// log w_h = s_h - const, so one head's scores sum_h s_h / sqrt(h) are known from the weights of h heads.
TEST_CASE("multi_head: one head adds the scores before the softmax, heads are averaged after it") {
  for (const char* h : {"2", "4", "16"}) {
    for (const char* seed : {"0", "1", "2"}) {
      const Result result = run(kId, {{"n_heads", h}, {"seed", seed}});
      const int64_t n_heads = std::stoll(h);
      Grid sum = grid(result, "weights_mean");
      std::fill(sum.values.begin(), sum.values.end(), 0);
      for (int64_t i = 1; i <= n_heads; ++i) {
        const Grid& weights = grid(result, "weights", head(i));
        for (size_t j = 0; j < sum.values.size(); ++j) {
          sum.values[j] += std::log(weights.values[j]) / std::sqrt(static_cast<double>(n_heads));
        }
      }
      const Grid& one = grid(result, "weights_one_head");
      CHECK(distance(one, test::row_softmax(sum)) < 1e-5);
      CHECK(distance(one, grid(result, "weights_mean")) == value(result, "mean_against_one_head"));
      CHECK(value(result, "mean_against_one_head") > 0.05);
      CHECK(value(result, "sum_of_scores_error") < 1e-5);
      CHECK(value(result, "entropy_of_mean") > value(result, "entropy_of_heads"));
      CHECK(value(result, "head_mismatches") == 0);
    }
  }
}

TEST_CASE("multi_head: heads, recomputed in double from the words and the matrices") {
  constexpr int64_t kModel = 12, kHeads = 3, kWidth = 4;
  const char* words[] = {"a", "b", "c", "b"};
  for (const char* init : {"xavier", "torch"}) {
    const Result result =
        run(kId, {{"text", "a b c b"}, {"d_model", "12"}, {"n_heads", "3"}, {"seed", "5"}, {"init", init}});
    std::vector<float> w(3 * kModel * kModel), x(4 * kModel);
    const uint64_t stream = stream_of("in_proj_weight");
    if (init[0] == 't') xavier_uniform({w.data(), {3 * kModel, kModel}}, 1, {5, stream});
    for (uint64_t i = 0; init[0] == 'x' && i < 3; ++i) {
      xavier_uniform({w.data() + i * kModel * kModel, {kModel, kModel}}, 1, {5, stream + i});
    }
    Grid rows{.n_rows = 4, .n_cols = kModel};
    for (size_t i = 0; i < 4; ++i) word_vector(5, words[i], x.data() + i * kModel, kModel);
    for (const float each : x) rows.values.push_back(static_cast<double>(each));
    for (int64_t h = 0; h < kHeads; ++h) {
      const auto projected = [&](int64_t part) {  // rows h·4 .. h·4 + 3 of w_q, w_k, w_v
        Grid block{.n_rows = kWidth, .n_cols = kModel};
        const float* first = w.data() + (part * kModel + h * kWidth) * kModel;
        for (int64_t i = 0; i < kWidth * kModel; ++i) block.values.push_back(static_cast<double>(first[i]));
        return product(rows, transposed(block));
      };
      Grid scores = product(projected(0), transposed(projected(1)));
      for (double& s : scores.values) s /= 2;
      const Grid weights = test::row_softmax(scores);
      CHECK(distance(grid(result, "weights", head(h + 1)), weights) < 1e-6);
      CHECK(distance(grid(result, "head_output", head(h + 1)), product(weights, projected(2))) < 1e-5);
    }
  }
}

TEST_CASE("multi_head: splitting costs the same multiply-adds, and h times the exponentials") {
  for (const char* h : {"1", "2", "4", "8"}) {
    const Result result = run(kId, {{"n_heads", h}});
    const Scalar& count = scalar(result, "multiply_adds", {{"n_heads", h}});
    CHECK(count.value == 4 * 6 * 64 * 64 + 2 * 6 * 6 * 64);
    CHECK(count.expected == count.value);
    CHECK(scalar(result, "exponentials", {{"n_heads", h}}).value == 36 * std::stod(h));
  }
}

TEST_CASE("multi_head: the article's shapes: 8 heads of 64") {
  const Result result = run(kId, {{"d_model", "512"}, {"n_heads", "8"}, {"text", "0 1 2 3 4 5 6 7 8 9"}});
  CHECK(result.holds == Holds::kYes);
  CHECK(grid(result, "head_output", head(8)).n_cols == 64);
  CHECK(grid(result, "output").n_cols == 512);
  CHECK(grid(result, "output").n_rows == 10);
  CHECK(grid(result, "weights", head(1)).n_cols == 10);
}

TEST_CASE("multi_head: nothing to compare with one head or one word; no divisor, no heads") {
  const Result result = run(kId, {{"n_heads", "1"}});
  CHECK(result.verdict == "heads_nothing_compared");
  CHECK(value(result, "mean_against_one_head") == 0);
  CHECK(run(kId, {{"text", "the The the"}}).verdict == "heads_nothing_compared");
  CHECK(run(kId, {{"text", "one"}}).holds == Holds::kCannotBeJudged);
  const Result causal = run(kId, {{"causal", "yes"}});
  CHECK(causal.holds == Holds::kYes);
  CHECK(cell(grid(causal, "weights", head(1)), 0, 0) == 1);
  const ValueError error = thrown_by<ValueError>([&] { run(kId, {{"n_heads", "5"}}); });
  CHECK(error.argument == "n_heads");
  CHECK(error.expected == "a divisor of d_model = 64");
}

}  // namespace
}  // namespace sqrtdk::test
