#include "lab/statistics.h"

#include <algorithm>
#include <cmath>

#include "simd/math.h"

namespace sqrtdk {

double Moments::variance() const { return count_ < 2 ? kNone : squares_ / static_cast<double>(count_ - 1); }

double quantile(std::vector<double>& values, double p) {
  const bool ordered = std::none_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
  if (values.empty() || !ordered) return kNone;
  const double position = p * static_cast<double>(values.size() - 1);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(position);
  std::nth_element(values.begin(), below, values.end());
  const double fraction = position - std::floor(position);
  if (fraction == 0) return *below;
  const double above = *std::min_element(below + 1, values.end());
  return *below + fraction * (above - *below);
}

Scalar summary(Key name, const Labels& at, std::vector<double> values) {
  Moments moments;
  for (const double x : values) moments.add(x);
  return {.name = name,
          .at = at,
          .value = moments.mean(),
          .se = moments.se(),
          .std = moments.std(),
          .p10 = quantile(values, 0.1),
          .p50 = quantile(values, 0.5),
          .p90 = quantile(values, 0.9)};
}

Scalar share(Key name, const Labels& at, int64_t count, int64_t trials) {
  const double p = static_cast<double>(count) / static_cast<double>(trials);
  return {.name = name, .at = at, .value = p, .se = std::sqrt(p * (1 - p) / static_cast<double>(trials))};
}

SoftmaxShape softmax_shape(const float* scores, int64_t n, double scale) {
  double largest = -std::numeric_limits<double>::infinity(), smallest = -largest;
  for (int64_t i = 0; i < n; ++i) {
    const double x = scale * static_cast<double>(scores[i]);
    if (x > largest) largest = x;
    if (x < smallest) smallest = x;
  }
  double sum = 0, weighted = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double shifted = scale * static_cast<double>(scores[i]) - largest;
    const double e = simd::exp(shifted);
    sum += e;
    weighted += e * shifted;
  }
  SoftmaxShape shape;
  shape.max = 1 / sum;
  shape.min = simd::exp(smallest - largest) / sum;
  shape.entropy = simd::log(sum) - weighted / sum;
  shape.effective_keys = simd::exp(shape.entropy);
  return shape;
}

}  // namespace sqrtdk
