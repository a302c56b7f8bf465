#pragma once
// Softmax and its logarithm in double, written from the formula.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace sqrtdk::reference {

inline std::vector<double> softmax(const std::vector<double>& x, size_t n) {
  std::vector<double> p(x.size());
  for (size_t row = 0; row < x.size(); row += n) {
    double largest = -INFINITY, sum = 0;
    for (size_t i = row; i < row + n; ++i) largest = std::max(largest, x[i]);
    for (size_t i = row; i < row + n; ++i) sum += p[i] = std::exp(x[i] - largest);
    for (size_t i = row; i < row + n; ++i) p[i] /= sum;
  }
  return p;
}

/// Logarithm of softmax. One largest element is left out of the sum, whose logarithm is then accurate near 0.
inline std::vector<double> log_softmax(const std::vector<double>& x, size_t n) {
  std::vector<double> y(x.size());
  for (size_t row = 0; row < x.size(); row += n) {
    size_t at = row;
    for (size_t i = row; i < row + n; ++i) at = x[i] > x[at] ? i : at;
    double others = 0;
    for (size_t i = row; i < row + n; ++i) others += i == at ? 0 : std::exp(x[i] - x[at]);
    for (size_t i = row; i < row + n; ++i) y[i] = (x[i] - x[at]) - std::log1p(others);
  }
  return y;
}

/// The Jacobian diag(p) - p pᵀ times a vector, row by row. It is symmetric: J u is also Jᵀ u.
inline std::vector<double> softmax_jacobian_times(const std::vector<double>& p, const std::vector<double>& u,
                                                  size_t n) {
  std::vector<double> result(p.size());
  for (size_t row = 0; row < p.size(); row += n) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j) {
        result[row + i] += ((i == j ? p[row + i] : 0) - p[row + i] * p[row + j]) * u[row + j];
      }
    }
  }
  return result;
}

}  // namespace sqrtdk::reference
