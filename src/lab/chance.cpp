#include "lab/chance.h"

#include <algorithm>
#include <cmath>

#include "lab/statistics.h"
#include "simd/math.h"

namespace sqrtdk {
namespace {

/// P(|N(0, 1)| > z) < 2 φ(z) / z (Mills).
double tails_beyond(double z) { return 0.7978845608028654 / z * simd::exp(-z * z / 2); }  // sqrt(2 / pi)

}  // namespace

Uncertainty Uncertainty::of_mean(double trials, double std, double skewness, double excess_kurtosis) {
  const double root = std::sqrt(trials);
  return {.se = std / root, .skewness = skewness / root, .excess_kurtosis = excess_kurtosis / trials};
}

bool Uncertainty::known() const {
  return std::isfinite(se) && std::fabs(skewness) <= 1.5 && std::fabs(excess_kurtosis) <= 6;
}

Chance::Chance(int64_t comparisons) {
  const double part = kFalseAlarms / static_cast<double>(std::max<int64_t>(comparisons, 1));
  double low = 1, high = 40;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (tails_beyond(middle) > part ? low : high) = middle;
  }
  z_ = high;
}

double Chance::reach(const Uncertainty& spread) const {
  const double z2 = z_ * z_, skewness = std::fabs(spread.skewness);
  const double quantile = z_ + (z2 - 1) * skewness / 6 + (z2 - 3) * z_ * spread.excess_kurtosis / 24 -
                          (2 * z2 - 5) * z_ * skewness * skewness / 36;
  return std::max(z_, quantile) * spread.se;
}

bool Chance::explains(double difference, const Uncertainty& spread, double rounding) const {
  return std::fabs(difference) <= reach(spread) + rounding;
}

Interval Chance::median(std::vector<double> sample) const {
  const double apart = z_ / (2 * std::sqrt(static_cast<double>(sample.size())));
  return {quantile(sample, std::max(0.0, 0.5 - apart)), quantile(sample, std::min(1.0, 0.5 + apart))};
}

}  // namespace sqrtdk
