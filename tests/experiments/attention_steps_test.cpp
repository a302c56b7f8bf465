#include <cmath>

#include "base/errors.h"
#include "experiments/grids.h"
#include "reference/thrown_by.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "attention_steps";

Labels step(const char* number) { return {{"step", number}}; }

const Text kRuns[] = {{},
                      {{"causal", "yes"}},
                      {{"text", "猫坐在垫子上"}, {"seed", "7"}},
                      {{"d_model", "33"}, {"d_k", "17"}, {"scale", "none"}},
                      {{"text", "to be or not to be, that is"}, {"w_k", "w_q"}, {"scale", "1/d"}},
                      {{"text", "one"}, {"d_model", "1"}, {"d_k", "1"}}};

TEST_CASE("attention_steps: each step follows from the one before") {
  for (const Text& params : kRuns) {
    const Result result = run(kId, params);
    CHECK(result.holds == Holds::kYes);
    const Grid &x = grid(result, "x", step("1")), &q = grid(result, "q", step("1")),
               &k = grid(result, "k", step("1")), &v = grid(result, "v", step("1"));
    CHECK(distance(q, product(x, grid(result, "w_q", step("1")))) < 1e-5);
    CHECK(distance(k, product(x, grid(result, "w_k", step("1")))) < 1e-5);
    CHECK(distance(v, product(x, grid(result, "w_v", step("1")))) < 1e-5);
    const Grid& scores = grid(result, "scores", step("2"));
    CHECK(distance(scores, product(q, transposed(k))) < 1e-4);

    const double d_k = static_cast<double>(q.n_cols);
    const auto given = params.find("scale");
    const double scale = given == params.end() ? 1 / std::sqrt(d_k) : given->second == "none" ? 1 : 1 / d_k;
    const Grid& scaled = grid(result, "scaled_scores", step("3"));
    const Grid& weights = grid(result, "weights", step("4"));
    const bool causal = params.count("causal") > 0;
    for (int64_t i = 0; i < scaled.n_rows; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < scaled.n_cols; ++j) {
        const bool masked = causal && j > i;
        CHECK(std::isnan(cell(scaled, i, j)) == masked);
        CHECK(std::isnan(cell(weights, i, j)) == masked);
        if (masked) continue;
        CHECK(cell(scaled, i, j) ==
              static_cast<double>(static_cast<float>(cell(scores, i, j)) * static_cast<float>(scale)));
        sum += cell(weights, i, j);
      }
      CHECK(std::fabs(sum - 1) <= 0x1p-22);
    }
    const Grid expected = test::row_softmax(scaled);
    CHECK(distance(weights, expected) < 1e-6);
    CHECK(distance(grid(result, "output", step("5")), product(expected, v)) < 1e-5);
    CHECK(scalar(result, "scaled_mismatches", {}).value == 0);
    CHECK(scalar(result, "row_sum_error", {}).value <= 0x1p-22);
    CHECK(scalar(result, "output_error", {}).value < 1e-6);
  }
}

TEST_CASE(
    "attention_steps: without positions or a mask, the same word gets the same row and the same weight") {
  const Result result = run(kId);
  CHECK(result.verdict == "steps_agree_same_word");
  CHECK(scalar(result, "same_word_mismatches", {}).value == 0);
  CHECK(grid(result, "weights", step("4")).rows ==
        std::vector<std::string>{"The", "cat", "sat", "on", "the", "mat"});
  for (const auto& [name, number] : {std::pair{"x", "1"},
                                     {"q", "1"},
                                     {"k", "1"},
                                     {"v", "1"},
                                     {"scores", "2"},
                                     {"scaled_scores", "3"},
                                     {"weights", "4"},
                                     {"output", "5"}}) {
    const Grid& rows = grid(result, name, step(number));
    CHECK(row_of(rows, 0) == row_of(rows, 4));
    CHECK(row_of(rows, 0) != row_of(rows, 1));
  }
  const Grid& weights = grid(result, "weights", step("4"));
  for (int64_t i = 0; i < 6; ++i) CHECK(cell(weights, i, 0) == cell(weights, i, 4));

  const Result causal = run(kId, {{"causal", "yes"}});  // a mask tells them apart
  const Grid& output = grid(causal, "output", step("5"));
  CHECK(row_of(output, 0) != row_of(output, 4));
  CHECK(row_of(output, 5) == row_of(grid(result, "output", step("5")), 5));  // the last sees everything
  CHECK(cell(grid(causal, "weights", step("4")), 0, 0) == 1);

  CHECK(run(kId, {{"text", "猫坐在垫子上"}}).verdict == "steps_agree");  // no word twice
  // A word's vector does not depend on the others.
  const Result alone = run(kId, {{"text", "cat"}});
  CHECK(row_of(grid(alone, "v", step("1")), 0) == row_of(grid(result, "v", step("1")), 1));
}

TEST_CASE("attention_steps: with one projection for both sides, a search finds the shared words") {
  const Text shared = {{"mode", "search"}, {"d_model", "128"}, {"d_k", "128"}, {"w_k", "w_q"}};
  int found = 0, found_own = 0;
  for (int seed = 0; seed < 40; ++seed) {
    Text params = shared;
    params["seed"] = std::to_string(seed);
    const std::string best = "A paper on the transformer";
    found += run(kId, params).lines.at(0).ends_with(best);
    params["w_k"] = "own";
    found_own += run(kId, params).lines.at(0).ends_with(best);
  }
  CHECK(found >= 38);
  CHECK(found_own <= 22);  // chance: 10 of 40, standard deviation 2.7
  const Result result = run(kId, shared);
  REQUIRE(result.lines.size() == 4);
  CHECK(result.lines[0].substr(0, 5) ==
        std::to_string(grid(result, "weights", step("4")).values[0]).substr(0, 5));
  CHECK(grid(result, "weights", step("4")).n_rows == 1);
  CHECK(grid(result, "output", step("5")).n_rows == 1);
  CHECK(grid(result, "w_k", step("1")).values == grid(result, "w_q", step("1")).values);
  const Result lines = run(kId, {{"mode", "search"}, {"documents", "a b；c\nd;\n;e"}});
  CHECK(grid(lines, "weights", step("4")).cols == std::vector<std::string>{"a b", "c", "d", "e"});
}

template <class E>
void refuses(const Text& params, ErrorCode code, const std::string& argument, const std::string& expected) {
  const E error = thrown_by<E>([&] { run(kId, params); });
  CHECK(error.code == code);
  CHECK(error.argument == argument);
  CHECK(error.expected == expected);
}

TEST_CASE("attention_steps: what cannot be shown is refused, what overflows is said") {
  using enum ErrorCode;
  refuses<ValueError>({{"text", " \n "}}, kEmpty, "text", "at least 1 word");
  refuses<ValueError>({{"text", "a b c d e f g h i j k l m"}}, kTooMany, "text", "12");
  refuses<ValueError>({{"mode", "search"}, {"query", "one; two"}}, kTooMany, "query", "1");
  refuses<ValueError>({{"mode", "search"}, {"query", ""}}, kEmpty, "query", "at least 1 word");
  refuses<ValueError>({{"mode", "search"}, {"documents", "1;2;3;4;5;6;7;8;9;10;11;12;13"}}, kTooMany,
                      "documents", "12");
  const Result result = run(kId, {{"scale", "3e38"}, {"d_model", "128"}, {"d_k", "128"}});
  CHECK(result.holds == Holds::kCannotBeJudged);
  CHECK(result.verdict == "scores_not_finite");
}

}  // namespace
}  // namespace sqrtdk::test
