#include "lab/score_walks.h"

#include <algorithm>
#include <cmath>

#include "lab/score_moments.h"
#include "lab/statistics.h"
#include "lab/work.h"

namespace sqrtdk {
namespace {

constexpr int64_t kMaxSteps = 64, kMaxLines = 20;

/// After how many terms a walk is looked at.
std::vector<int64_t> looks(int64_t d) {
  const int64_t steps = std::min(d, kMaxSteps);
  std::vector<int64_t> terms;
  for (int64_t step = 0; step <= steps; ++step) terms.push_back(step * d / steps);
  return terms;
}

/// Where the middle `share` of the walks is at each look, around their median.
Series middle(const char* name, double share, const std::vector<int64_t>& terms,
              std::vector<std::vector<double>>& sums) {
  Series band{.name = name, .role = Role::kUnscaled};
  for (size_t i = 0; i < terms.size(); ++i) {
    band.add(terms[i], quantile(sums[i], 0.5));
    band.low.push_back(quantile(sums[i], (1 - share) / 2));
    band.high.push_back(quantile(sums[i], (1 + share) / 2));
  }
  return band;
}

Series expected(const Population& population, const std::vector<int64_t>& terms) {
  Series band{.name = "expected", .role = Role::kReference};
  const ScoreTheory one = score_theory(population, 1);
  for (const int64_t t : terms) {
    const double mean = one.mean * static_cast<double>(t);
    const double sd = std::sqrt(one.variance * static_cast<double>(t));
    band.add(t, mean);
    if (!std::isfinite(one.variance)) continue;
    band.low.push_back(mean - sd);
    band.high.push_back(mean + sd);
  }
  return band;
}

}  // namespace

double walks_work(const Population& population, int64_t d, int64_t walks) {
  return static_cast<double>(walks) * (sampling_work(population, d, 1) + loop_work(d));
}

Figure score_walks(const Population& population, uint64_t seed, int64_t d, int64_t n_keys, int64_t walks,
                   ProgressMeter& meter) {
  Figure figure{.name = "score_walks", .at = {{"d", d}}, .x = "terms", .y = "sum_so_far"};
  const std::vector<int64_t> terms = looks(d);
  std::vector<std::vector<double>> sums(terms.size());  // by look, of all walks
  std::vector<float> q(static_cast<size_t>(d)), k(static_cast<size_t>(d));
  for (int64_t walk = 0; walk < walks; ++walk) {
    sample_pair(population, seed, d, n_keys, walk, q.data(), k.data());
    Series line{.name = "walk", .role = Role::kUnscaled};
    double sum = 0;
    size_t done = 0;
    for (size_t i = 0; i < terms.size(); ++i) {
      for (; done < static_cast<size_t>(terms[i]); ++done)
        sum += static_cast<double>(q[done]) * static_cast<double>(k[done]);
      sums[i].push_back(sum);
      line.add(terms[i], sum);
    }
    if (walk < kMaxLines) figure.series.push_back(std::move(line));
    meter.add(walks_work(population, d, 1));
  }
  if (walks > kMaxLines) {
    figure.series.push_back(middle("95 %", 0.95, terms, sums));
    figure.series.push_back(middle("68 %", 0.68, terms, sums));
  }
  figure.series.push_back(expected(population, terms));
  return figure;
}

}  // namespace sqrtdk
