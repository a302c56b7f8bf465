#pragma once
// Layer and RMS normalization of rows of n in double, one loop per formula.
#include <cmath>
#include <vector>

namespace sqrtdk::reference {

struct Moments {
  double mean, variance;
};

inline Moments row_moments(const std::vector<double>& x, size_t row, size_t n) {
  Moments m{0, 0};
  for (size_t j = 0; j < n; ++j) m.mean += x[row + j] / static_cast<double>(n);
  for (size_t j = 0; j < n; ++j) {
    m.variance += (x[row + j] - m.mean) * (x[row + j] - m.mean) / static_cast<double>(n);
  }
  return m;
}

inline std::vector<double> layer_norm(const std::vector<double>& x, const std::vector<double>& gain,
                                      const std::vector<double>& bias, double epsilon) {
  const size_t n = gain.size();
  std::vector<double> y(x.size());
  for (size_t row = 0; row < x.size(); row += n) {
    const Moments m = row_moments(x, row, n);
    for (size_t j = 0; j < n; ++j) {
      y[row + j] = (x[row + j] - m.mean) / std::sqrt(m.variance + epsilon) * gain[j] + bias[j];
    }
  }
  return y;
}

inline std::vector<double> rms_norm(const std::vector<double>& x, const std::vector<double>& gain,
                                    double epsilon) {
  const size_t n = gain.size();
  std::vector<double> y(x.size());
  for (size_t row = 0; row < x.size(); row += n) {
    double mean_square = 0;
    for (size_t j = 0; j < n; ++j) mean_square += x[row + j] * x[row + j] / static_cast<double>(n);
    for (size_t j = 0; j < n; ++j) y[row + j] = x[row + j] / std::sqrt(mean_square + epsilon) * gain[j];
  }
  return y;
}

struct NormGradients {
  std::vector<double> dx, dgain, dbias;
};

/// By the Jacobian: dy_i/dx_j = gain_i rstd (1[i = j] - 1/n - xhat_i xhat_j / n); rms_norm has no 1/n and
/// no mean in xhat.
inline NormGradients norm_gradients(const std::vector<double>& x, const std::vector<double>& gain,
                                    double epsilon, const std::vector<double>& dout, bool centered) {
  const size_t n = gain.size();
  NormGradients g{std::vector<double>(x.size()), std::vector<double>(n), std::vector<double>(n)};
  std::vector<double> xhat(n);
  for (size_t row = 0; row < x.size(); row += n) {
    Moments m = row_moments(x, row, n);
    if (!centered) m = {0, m.variance + m.mean * m.mean};
    const double rstd = 1 / std::sqrt(m.variance + epsilon);
    for (size_t j = 0; j < n; ++j) xhat[j] = (x[row + j] - m.mean) * rstd;
    for (size_t i = 0; i < n; ++i) {
      g.dgain[i] += dout[row + i] * xhat[i];
      g.dbias[i] += dout[row + i];
      for (size_t j = 0; j < n; ++j) {
        const double shared = ((centered ? 1 : 0) + xhat[i] * xhat[j]) / static_cast<double>(n);
        g.dx[row + j] += dout[row + i] * gain[i] * rstd * ((i == j ? 1 : 0) - shared);
      }
    }
  }
  return g;
}

}  // namespace sqrtdk::reference
