#include "lab/score_moments.h"

#include <cmath>

namespace sqrtdk {
namespace {

// Coefficients of x^i y^j.
using Polynomial = std::array<std::array<double, 5>, 9>;

Polynomial squared(const Polynomial& p) {
  Polynomial product{};
  for (size_t i = 0; i < 9; ++i) {
    for (size_t j = 0; j < 5; ++j) {
      if (p[i][j] == 0) continue;
      for (size_t k = 0; i + k < 9; ++k) {
        for (size_t l = 0; j + l < 5; ++l) product[i + k][j + l] += p[i][j] * p[k][l];
      }
    }
  }
  return product;
}

double expectation(const Polynomial& p, const Population& population) {
  double sum = 0;
  for (size_t i = 0; i < 9; ++i) {
    for (size_t j = 0; j < 5; ++j) {
      if (p[i][j] == 0) continue;
      const double moments =
          moment(population, static_cast<int>(i)) * moment(population, static_cast<int>(j));
      if (std::isinf(moments)) return moments;
      if (moments != 0) sum += p[i][j] * moments;
    }
  }
  return sum;
}

}  // namespace

ScoreTheory score_theory(const Population& population, int64_t d) {
  const double n = static_cast<double>(d), mean = population.mean, a = population.sigma_q,
               b = population.sigma_k;
  const double shared = population.correlation, own = std::sqrt(1 - shared * shared);
  // One component: q k - E[q k] with q = mean + a x, k = mean + b (shared x + own y).
  Polynomial p{};
  p[1][0] = mean * (a + b * shared);
  p[0][1] = mean * b * own;
  p[2][0] = a * b * shared;
  p[0][0] = -a * b * shared;
  p[1][1] = a * b * own;
  const Polynomial p2 = squared(p);
  const double variance = expectation(p2, population), fourth = expectation(squared(p2), population);
  ScoreTheory theory;
  theory.mean = n * (mean * mean + shared * a * b);
  theory.variance = n * variance;
  theory.excess_kurtosis =
      variance > 0 && std::isfinite(variance) ? (fourth / (variance * variance) - 3) / n : kNone;
  theory.variance_given_q = n * (mean * mean + a * a) * b * b * own * own;
  return theory;
}

void ScoreMoments::add_trial(const float* scores, int64_t n) {
  Vector powers{};
  for (int64_t i = 0; i < n; ++i) {
    const double u = (static_cast<double>(scores[i]) - centre_) / unit_;
    const double u2 = u * u;
    powers[0] += u;
    powers[1] += u2;
    powers[2] += u2 * u;
    powers[3] += u2 * u2;
  }
  ++trials_;
  Vector before, after;
  for (size_t i = 0; i < 4; ++i) {
    const double x = powers[i] / static_cast<double>(n);
    before[i] = x - mean_[i];
    mean_[i] += before[i] / static_cast<double>(trials_);
    after[i] = x - mean_[i];
  }
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = 0; j < 4; ++j) covariance_[i][j] += before[i] * after[j];
  }
}

double ScoreMoments::se_of(const Vector& gradient) const {
  double sum = 0;
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = 0; j < 4; ++j) sum += gradient[i] * covariance_[i][j] * gradient[j];
  }
  const double trials = static_cast<double>(trials_);
  return std::sqrt((sum > 0 ? sum : 0) / (trials - 1) / trials);
}

Estimate ScoreMoments::mean() const { return {centre_ + unit_ * mean_[0], unit_ * se_of({1, 0, 0, 0})}; }

Estimate ScoreMoments::variance() const {
  const double m = mean_[0];
  const double mean_se = se_of({1, 0, 0, 0});
  const double variance = mean_[1] - m * m + mean_se * mean_se;  // unbiased: the mean is measured too
  return {unit_ * unit_ * variance, unit_ * unit_ * se_of({-2 * m, 1, 0, 0})};
}

Estimate ScoreMoments::excess_kurtosis() const {
  const auto [m, p2, p3, p4] = mean_;
  const double c2 = p2 - m * m;
  const double c4 = p4 - 4 * m * p3 + 6 * m * m * p2 - 3 * m * m * m * m;
  if (!(c2 > 0)) return {};
  // kurtosis = c4 / c2²; its gradient by m, p2, p3, p4
  const double by_c4 = 1 / (c2 * c2), by_c2 = -2 * c4 / (c2 * c2 * c2);
  const Vector gradient = {by_c4 * (-4 * p3 + 12 * m * p2 - 12 * m * m * m) + by_c2 * (-2 * m),
                           by_c4 * 6 * m * m + by_c2, by_c4 * -4 * m, by_c4};
  return {c4 * by_c4 - 3, se_of(gradient)};
}

}  // namespace sqrtdk
