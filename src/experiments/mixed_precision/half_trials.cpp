#include "experiments/mixed_precision/half_trials.h"

#include <algorithm>
#include <cmath>

#include "base/sort.h"
#include "lab/common_params.h"
#include "lab/sampling.h"
#include "lab/work.h"
#include "simd/math.h"

namespace sqrtdk::experiments {
namespace {

/// With the largest subtracted, +inf and NaN make a row of NaN; -inf alone only a weight of 0.
bool gives_nan(const std::vector<float>& scores) {
  return std::any_of(scores.begin(), scores.end(),
                     [](float s) { return std::isnan(s) || (std::isinf(s) && s > 0); });
}

void add_trial(HalfCell& cell, const HalfScores& scores, Format format) {
  const auto n = static_cast<double>(scores.exact().size());
  double beyond = 0, square = 0;
  for (const double s : scores.exact()) {
    beyond += std::fabs(s) > largest_number(format);
    square += s * s;
  }
  cell.beyond.add(beyond / n);
  cell.square.add(square / n);
  for (size_t path = 0; path < kNScorePaths; ++path) {
    const std::vector<float>& found = scores.at(static_cast<ScorePath>(path));
    double not_finite = 0, error = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      const double difference = static_cast<double>(found[i]) - scores.exact()[i];
      not_finite += !std::isfinite(found[i]);
      if (std::isfinite(found[i])) error += difference * difference;
    }
    HalfTally& tally = cell.paths[path];
    tally.not_finite.add(not_finite / n);
    tally.with_nan.add(gives_nan(found) ? 1 : 0);
    tally.square_error.add(error / n);
  }
}

/// The largest change of a weight in softmax(scale · scores), in double, when the scaled scores are rounded.
double weight_error(const std::vector<double>& scores, double scale, Format format) {
  const auto weights = [&](bool round) {
    std::vector<double> p;
    for (const double s : scores) {
      const double x = scale * s;
      p.push_back(round ? static_cast<double>(rounded(format, x)) : x);
    }
    const double max = *std::max_element(p.begin(), p.end());
    double sum = 0;
    for (double& x : p) sum += x = simd::exp(x - max);
    for (double& x : p) x /= sum;
    return p;
  };
  const std::vector<double> exact = weights(false), found = weights(true);
  double largest = 0;
  for (size_t i = 0; i < exact.size(); ++i) largest = std::max(largest, std::fabs(found[i] - exact[i]));
  return largest;
}

}  // namespace

HalfTrials::HalfTrials(const Params& params)
    : format(params.choice("format") == "fp16" ? Format::kF16 : Format::kBf16),
      round_products(params.choice("products") == "rounded"),
      n(params.integer("n_keys")),
      trials(params.integer("trials")),
      seed(params.seed("seed")),
      spreads(params.integers("std")) {
  heap_sort(spreads);
  spreads.erase(std::unique(spreads.begin(), spreads.end()), spreads.end());
}

/// Each product is rounded by itself on each path.
double HalfTrials::work(int64_t d) const {
  return trial_work((n + 1) * d, 0) + loop_work(n * d * int64_t{kNScorePaths});
}

HalfSample HalfTrials::sample(int64_t d, ProgressMeter& meter) const {
  HalfScores scores(d, n, round_products);
  std::vector<float> x(static_cast<size_t>(d * (1 + n)));
  const size_t n_spreads = spreads.size();
  HalfSample sample{std::vector<HalfCell>(n_spreads), std::vector<Birth>(n_spreads), {}};
  for (int64_t trial = 0; trial < trials; ++trial) {
    const uint64_t stream = static_cast<uint64_t>(d) << 32 | static_cast<uint64_t>(trial);
    sample_standard({}, seed, stream, 0, x.data(), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < n_spreads; ++i) {
      scores.compute(x, static_cast<float>(spreads[i]), format);
      add_trial(sample.cells[i], scores, format);
      if (sample.births[i].own.empty()) sample.births[i] = scores.first_birth(format);
      meter.add(work(d));
    }
    std::vector<double> standard = scores.exact();
    const auto spread = static_cast<double>(spreads.back());
    for (double& s : standard) s /= spread * spread;
    for (const size_t i : {size_t{0}, size_t{1}}) {
      const double scale = i == 0 ? 1 / std::sqrt(static_cast<double>(d)) : 1;
      sample.weight_errors[i].push_back(weight_error(standard, scale, format));
    }
  }
  return sample;
}

}  // namespace sqrtdk::experiments
