#pragma once
// Means, spreads and quantiles over trials, in double.
#include <cmath>
#include <cstdint>
#include <vector>

#include "lab/experiment.h"

namespace sqrtdk {

/// Running mean and sum of squared deviations (Welford 1962): stable however far the mean is from 0.
class Moments {
 public:
  void add(double x) {
    ++count_;
    const double delta = x - mean_;
    mean_ += delta / static_cast<double>(count_);
    squares_ += delta * (x - mean_);
  }
  int64_t count() const { return count_; }
  double mean() const { return mean_; }
  double variance() const;  // unbiased; NaN for fewer than 2 values
  double std() const { return std::sqrt(variance()); }
  Estimate estimate() const { return {mean(), se()}; }
  double se() const { return std::sqrt(variance() / static_cast<double>(count_)); }  // of the mean

 private:
  int64_t count_ = 0;
  double mean_ = 0, squares_ = 0;
};

/// The p-quantile, linear between order statistics (NumPy's default). Reorders `values`; NaN if they are
/// none, or one of them is NaN.
double quantile(std::vector<double>& values, double p);

/// Mean with its standard error, standard deviation and quantiles over trials.
Scalar summary(Key name, const Labels& at, std::vector<double> values);

/// A share p of `trials` with its standard error sqrt(p (1 - p) / trials).
Scalar share(Key name, const Labels& at, int64_t count, int64_t trials);

/// What softmax(scale · scores) looks like, computed in double: a weight of 1e-60 is not lost.
struct SoftmaxShape {
  double max = 0, min = 0;
  double entropy = 0;         // -sum p ln p, in nats
  double effective_keys = 0;  // e^entropy
};
SoftmaxShape softmax_shape(const float* scores, int64_t n, double scale = 1);

}  // namespace sqrtdk
