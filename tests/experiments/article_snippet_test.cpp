#include <cmath>

#include "base/errors.h"
#include "experiments/run.h"
#include "reference/thrown_by.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "article_snippet";

// The article's example as PyTorch 1.13 prints it after torch.manual_seed(seed).
TEST_CASE("article_snippet: PyTorch's own lines") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> printed = {
      {"0",
       {"d=32 scaled max=0.491 min=0.034 | unscaled max=0.653 min=0.000",
        "d=128 scaled max=0.320 min=0.009 | unscaled max=1.000 min=0.000",
        "d=512 scaled max=0.386 min=0.003 | unscaled max=0.994 min=0.000"}},
      {"1",
       {"d=32 scaled max=0.562 min=0.025 | unscaled max=1.000 min=0.000",
        "d=128 scaled max=0.267 min=0.016 | unscaled max=0.999 min=0.000",
        "d=512 scaled max=0.313 min=0.016 | unscaled max=0.929 min=0.000"}},
      {"7",
       {"d=32 scaled max=0.306 min=0.016 | unscaled max=0.935 min=0.000",
        "d=128 scaled max=0.286 min=0.007 | unscaled max=0.775 min=0.000",
        "d=512 scaled max=0.481 min=0.013 | unscaled max=0.997 min=0.000"}},
      {"11",
       {"d=32 scaled max=0.611 min=0.003 | unscaled max=0.882 min=0.000",
        "d=128 scaled max=0.383 min=0.032 | unscaled max=1.000 min=0.000",
        "d=512 scaled max=0.375 min=0.027 | unscaled max=1.000 min=0.000"}},
  };
  for (const auto& [seed, lines] : printed) {
    CHECK(run(kId, {{"rng", "torch"}, {"seed", seed}}).lines == lines);
  }
}

Labels at(const char* d, const char* scale) { return {{"d", d}, {"scale", scale}}; }

TEST_CASE("article_snippet: weights, scores and their summary agree") {
  const Result result = run(kId, {{"rng", "torch"}});
  REQUIRE(result.figures.size() == 3);
  const Figure& figure = result.figures[0];
  CHECK(figure.name == "weights");
  CHECK(figure.at == Labels{{"d", "32"}});
  REQUIRE(figure.series.size() == 2);
  CHECK(figure.series[0].name == "scaled");
  CHECK(figure.series[1].role == Role::kUnscaled);
  const double weights[] = {0.06679452210664749, 0.037080127745866776, 0.12603458762168884,
                            0.1460251808166504,  0.06333575397729874,  0.03379029408097267,
                            0.4907044768333435,  0.03623504191637039};
  double sum = 0;
  for (size_t i = 0; i < 8; ++i) {
    CHECK(figure.series[0].x[i] == static_cast<double>(i + 1));
    CHECK(figure.series[0].y[i] == doctest::Approx(weights[i]).epsilon(1e-6));
    sum += figure.series[1].y[i];
  }
  CHECK(sum == doctest::Approx(1).epsilon(1e-6));
  CHECK(test::scalar(result, "softmax_max", at("32", "1/sqrt(d)")).value ==
        doctest::Approx(weights[6]).epsilon(1e-6));
  CHECK(test::scalar(result, "softmax_min", at("32", "1/sqrt(d)")).value ==
        doctest::Approx(weights[5]).epsilon(1e-6));
  double entropy = 0;
  for (const double p : weights) entropy -= p * std::log(p);
  CHECK(test::scalar(result, "entropy_nats", at("32", "1/sqrt(d)")).value ==
        doctest::Approx(entropy).epsilon(1e-6));
  CHECK(test::scalar(result, "logit_variance_per_trial", at("512", "none")).expected == 512);
}

