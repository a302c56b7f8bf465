#include "lab/double_reference.h"

#include <algorithm>
#include <cmath>

#include "simd/math.h"

namespace sqrtdk::exact {

Doubles of(std::span<const float> x) { return {x.begin(), x.end()}; }

Doubles transposed(const Doubles& x, int64_t rows, int64_t cols) {
  Doubles out;
  for (int64_t j = 0; j < cols; ++j) {
    for (int64_t i = 0; i < rows; ++i) out.push_back(x[static_cast<size_t>(i * cols + j)]);
  }
  return out;
}

Doubles product(const Doubles& a, const Doubles& b, int64_t m, int64_t k, int64_t n) {
  Doubles out;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l) {
        sum += a[static_cast<size_t>(i * k + l)] * b[static_cast<size_t>(l * n + j)];
      }
      out.push_back(sum);
    }
  }
  return out;
}

// 2/√π Σ (-1)^i x^(2i+1) / (i! (2i+1))
double erf(double x) {
  double power = x, sum = 0;
  for (int i = 0; i < 120; ++i) {
    sum += power / (2 * i + 1);
    power *= -x * x / (i + 1);
  }
  return sum * 1.1283791670955126;
}

double tanh(double x) {
  const double e = simd::exp(-2 * std::fabs(x)), y = (1 - e) / (1 + e);
  return x < 0 ? -y : y;
}

Doubles softmax(const Doubles& x, int64_t n) {
  Doubles out = x;
  for (auto row = out.begin(); row != out.end(); row += n) {
    const double largest = *std::max_element(row, row + n);
    double sum = 0;
    std::for_each(row, row + n, [&](double& each) { sum += each = simd::exp(each - largest); });
    std::for_each(row, row + n, [&](double& each) { each /= sum; });
  }
  return out;
}

Doubles softmax_backward(const Doubles& p, const Doubles& dp, int64_t n) {
  Doubles dx;
  for (size_t i = 0; i < p.size(); ++i) {
    const size_t first = i - i % static_cast<size_t>(n);
    double mean = 0;
    for (size_t j = first; j < first + static_cast<size_t>(n); ++j) mean += p[j] * dp[j];
    dx.push_back(p[i] * (dp[i] - mean));
  }
  return dx;
}

Doubles log_softmax(const Doubles& x, int64_t n) {
  Doubles out = x;
  for (auto row = out.begin(); row != out.end(); row += n) {
    const double largest = *std::max_element(row, row + n);
    double sum = 0;
    std::for_each(row, row + n, [&](double each) { sum += simd::exp(each - largest); });
    const double shift = largest + simd::log(sum);
    std::for_each(row, row + n, [&](double& each) { each -= shift; });
  }
  return out;
}

Attended attend(const Doubles& scores, const Doubles& v, const Doubles& dout, int64_t n_q, int64_t n_k,
                int64_t d_v) {
  Attended all;
  all.weights = softmax(scores, n_k);
  all.out = product(all.weights, v, n_q, n_k, d_v);
  const Doubles dweights = product(dout, transposed(v, n_k, d_v), n_q, d_v, n_k);
  all.dscores = softmax_backward(all.weights, dweights, n_k);
  all.dv = product(transposed(all.weights, n_q, n_k), dout, n_k, n_q, d_v);
  return all;
}

}  // namespace sqrtdk::exact
