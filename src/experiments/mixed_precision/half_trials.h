#pragma once
// Trials of scores in 16 bits: what overflows, and what rounding costs.
#include <array>
#include <string>
#include <vector>

#include "experiments/mixed_precision/half_scores.h"
#include "lab/experiment.h"
#include "lab/statistics.h"

namespace sqrtdk::experiments {

/// Over trials, of one way to compute the scores.
struct HalfTally {
  Moments not_finite, with_nan, square_error;
};
struct HalfCell {  // at one d and one spread
  std::array<HalfTally, kNScorePaths> paths;
  Moments beyond, square;  // exactly: |q·k| > the format's largest number, (q·k)²
};

inline constexpr const char* kHalfScales[] = {"1/sqrt(d)", "none"};

struct HalfSample {                      // at one d
  std::vector<HalfCell> cells;           // of each spread
  std::vector<Birth> births;             // likewise
  std::vector<double> weight_errors[2];  // of kHalfScales, at unit spread
};

/// The settings of mixed_precision.
struct HalfTrials {
  explicit HalfTrials(const Params& params);
  double work(int64_t d) const;  // of one trial at one spread
  HalfSample sample(int64_t d, ProgressMeter& meter) const;

  Format format;
  bool round_products;
  int64_t n, trials;
  uint64_t seed;
  std::vector<int64_t> spreads;
};

}  // namespace sqrtdk::experiments