TEST_CASE("article_snippet: paired draws, where growing d only appends components") {
  const Result result = run(kId, {{"draws", "paired"}, {"d", "1,2,32,128"}});
  const auto variance = [&](const char* d, const char* scale) {
    return test::scalar(result, "logit_variance_per_trial", at(d, scale)).value;
  };
  CHECK(variance("32", "none") == doctest::Approx(32 * variance("32", "1/sqrt(d)")).epsilon(1e-5));
  CHECK(variance("1", "none") == variance("1", "1/sqrt(d)"));
  for (const char* d : {"2", "128"}) {  // each d alone gives the same
    CHECK(run(kId, {{"draws", "paired"}, {"d", d}}).lines[0] == result.lines[d[0] == '2' ? 1 : 3]);
  }
  // With 1 key more, the first 8 scores stay; so do the ratios of their weights.
  const Result more = run(kId, {{"draws", "paired"}, {"d", "32"}, {"n_keys", "9"}});
  const std::vector<double>& before = result.figures[2].series[0].y;
  const std::vector<double>& after = more.figures[0].series[0].y;
  for (size_t i = 1; i < 8; ++i)
    CHECK(after[i] / after[0] == doctest::Approx(before[i] / before[0]).epsilon(1e-5));
}

TEST_CASE("article_snippet: torch's paired draws use the calls of the scaled run alone") {
  const Result independent = run(kId, {{"rng", "torch"}, {"d", "32"}});
  const Result paired = run(kId, {{"rng", "torch"}, {"d", "32"}, {"draws", "paired"}});
  CHECK(paired.figures[0].series[0].y == independent.figures[0].series[0].y);
  CHECK(paired.figures[0].series[1].y != independent.figures[0].series[1].y);
}

// Expected: 8 · 10^7 draws of each kind in a program of its own, to 0.001 % and better. Ours are 4,000 runs.
TEST_CASE("article_snippet: independent draws are sometimes reversed, paired ones never") {
  constexpr int kRuns = 4000;
  const char* dims[] = {"32", "128", "512"};
  const double expected[] = {0.03045, 0.01009, 0.00399};
  int reversed[3] = {}, reversed_paired = 0, reversed_verdicts = 0;
  for (int seed = 0; seed < kRuns; ++seed) {
    const Text params = {{"seed", std::to_string(seed)}};
    const Result result = run(kId, params);
    int now = 0;
    for (int i = 0; i < 3; ++i) {
      const double scaled = test::scalar(result, "softmax_max", at(dims[i], "1/sqrt(d)")).value;
      const bool below = test::scalar(result, "softmax_max", at(dims[i], "none")).value < scaled;
      reversed[i] += below;
      now += below;
    }
    CHECK(result.verdict == (now > 0 ? "reversed_by_chance" : "unscaled_is_sharper"));
    CHECK(result.holds == (now > 0 ? Holds::kCannotBeJudged : Holds::kYes));
    reversed_verdicts += now > 0;
    if (seed < 500) {
      const Result paired = run(kId, {{"seed", std::to_string(seed)}, {"draws", "paired"}});
      reversed_paired += paired.verdict != "unscaled_is_sharper";
      CHECK(paired.holds == Holds::kYes);
    }
  }
  for (int i = 0; i < 3; ++i) {
    const double se = std::sqrt(expected[i] * (1 - expected[i]) / kRuns);
    CAPTURE(dims[i]);
    CAPTURE(reversed[i]);
    CHECK(std::fabs(static_cast<double>(reversed[i]) / kRuns - expected[i]) <
          4 * se + 0.00001);  // its last digit
  }
  CHECK(reversed_paired == 0);
  CHECK(reversed_verdicts > 0);
}

