#pragma once
// What chance explains: how far measured numbers may be from what they would be after endless trials, when a
// run compares many of them. Of runs whose claim is true, a share of kFalseAlarms at most shall say that it
// is not; each of a run's comparisons gets an equal part of it (Bonferroni).
#include <cstdint>
#include <vector>

namespace sqrtdk {

inline constexpr double kFalseAlarms = 1e-6;

/// How a mean is spread where the claim is true: its standard error, not the one that happens to be measured,
/// and the skewness and excess kurtosis of the mean, those of one trial over the square root of the trials
/// and over the trials.
struct Uncertainty {
  double se = 0, skewness = 0, excess_kurtosis = 0;
  /// The mean of `trials` independent numbers of this standard deviation, skewness and excess kurtosis.
  static Uncertainty of_mean(double trials, double std, double skewness, double excess_kurtosis);
  /// Whether so many trials are enough to say how far chance goes: not where moments are infinite or the mean
  /// is as skewed as a few trials of heavy tails are.
  bool known() const;
};

struct Interval {
  double low, high;
};

class Chance {
 public:
  explicit Chance(int64_t comparisons);

  /// P(|N(0, 1)| > z) is no more than one comparison's part.
  double z() const { return z_; }
  /// How far the mean may be: z standard errors, and more for its skewness and kurtosis (Cornish and Fisher,
  /// 1938).
  double reach(const Uncertainty& spread) const;
  bool explains(double difference, const Uncertainty& spread, double rounding = 0) const;

  /// How far a mean of n numbers may be, whose standard error is the measured one. Numbers between 0 and
  /// `range` may by chance have shown less of their spread than there is: as in Bernstein's inequality.
  double reach(double se, int64_t n, double range) const {
    return z_ * se + z_ * z_ * range / (6 * static_cast<double>(n));
  }

  /// The median of what the sample is of lies in it: between two of its quantiles, whatever the distribution.
  Interval median(std::vector<double> sample) const;

 private:
  double z_;
};

}  // namespace sqrtdk
