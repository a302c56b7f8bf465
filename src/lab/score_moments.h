#pragma once
// Mean, variance and excess kurtosis of scores, as theory has them and as measured.
#include <array>
#include <cstdint>

#include "lab/chance.h"
#include "lab/sampling.h"
#include "lab/statistics.h"

namespace sqrtdk {

/// The exact moments of one score q·k of d components; infinite where they do not exist.
struct ScoreTheory {
  double mean = 0, variance = 0;
  double excess_kurtosis = 0;   // NaN where the variance is 0 or infinite
  double variance_given_q = 0;  // E[Var(q·k | q)]: what the scores of one trial show

  double skewness = 0;
  /// Of ((q·k - mean) / standard deviation)², whose mean is 1.
  double square_variance = 0, square_skewness = 0, square_excess_kurtosis = 0;
  /// The correlation of two scores of one trial, which share q, and of their squares.
  double shared = 0, square_shared = 0;

  /// How the mean over trials of n_keys scores is spread, and that of their squared distances from `mean`.
  Uncertainty uncertainty_of_mean(int64_t trials, int64_t n_keys) const;
  Uncertainty uncertainty_of_variance(int64_t trials, int64_t n_keys) const;
};
ScoreTheory score_theory(const Population& population, int64_t d);

/// Moments over all scores. The scores of one trial share q: standard errors are those of means over
/// trials (clusters), by the delta method.
class ScoreMoments {
 public:
  /// Powers are taken of (score - centre) / unit: any values near the mean and the spread will do.
  ScoreMoments(double centre, double unit) : centre_(centre), unit_(unit) {}
  void add_trial(const float* scores, int64_t n);
  Estimate mean() const;
  Estimate variance() const;
  /// The mean of (score - centre)²: the variance where the centre is known to be the mean.
  double mean_square() const { return unit_ * unit_ * mean_[1]; }
  Estimate excess_kurtosis() const;

 private:
  using Vector = std::array<double, 4>;
  double se_of(const Vector& gradient) const;
  double centre_, unit_;
  int64_t trials_ = 0;
  Vector mean_{};                       // of the powers 1..4 over trials
  std::array<Vector, 4> covariance_{};  // sums of products of deviations over trials
};

}  // namespace sqrtdk
