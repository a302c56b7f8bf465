#include "lab/score_moments.h"

#include <cmath>
#include <limits>

namespace sqrtdk {
namespace {

// Coefficients of x^i y^j.
constexpr size_t kX = 17, kY = 9;
using Polynomial = std::array<std::array<double, kY>, kX>;

Polynomial product(const Polynomial& p, const Polynomial& q) {
  Polynomial result{};
  for (size_t i = 0; i < kX; ++i) {
    for (size_t j = 0; j < kY; ++j) {
      if (p[i][j] == 0) continue;
      for (size_t k = 0; i + k < kX; ++k) {
        for (size_t l = 0; j + l < kY; ++l) result[i + k][j + l] += p[i][j] * q[k][l];
      }
    }
  }
  return result;
}

/// E of x and y, or of y alone: then the rest is a polynomial of x.
double expectation(const Polynomial& p, const Population& population) {
  double sum = 0;
  for (size_t i = 0; i < kX; ++i) {
    for (size_t j = 0; j < kY; ++j) {
      if (p[i][j] == 0) continue;
      const double of_x = moment(population, static_cast<int>(i)),
                   of_y = moment(population, static_cast<int>(j));
      if (of_x == 0 || of_y == 0) continue;
      if (std::isinf(of_x) || std::isinf(of_y)) return std::numeric_limits<double>::infinity();
      sum += p[i][j] * (of_x * of_y);
    }
  }
  return sum;
}
Polynomial given_x(const Polynomial& p, const Population& population) {
  Polynomial result{};
  for (size_t i = 0; i < kX; ++i) {
    for (size_t j = 0; j < kY; ++j) {
      if (p[i][j] != 0) result[i][0] += p[i][j] * moment(population, static_cast<int>(j));
    }
  }
  return result;
}

/// E[p^order], order 0 .. 8 but for 7, of one component p with mean 0.
std::array<double, 9> component_moments(const Polynomial& p, const Population& population) {
  const Polynomial p2 = product(p, p), p4 = product(p2, p2);
  const auto mean = [&](const Polynomial& power) { return expectation(power, population); };
  return {1,
          0,
          mean(p2),
          mean(product(p2, p)),
          mean(p4),
          mean(product(p4, p)),
          mean(product(p4, p2)),
          kNone,
          mean(product(p4, p4))};
}

/// What the shape of the sum of d components is, by its cumulants, which are d times the component's (Kendall
/// and Stuart, The Advanced Theory of Statistics I, 3.37-3.38). m: of component_moments.
void add_shape(ScoreTheory& theory, const std::array<double, 9>& m, double d) {
  const double m2 = m[2], m3 = m[3], m4 = m[4], m5 = m[5], m6 = m[6];
  const auto standard = [root = std::sqrt(d * m2), d](double cumulant, int order) {
    for (int i = 0; i < order; ++i) cumulant /= root;
    return d * cumulant;
  };
  const double k3 = standard(m3, 3), k4 = standard(m4 - 3 * m2 * m2, 4), k5 = standard(m5 - 10 * m3 * m2, 5),
               k6 = standard(m6 - 15 * m4 * m2 - 10 * m3 * m3 + 30 * m2 * m2 * m2, 6),
               k8 = standard(m[8] - 28 * m6 * m2 - 56 * m5 * m3 - 35 * m4 * m4 + 420 * m4 * m2 * m2 +
                                 560 * m3 * m3 * m2 - 630 * m2 * m2 * m2 * m2,
                             8);
  theory.skewness = k3;
  const double fourth = k4 + 3, sixth = k6 + 15 * k4 + 10 * k3 * k3 + 15,
               eighth = k8 + 28 * k6 + 56 * k5 * k3 + 35 * k4 * k4 + 210 * k4 + 280 * k3 * k3 + 105;
  const double variance = fourth - 1;
  theory.square_variance = variance;
  if (!(variance > 0)) return;
  theory.square_skewness = (sixth - 3 * fourth + 2) / (variance * std::sqrt(variance));
  theory.square_excess_kurtosis = (eighth - 4 * sixth + 6 * fourth - 3) / (variance * variance) - 3;
}

/// What the scores of one trial have in common: given x, a score has the mean A and the variance B, sums over
/// components, and E[score²|x] = A² + B.
void add_shared(ScoreTheory& theory, const Polynomial& p, const Population& population, double d) {
  const Polynomial a = given_x(p, population), a2 = product(a, a);
  Polynomial b = given_x(product(p, p), population);
  for (size_t i = 0; i < kX; ++i) b[i][0] -= a2[i][0];
  const double square = expectation(a2, population), mean = expectation(b, population);
  const double of_squares = d * (2 * d - 3) * square * square + d * expectation(product(a2, a2), population) +
                            2 * d * (expectation(product(a2, b), population) - square * mean) +
                            d * (expectation(product(b, b), population) - mean * mean);
  theory.shared = d * square / theory.variance;
  if (theory.square_variance > 0) {
    theory.square_shared = of_squares / (theory.variance * theory.variance) / theory.square_variance;
  }
}

/// The mean over trials of n numbers with this correlation: as many independent ones as have its variance.
Uncertainty uncertainty_of(double trials, double n, double variance, double skewness, double excess_kurtosis,
                           double shared) {
  const double independent = trials / (1 / n + (1 - 1 / n) * shared);
  return Uncertainty::of_mean(independent, std::sqrt(variance), skewness, excess_kurtosis);
}

}  // namespace

Uncertainty ScoreTheory::uncertainty_of_mean(int64_t trials, int64_t n_keys) const {
  if (!(variance > 0)) return {};
  return uncertainty_of(static_cast<double>(trials), static_cast<double>(n_keys), variance, skewness,
                        excess_kurtosis, shared);
}

Uncertainty ScoreTheory::uncertainty_of_variance(int64_t trials, int64_t n_keys) const {
  if (!(variance > 0) || !(square_variance > 0)) return {};
  return uncertainty_of(static_cast<double>(trials), static_cast<double>(n_keys),
                        variance * variance * square_variance, square_skewness, square_excess_kurtosis,
                        square_shared);
}

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
  const std::array<double, 9> moments = component_moments(p, population);
  const double variance = moments[2], fourth = moments[4];
  ScoreTheory theory;
  theory.mean = n * (mean * mean + shared * a * b);
  theory.variance = n * variance;
  theory.variance_given_q = n * (mean * mean + a * a) * b * b * own * own;
  if (variance > 0 && std::isfinite(variance)) {
    add_shape(theory, moments, n);
    add_shared(theory, p, population, n);
  }
  theory.excess_kurtosis =
      variance > 0 && std::isfinite(variance) ? (fourth / (variance * variance) - 3) / n : kNone;
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
