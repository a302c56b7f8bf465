#include "lab/score_walks.h"

#include <doctest/doctest.h>

#include <cmath>

#include "lab/statistics.h"
#include "tensor/random.h"

namespace sqrtdk {
namespace {

Figure walks_of(const Population& population, int64_t d, int64_t n_keys, int64_t walks) {
  ProgressMeter meter("test");
  meter.begin(walks_work(population, d, walks));
  const Figure figure = score_walks(population, 3, d, n_keys, walks, meter);
  CHECK(meter.done() == doctest::Approx(meter.total()));
  return figure;
}

std::vector<const Series*> named(const Figure& figure, const std::string& name) {
  std::vector<const Series*> found;
  for (const Series& series : figure.series) {
    if (series.name == name) found.push_back(&series);
  }
  return found;
}

constexpr Population kAll[] = {{},
                               {.distribution = Distribution::kUniform},
                               {.distribution = Distribution::kRademacher},
                               {.distribution = Distribution::kStudentT, .nu = 5},
                               {.mean = 0.5, .sigma_q = 2, .sigma_k = 3, .correlation = -0.4}};

TEST_CASE("score walks: end at the scores") {
  constexpr int64_t d = 100, n_keys = 3;
  for (const Population& population : kAll) {
    std::vector<float> scores;
    ProgressMeter meter("test");
    sample_scores(population, 3, d, n_keys, 5, meter,
                  [&](const float* of) { scores.insert(scores.end(), of, of + n_keys); });
    const Figure figure = walks_of(population, d, n_keys, 14);
    const std::vector<const Series*> walks = named(figure, "walk");
    REQUIRE(walks.size() == 14);
    CHECK(named(figure, "68 %").empty());
    for (size_t i = 0; i < walks.size(); ++i) {
      CHECK(walks[i]->y.front() == 0);
      CHECK(walks[i]->x.back() == d);
      CHECK(walks[i]->y.back() == doctest::Approx(scores[i]).epsilon(1e-5).scale(10));
    }
  }
}

TEST_CASE("score walks: every sum on the way, from the draws themselves") {
  constexpr int64_t d = 300, n_keys = 2;
  float block[(1 + n_keys) * d];
  const Figure figure = walks_of({}, d, n_keys, 4);
  const std::vector<const Series*> walks = named(figure, "walk");
  for (size_t walk = 0; walk < 4; ++walk) {
    philox_normal(3, uint64_t{d} << 32 | walk / n_keys, 0, block, (1 + n_keys) * d);
    const float* k = block + (1 + walk % n_keys) * d;
    REQUIRE(walks[walk]->x.size() == 65);
    for (size_t i = 0; i < 65; ++i) {
      const double terms = std::floor(static_cast<double>(i * d) / 64);
      double sum = 0;
      for (size_t j = 0; j < static_cast<size_t>(terms); ++j)
        sum += static_cast<double>(block[j]) * static_cast<double>(k[j]);
      CHECK(walks[walk]->x[i] == terms);
      CHECK(walks[walk]->y[i] == doctest::Approx(sum));
    }
  }
}

TEST_CASE("score walks: the middle of a thousand is where theory says, at every number of terms") {
  for (const Distribution distribution : {Distribution::kNormal, Distribution::kRademacher}) {
    const Figure figure = walks_of({.distribution = distribution}, 512, 1, kMaxWalks);
    CHECK(named(figure, "walk").size() == 20);
    const Series& theory = *named(figure, "expected").at(0);
    struct Middle {
      const char* name;
      double share, times;
    };
    for (const Middle& middle : {Middle{"68 %", 0.68, 0.9945}, Middle{"95 %", 0.95, 1.96}}) {
      const double share = middle.share, times = middle.times;
      CAPTURE(middle.name);
      const Series& band = *named(figure, middle.name).at(0);
      // Standard error of a quantile: sqrt(p (1 - p) / n) / density there. Few terms are not yet normal.
      const double p = (1 + share) / 2, density = std::exp(-times * times / 2) / std::sqrt(6.283185307179586);
      const double se = std::sqrt(p * (1 - p) / kMaxWalks) / density;
      for (size_t i = 8; i < band.x.size(); ++i) {
        const double root = std::sqrt(band.x[i]);
        CAPTURE(band.x[i]);
        CHECK(theory.y[i] == 0);
        CHECK(theory.high[i] == doctest::Approx(root));
        CHECK(theory.low[i] == doctest::Approx(-root));
        // Coins land on even numbers only: half a step more.
        CHECK(std::fabs(band.high[i] / root - times) < 4 * se + 1 / root);
        CHECK(std::fabs(band.low[i] / root + times) < 4 * se + 1 / root);
      }
    }
  }
}

TEST_CASE("score walks: no band where the variance is infinite, a drift where the mean is not 0") {
  const Figure wild = walks_of({.distribution = Distribution::kStudentT, .correlation = 0.5}, 8, 1, 2);
  CHECK(wild.series.back().low.empty());
  const Figure drift = walks_of({.mean = 2}, 8, 1, 2);
  CHECK(drift.series.back().y.back() == 32);
}

TEST_CASE(
    "score walks: take longer than to draw as many scores of one key each, and not as long as those of two") {
  for (const Population& population : kAll) {
    const double work = walks_work(population, 512, 14);
    CHECK(work > 14 * sampling_work(population, 512, 1));
    CHECK(work < 14 * sampling_work(population, 512, 2));
  }
}

}  // namespace
}  // namespace sqrtdk