TEST_CASE("article_snippet: the reader's own q and k") {
  const Text own = {{"q", "1,2"}, {"k", "3,4;-1,0.5;0,0"}};
  const Result result = run(kId, own);
  REQUIRE(result.lines.size() == 1);  // scores 11, 0, 0
  CHECK(result.lines[0] == "d=2 scaled max=0.999 min=0.000 | unscaled max=1.000 min=0.000");
  const std::vector<double>& weights = result.figures[0].series[0].y;
  const double root = std::sqrt(2.0);
  CHECK(weights[1] == doctest::Approx(1 / (std::exp(11 / root) + 2)).epsilon(1e-6));
  CHECK(result.verdict == "unscaled_is_sharper");
  CHECK(run(kId, {{"q", "1;2"}, {"k", own.at("k")}}).lines == result.lines);
  CHECK(run(kId, {{"q", "1;2"}, {"k", own.at("k")}, {"d", "7"}, {"draws", "independent"}}).lines ==
        result.lines);
  const Result huge = run(kId, {{"q", "3e38,3e38"}, {"k", "3e38,3e38;1,1"}});
  CHECK(huge.holds == Holds::kCannotBeJudged);
  CHECK(huge.verdict == "scores_not_finite");
}

TEST_CASE("article_snippet: equal weights are not larger") {
  for (const Text& equal :
       {Text{{"draws", "paired"}, {"d", "1"}}, Text{{"d", "1"}}, Text{{"draws", "paired"}, {"n_keys", "1"}},
        Text{{"n_keys", "1"}}, Text{{"q", "0,0"}, {"k", "1,2;3,4"}}, Text{{"q", "5"}, {"k", "1;1;1"}},
        Text{{"q", "100,100"}, {"k", "100,100;0,0"}}}) {
    const Result result = run(kId, equal);
    CHECK(result.verdict == "equal_weights");
    CHECK(result.holds == Holds::kCannotBeJudged);
  }
  const Result some = run(kId, {{"draws", "paired"}, {"d", "1,32"}});
  CHECK(some.verdict == "unscaled_is_sharper");
  CHECK(some.holds == Holds::kYes);
}

template <class E>
void refuses(const Text& params, ErrorCode code, const std::string& argument, const std::string& expected,
             const std::string& got) {
  const E error = thrown_by<E>([&] { run(kId, params); });
  CHECK(error.code == code);
  CHECK(error.argument == argument);
  CHECK(error.expected == expected);
  CHECK(error.got == got);
}

TEST_CASE("article_snippet: what does not fit is refused") {
  using enum ErrorCode;
  refuses<ValueError>({{"q", "1,2"}}, kEmpty, "k", "shape (n_keys, 2)", "");
  refuses<ValueError>({{"k", "1,2,3;4,5,6"}}, kEmpty, "q", "shape (1, 3)", "");
  refuses<ShapeError>({{"q", "1,2;3,4"}, {"k", "1,2"}}, kWrongShape, "q", "(1, d)", "(2, 2)");
  refuses<ShapeError>({{"q", "1,2"}, {"k", "1,2,3;4,5,6"}}, kWrongShape, "k", "(n_keys, 2)", "(2, 3)");
  refuses<ValueError>({{"d", "32,16384"}, {"n_keys", "4096"}}, kOutOfRange, "d", "1 .. 4096 (n_keys = 4096)",
                      "16384");
}

TEST_CASE("article_snippet: work is the number of draws, eightfold where they are PyTorch's") {
  const auto work = [](const Text& text) { return estimated_work(kId, text); };
  CHECK(work({}) == 2 * 9 * (32 + 128 + 512));
  CHECK(work({{"draws", "paired"}, {"d", "10"}, {"n_keys", "4"}}) == 50);
  CHECK(work({{"draws", "paired"}, {"d", "10"}, {"n_keys", "4"}, {"rng", "torch"}}) == 400);
}

TEST_CASE("article_snippet: long draws of either generator can be cancelled") {
  for (const char* rng : {"philox", "torch"}) {
    int calls = 0;
    const auto long_run = [&] {
      run_experiment(kId, {{"d", "4096"}, {"n_keys", "1024"}, {"rng", rng}},
                     [&](double) { return ++calls < 5; });
    };
    CHECK_THROWS_AS(long_run(), Cancelled);
    CHECK(calls == 5);
  }
}

}  // namespace
}  // namespace sqrtdk::test
