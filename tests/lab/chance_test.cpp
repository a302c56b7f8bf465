#include "lab/chance.h"

#include <doctest/doctest.h>

#include <cmath>

#include "lab/score_moments.h"
#include "tensor/random.h"

namespace sqrtdk {
namespace {

TEST_CASE("chance: each of m comparisons has its part of the false alarms") {
  for (const int64_t m : {1, 8, 1000}) {
    const double part = std::erfc(Chance(m).z() / std::sqrt(2.0));
    CHECK(part * static_cast<double>(m) <= kFalseAlarms);
    CHECK(part * static_cast<double>(m) > 0.9 * kFalseAlarms);
  }
  CHECK(Chance(1).z() == doctest::Approx(4.9).epsilon(0.01));
}

TEST_CASE("chance: what is far from theory is not explained, whatever was measured") {
  const Chance chance(1);
  const Uncertainty normal = Uncertainty::of_mean(100, 2, 0, 0);
  CHECK(normal.se == 0.2);
  CHECK(chance.reach(normal) == chance.z() * 0.2);
  CHECK(chance.explains(4 * normal.se, normal));
  CHECK(chance.explains(-4 * normal.se, normal));
  CHECK(!chance.explains(6 * normal.se, normal));
  CHECK(!chance.explains(kNone, normal));
  const Uncertainty none;  // a constant
  CHECK(chance.explains(0, none));
  CHECK(chance.explains(1e-7, none, 1e-6));
  CHECK(!chance.explains(1e-5, none, 1e-6));
}

// A gamma distribution of shape k: skewness 2/sqrt(k), excess kurtosis 6/k. Its upper quantile is beyond that
// of a normal one: of k = 16, P(z > 8.89) = 1e-8 · 5 by the incomplete gamma function.
TEST_CASE("chance: a skewed mean may be further away") {
  const Chance chance(1);
  const Uncertainty gamma = Uncertainty::of_mean(16, 4, 2, 6);
  CHECK(gamma.skewness == 0.5);
  CHECK(gamma.excess_kurtosis == 0.375);
  CHECK(gamma.known());
  CHECK(chance.reach(gamma) > 1.25 * chance.z());
  CHECK(chance.reach(gamma) < 2 * chance.z());
  CHECK(!Uncertainty::of_mean(100, HUGE_VAL, 0, 0).known());
  CHECK(!Uncertainty::of_mean(100, 1, 20, 6).known());
  CHECK(!Uncertainty::of_mean(100, 1, 0, kNone).known());
  const auto known = [](double skewness, double excess_kurtosis) {
    return Uncertainty{.se = 1, .skewness = skewness, .excess_kurtosis = excess_kurtosis}.known();
  };
  for (const double sign : {1, -1}) {
    CHECK(known(sign * 1.5, sign * 6));
    CHECK(!known(sign * 1.6, 0));
    CHECK(!known(0, sign * 6.1));
  }
}

TEST_CASE("chance: a share of which nothing was seen may be there") {
  CHECK(Chance(1).reach(0, 100, 1) > 0.02);
  CHECK(Chance(1).reach(0, 10000, 1) < 0.001);
  CHECK(Chance(1).reach(0, 100, 0) == 0);
}

TEST_CASE("chance: a median's interval has it, and shrinks with the sample") {
  double before = HUGE_VAL;
  for (const int n : {100, 1000, 10000}) {
    std::vector<float> drawn(static_cast<size_t>(n));
    for (uint64_t seed = 0; seed < 50; ++seed) {
      philox_uniform(seed, 0, 0, drawn.data(), n);
      const Interval median = Chance(1).median({drawn.begin(), drawn.end()});
      CHECK(median.low < 0.5);
      CHECK(median.high > 0.5);
      if (seed > 0) continue;
      CHECK(median.high - median.low < before / 2);
      before = median.high - median.low;
    }
  }
}

/// Measured over many trials of n keys.
struct Measured {
  Moments mean, square;
  Measured(const Population& population, int64_t d, int64_t n, const ScoreTheory& theory) {
    ProgressMeter meter("test");
    sample_scores(population, 5, d, n, 40000, meter, [&](const float* scores) {
      double sum = 0, squares = 0;
      for (int64_t i = 0; i < n; ++i) {
        const double from = static_cast<double>(scores[i]) - theory.mean;
        sum += from / static_cast<double>(n);
        squares += from * from / static_cast<double>(n);
      }
      mean.add(sum);
      square.add(squares);
    });
  }
};

TEST_CASE("chance: theory's standard errors of a mean and a variance are those of many trials") {
  const Population populations[] = {{},
                                    {.distribution = Distribution::kUniform, .mean = 0.5},
                                    {.distribution = Distribution::kRademacher, .sigma_q = 2},
                                    {.mean = 1, .sigma_k = 0.5, .correlation = 0.5},
                                    {.distribution = Distribution::kUniform, .correlation = -1}};
  for (const Population& population : populations) {
    for (const int64_t d : {1, 2, 16}) {
      for (const int64_t n : {1, 4}) {
        CAPTURE(d);
        CAPTURE(n);
        CAPTURE(&population - populations);
        const ScoreTheory theory = score_theory(population, d);
        const Measured measured(population, d, n, theory);
        CHECK(theory.uncertainty_of_mean(40000, n).se ==
              doctest::Approx(measured.mean.se()).epsilon(0.05).scale(0));
        CHECK(theory.uncertainty_of_variance(40000, n).se ==
              doctest::Approx(measured.square.se()).epsilon(0.12).scale(1e-6));
      }
    }
  }
}

// (1 + x) (1 + y) - 1 given x has the mean x and the variance (1 + x)²; over two components, sums of both.
TEST_CASE("chance: what the squares of two scores of one trial share") {
  const auto shared = [](int64_t d) {
    const ScoreTheory theory = score_theory({.mean = 1}, d);
    return theory.square_shared * theory.square_variance * theory.variance * theory.variance;
  };
  CHECK(shared(1) == doctest::Approx(4 * 2 + 4));            // the variance of 2 x² + 2 x + 1
  CHECK(shared(2) == doctest::Approx(2 * (4 * 2 + 4) + 4));  // of the sum of two such and 2 x₁ x₂
}

// q k of two normal components: E[(q k)²] = 1, E[(q k)^4] = 9, ^6: 225, ^8: 11025.
TEST_CASE("chance: the shape of a squared score") {
  const ScoreTheory theory = score_theory({}, 1);
  CHECK(theory.square_variance == doctest::Approx(8));
  CHECK(theory.square_skewness == doctest::Approx((225 - 27 + 2) / std::pow(8, 1.5)));
  CHECK(theory.square_excess_kurtosis == doctest::Approx((11025 - 900 + 54 - 3) / 64.0 - 3));
  CHECK(theory.shared == 0);
  CHECK(theory.square_shared == doctest::Approx(2.0 / 8));
  CHECK(score_theory({.distribution = Distribution::kRademacher}, 1).square_variance == 0);
  CHECK(!score_theory({.distribution = Distribution::kStudentT, .nu = 5}, 4)
             .uncertainty_of_variance(1000000, 8)
             .known());
}

}  // namespace
}  // namespace sqrtdk
