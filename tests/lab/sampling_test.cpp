#include "lab/sampling.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lab/score_moments.h"
#include "lab/statistics.h"
#include "tensor/random.h"

namespace sqrtdk {
namespace {

constexpr Distribution kAll[] = {Distribution::kNormal, Distribution::kUniform, Distribution::kRademacher,
                                 Distribution::kStudentT};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<float> scores_of(const Population& population, int64_t d, int64_t n_keys, int64_t trials,
                             uint64_t seed = 3) {
  std::vector<float> all;
  ProgressMeter meter("test");
  sample_scores(population, seed, d, n_keys, trials, meter,
                [&](const float* scores) { all.insert(all.end(), scores, scores + n_keys); });
  return all;
}

TEST_CASE("sampling: mean 0, variance 1, and the fourth moment that theory says") {
  constexpr int64_t kCount = 400000;
  std::vector<float> x(kCount);
  for (const Distribution distribution : kAll) {
    const Population population{.distribution = distribution, .nu = 12};
    CAPTURE(static_cast<int>(distribution));
    sample_standard(population, 11, 5, 0, x.data(), kCount);
    for (const int order : {1, 2, 3, 4}) {
      CAPTURE(order);
      Moments moments;
      for (const float value : x) {
        double power = 1;
        for (int i = 0; i < order; ++i) power *= static_cast<double>(value);
        moments.add(power);
      }
      CHECK(std::fabs(moments.mean() - moment(population, order)) <= 4 * moments.se() + 1e-6);
    }
  }
}

TEST_CASE("sampling: a coin's sides have as many of the 2^24 uniform numbers each") {
  constexpr uint64_t kHalf = 1819059;  // of the stream (0, 0): the first that is 1/2, and the upper half's
  float uniform = 0, coin = 0;
  philox_uniform(0, 0, kHalf, &uniform, 1);
  sample_standard({.distribution = Distribution::kRademacher}, 0, 0, kHalf, &coin, 1);
  CHECK(uniform == 0.5f);
  CHECK(coin == 1);
}

/// The float nearest to an exact number has an error of half a unit in its last place.
bool nearest(float got, double exact) {
  const double unit = std::fabs(exact) * 0x1p-23;
  return std::fabs(static_cast<double>(got) - exact) <= 0.51 * unit;
}

TEST_CASE("sampling: a uniform number is the centre of its cell") {
  constexpr int64_t kCount = 1000;
  std::vector<float> uniform(kCount), x(kCount);
  philox_uniform(4, 2, 0, uniform.data(), kCount);
  sample_standard({.distribution = Distribution::kUniform}, 4, 2, 0, x.data(), kCount);
  for (size_t i = 0; i < kCount; ++i) {
    const double centre = static_cast<double>(uniform[i]) + 0x1p-25 - 0.5;
    CHECK(std::fabs(static_cast<double>(x[i]) - centre * std::sqrt(12.0)) <= 0x1p-23);
  }
}

// sqrt((nu - 2) (u^(-2/nu) - 1)) cos(2 pi v), u from two numbers of 24 bits.
TEST_CASE("sampling: Student's t is Bailey's formula, also where the first 24 bits of u are 0") {
  constexpr uint64_t kZero = 22892047;  // of the stream (0, 0): the first with such a u
  constexpr int64_t kCount = 2000;
  std::vector<float> uniform(3 * kCount), x(kCount);
  for (const int64_t nu : {3, 8}) {
    for (const uint64_t first : {uint64_t{0}, kZero}) {
      philox_uniform(0, 0, 3 * first, uniform.data(), 3 * kCount);
      sample_standard({.distribution = Distribution::kStudentT, .nu = nu}, 0, 0, first, x.data(), kCount);
      if (first == kZero) CHECK(uniform[0] == 0);
      for (size_t i = 0; i < kCount; ++i) {
        const auto drawn = [&](size_t k) { return static_cast<double>(uniform[3 * i + k]); };
        const double u = drawn(0) + (drawn(1) + 0x1p-25) * 0x1p-24, degrees = static_cast<double>(nu);
        const double radius = std::sqrt((degrees - 2) * (std::pow(u, -2 / degrees) - 1));
        CHECK(nearest(x[i], radius * std::cos(2 * 3.14159265358979323846 * drawn(2))));
      }
    }
  }
}

TEST_CASE("sampling: nothing is written beyond the last element") {
  float x[301];
  for (const Distribution distribution : kAll) {
    std::fill(std::begin(x), std::end(x), 7.0f);
    sample_standard({.distribution = distribution}, 1, 1, 0, x, 300);
    CHECK(x[300] == 7);
  }
}

TEST_CASE("sampling: moments in closed form") {
  const auto of = [](Distribution distribution, int order, int64_t nu = 3) {
    return moment({.distribution = distribution, .nu = nu}, order);
  };
  CHECK(of(Distribution::kNormal, 4) == 3);
  CHECK(of(Distribution::kNormal, 8) == 105);
  CHECK(of(Distribution::kUniform, 4) == doctest::Approx(9.0 / 5));
  CHECK(of(Distribution::kUniform, 2) == 1);
  CHECK(of(Distribution::kRademacher, 4) == 1);
  CHECK(of(Distribution::kStudentT, 0) == 1);
  CHECK(of(Distribution::kStudentT, 2) == 1);
  CHECK(of(Distribution::kStudentT, 4) == kInfinity);
  CHECK(of(Distribution::kStudentT, 3) == 0);
  CHECK(of(Distribution::kStudentT, 4, 10) == doctest::Approx(3.0 * 8 / 6));  // 3 (nu - 2) / (nu - 4)
}

// For nu = 3: F(t) = 1/2 + (atan z + z / (1 + z²)) / pi with z = t / sqrt 3; unit variance is t / sqrt 3.
TEST_CASE("sampling: Student's t follows its distribution function, into the tails") {
  constexpr int64_t kCount = 400000;
  std::vector<float> x(kCount);
  sample_standard({.distribution = Distribution::kStudentT, .nu = 3}, 1, 1, 0, x.data(), kCount);
  for (const double z : {-30.0, -8.0, -2.0, -0.5, 0.0, 0.3, 1.0, 4.0, 20.0}) {
    int64_t below = 0;
    for (const float value : x) below += static_cast<double>(value) < z;
    const double expected = 0.5 + (std::atan(z) + z / (1 + z * z)) / 3.14159265358979;
    const Scalar measured = share("below", {}, below, kCount);
    CAPTURE(z);
    CHECK(std::fabs(measured.value - expected) < 4 * measured.se);
  }
}

TEST_CASE("sampling: an element depends on its index alone") {
  std::vector<float> whole(1000), part(1000);
  for (const Distribution distribution : kAll) {
    const Population population{.distribution = distribution};
    sample_standard(population, 7, 9, 0, whole.data(), 1000);
    for (const size_t first : {size_t{1}, size_t{255}, size_t{777}}) {
      sample_standard(population, 7, 9, first, part.data(), static_cast<int64_t>(1000 - first));
      for (size_t i = first; i < 1000; ++i) CHECK(part[i - first] == whole[i]);
    }
  }
}

TEST_CASE("sampling: scores are q·k of one block of the trial's stream") {
  constexpr int64_t d = 5, n_keys = 3;
  float block[(1 + n_keys) * d];
  const std::vector<float> scores = scores_of({}, d, n_keys, 4);
  for (uint64_t trial = 0; trial < 4; ++trial) {
    philox_normal(3, uint64_t{d} << 32 | trial, 0, block, (1 + n_keys) * d);
    for (int64_t key = 0; key < n_keys; ++key) {
      double dot = 0;
      for (int64_t j = 0; j < d; ++j)
        dot += static_cast<double>(block[j]) * static_cast<double>(block[(1 + key) * d + j]);
      CHECK(static_cast<double>(scores[trial * n_keys + static_cast<size_t>(key)]) ==
            doctest::Approx(dot).epsilon(1e-5));
    }
  }
}

TEST_CASE("sampling: more trials, and blocks too long to draw at once, change nothing") {
  for (const int64_t d : {int64_t{3}, int64_t{16384}}) {
    const std::vector<float> few = scores_of({}, d, 7, 2), more = scores_of({}, d, 7, 3);
    CHECK(std::equal(few.begin(), few.end(), more.begin()));
    const std::vector<float> fewer_keys = scores_of({}, d, 2, 2);
    CHECK(fewer_keys[0] == few[0]);
    CHECK(fewer_keys[1] == few[1]);
    CHECK(fewer_keys[2] == few[7]);
  }
}

TEST_CASE("sampling: mean, standard deviations and correlation are those asked for") {
  const Population population{.mean = 2, .sigma_q = 3, .sigma_k = 0.5, .correlation = 0.6};
  // d = 1, 1 key: score = q k; q and k recovered from the same draws.
  float xy[2];
  const std::vector<float> scores = scores_of(population, 1, 1, 100);
  for (uint64_t trial = 0; trial < 100; ++trial) {
    philox_normal(3, uint64_t{1} << 32 | trial, 0, xy, 2);
    const double x = static_cast<double>(xy[0]), y = static_cast<double>(xy[1]);
    const double q = 2 + 3 * x, k = 2 + 0.5 * (0.6 * x + 0.8 * y);
    CHECK(static_cast<double>(scores[trial]) == doctest::Approx(q * k).epsilon(1e-5));
  }
}

TEST_CASE("score theory: the closed forms") {
  for (const Distribution distribution :
       {Distribution::kNormal, Distribution::kUniform, Distribution::kRademacher}) {
    CAPTURE(static_cast<int>(distribution));
    const double k4 = moment({.distribution = distribution}, 4);
    const auto theory = [&](double mean, double rho, double a = 1, double b = 1) {
      return score_theory(
          {.distribution = distribution, .mean = mean, .sigma_q = a, .sigma_k = b, .correlation = rho}, 16);
    };
    CHECK(theory(0, 0).mean == 0);
    CHECK(theory(0, 0).variance == 16);
    CHECK(theory(0, 0).excess_kurtosis == doctest::Approx((k4 * k4 - 3) / 16));
    CHECK(theory(0, 0, 2, 3).variance == doctest::Approx(16 * 4 * 9));
    CHECK(theory(0, 0.5).mean == doctest::Approx(8));
    CHECK(theory(0, 0.5).variance == doctest::Approx(16 * (1 + 0.25 * (k4 - 2))));
    CHECK(theory(1.5, 0).mean == doctest::Approx(16 * 2.25));
    CHECK(theory(1.5, 0).variance == doctest::Approx(16 * (1 + 2 * 2.25)));
    CHECK(theory(1.5, 0.5).variance ==
          doctest::Approx(16 * (1 + 0.25 * (k4 - 2) + 2 * 2.25 + 2 * 0.5 * 2.25)));
    CHECK(theory(1.5, 0.6, 2, 3).variance_given_q == doctest::Approx(16 * (2.25 + 4) * 9 * 0.64));
  }
  // Normal: 6 (1 + 6 rho² + rho⁴) / ((1 + rho²)² d), from the cumulants of a product of correlated normals.
  CHECK(score_theory({}, 4).excess_kurtosis == doctest::Approx(6.0 / 4));
  const double r2 = 0.49;
  CHECK(score_theory({.correlation = 0.7}, 4).excess_kurtosis ==
        doctest::Approx(6 * (1 + 6 * r2 + r2 * r2) / ((1 + r2) * (1 + r2)) / 4));
  CHECK(score_theory({.distribution = Distribution::kRademacher}, 4).excess_kurtosis ==
        doctest::Approx(-2.0 / 4));
  const Population t3{.distribution = Distribution::kStudentT, .nu = 3};
  CHECK(score_theory(t3, 4).variance == doctest::Approx(4));
  CHECK(score_theory(t3, 4).excess_kurtosis == kInfinity);
  Population correlated = t3;
  correlated.correlation = 0.1;
  CHECK(score_theory(correlated, 4).variance == kInfinity);
  CHECK(std::isnan(score_theory(correlated, 4).excess_kurtosis));
}

TEST_CASE("score moments: against direct sums") {
  const float trials[3][2] = {{1, 4}, {-2, 3}, {0, 7}};
  ScoreMoments moments(1.5, 2);
  double mean = 0;
  for (const auto& trial : trials) {
    moments.add_trial(trial, 2);
    mean += static_cast<double>(trial[0] + trial[1]) / 6;
  }
  double c2 = 0, c4 = 0;
  Moments means;
  for (const auto& trial : trials) {
    for (const float score : trial) {
      const double u = static_cast<double>(score) - mean;
      c2 += u * u / 6;
      c4 += u * u * u * u / 6;
    }
    means.add(static_cast<double>(trial[0] + trial[1]) / 2);
  }
  CHECK(moments.mean().value == doctest::Approx(mean));
  CHECK(moments.mean().se == doctest::Approx(means.se()));
  CHECK(moments.variance().value == doctest::Approx(c2 + means.se() * means.se()));
  CHECK(moments.excess_kurtosis().value == doctest::Approx(c4 / (c2 * c2) - 3));
}

TEST_CASE("score moments: standard errors, by differences of what they are of over the means of powers") {
  const float trials[5][3] = {{1, 4, -1}, {-2, 3, 2}, {0, 7, 1}, {2, -3, 5}, {-1, 0, 3}};
  ScoreMoments moments(1, 2);
  using Powers = std::array<double, 4>;
  std::vector<Powers> each;
  Powers mean{};
  for (const auto& trial : trials) {
    moments.add_trial(trial, 3);
    Powers powers{};
    for (const float score : trial) {
      for (int power = 1; power <= 4; ++power) {
        powers[static_cast<size_t>(power - 1)] += std::pow(static_cast<double>(score), power) / 3;
      }
    }
    each.push_back(powers);
    for (size_t i = 0; i < 4; ++i) mean[i] += powers[i] / 5;
  }
  const auto variance = [](const Powers& p) { return p[1] - p[0] * p[0]; };
  const auto kurtosis = [&](const Powers& p) {
    const double m = p[0], c4 = p[3] - 4 * m * p[2] + 6 * m * m * p[1] - 3 * m * m * m * m;
    return c4 / (variance(p) * variance(p)) - 3;
  };
  const auto standard_error = [&](const auto& f) {
    double squares = 0;  // of what a trial adds to f, to first order
    for (const Powers& powers : each) {
      Powers up = mean, down = mean;
      for (size_t i = 0; i < 4; ++i) {
        up[i] += 1e-4 * (powers[i] - mean[i]);
        down[i] -= 1e-4 * (powers[i] - mean[i]);
      }
      const double slope = (f(up) - f(down)) / 2e-4;
      squares += slope * slope;
    }
    return std::sqrt(squares / 4 / 5);
  };
  CHECK(moments.variance().se == doctest::Approx(standard_error(variance)).epsilon(1e-6));
  CHECK(moments.excess_kurtosis().value == doctest::Approx(kurtosis(mean)));
  CHECK(moments.excess_kurtosis().se == doctest::Approx(standard_error(kurtosis)).epsilon(1e-6));
}

TEST_CASE("score moments: no error of scores that do not differ, and a small one where they hardly do") {
  const float equal[2] = {3, 3}, more[2] = {3.5f, 3.5f};
  ScoreMoments same(0, 1), close(0, 1);
  same.add_trial(equal, 2), same.add_trial(equal, 2);
  CHECK(same.mean().value == 3);
  CHECK(same.mean().se == 0);
  CHECK(same.variance().value == 0);
  CHECK(same.variance().se == 0);
  close.add_trial(equal, 2), close.add_trial(more, 2);
  CHECK(close.mean().value == 3.25);
  CHECK(close.mean().se == doctest::Approx(0.25));
}

TEST_CASE("progress: told within every 2^17 draws, and false stops at once") {
  std::vector<double> shares;
  ProgressMeter told("test", [&](double share) { return shares.push_back(share), true; });
  const double whole = sampling_work({}, 16384, 64);
  told.begin(whole);
  sample_scores({}, 0, 16384, 64, 1, told, [](const float*) {});
  CHECK(told.done() == doctest::Approx(whole).epsilon(1e-9));
  told.end();
  for (size_t i = 1; i < shares.size(); ++i) CHECK((shares[i] - shares[i - 1]) * whole <= 2 * 65536);
  int calls = 0;
  const Progress stop = [&](double) { return ++calls < 4; };
  ProgressMeter meter("test", stop);
  const auto run = [&] { sample_scores({}, 0, 16384, 4096, 1, meter, [](const float*) {}); };
  CHECK_THROWS_AS(run(), Cancelled);
  CHECK(calls == 4);
}

}  // namespace
}  // namespace sqrtdk
