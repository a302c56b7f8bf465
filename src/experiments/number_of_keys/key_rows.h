#pragma once
// Rows of n scores, measured: at multiples of the critical beta, and as q·k over d and scales.
#include <algorithm>
#include <cmath>

#include "lab/experiment.h"
#include "simd/math.h"

namespace sqrtdk::experiments {

/// Multiples of the critical beta; at the last one half of the rows are saturated, by the law 99^(-1/ratio).
inline constexpr double kBetaRatios[] = {0.25, 0.5, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 4, 6.63};
inline constexpr size_t kHalf = 1, kCritical = 4;

/// What is measured of a row, and can be shown over n and d.
inline constexpr const char* kKeyMeasures[] = {"entropy_share", "softmax_max", "effective_keys_exp_entropy",
                                               "frac_max_gt_0.99"};

inline Key key_measure(const std::string& choice) {
  for (const char* const name : kKeyMeasures) {
    if (choice == name) return name;
  }
  return kKeyMeasures[0];
}

inline double log_of(int64_t n) { return simd::log(static_cast<double>(n)); }

/// The means of one n and beta, by their names in kKeyMeasures.
struct KeyCell {
  std::vector<Scalar> scalars;
  const Scalar& of(Key name) const {
    return *std::find_if(scalars.begin(), scalars.end(),
                         [&](const Scalar& scalar) { return scalar.name == name; });
  }
};

/// All that is measured with n keys.
struct AtKeys {
  int64_t n;
  std::vector<KeyCell> ratios;              // of kBetaRatios
  std::vector<std::vector<KeyCell>> cells;  // of each scale, at each d
  Scalar deficit;                           // of the softmax of normals: ln n - H
};

/// What a run is asked.
struct KeyPlan {
  std::vector<int64_t> d, n;  // ascending
  std::vector<Scale> scales;
  int64_t trials;  // rows, with up to 512 keys
  uint64_t seed;
};

double work_of(const KeyPlan& plan);

/// Each n, ascending; adds the scalars to the result.
std::vector<AtKeys> measure_keys(const KeyPlan& plan, Result& result, ProgressMeter& meter);

}  // namespace sqrtdk::experiments
