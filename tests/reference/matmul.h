#pragma once
// Matrix product: in double, and in float by the definition that kernels/matmul.h promises bit by bit.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace sqrtdk::reference {

struct Product {
  std::vector<double> exact;      // [m, n]
  std::vector<double> magnitude;  // sum of |a b|: errors are relative to this
};

inline Product matmul(const std::vector<float>& a, const std::vector<float>& b, int64_t m, int64_t k,
                      int64_t n) {
  Product product{std::vector<double>(static_cast<size_t>(m * n)),
                  std::vector<double>(static_cast<size_t>(m * n))};
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t p = 0; p < k; ++p) {
        const double term = static_cast<double>(a[i * k + p]) * b[p * n + j];
        product.exact[i * n + j] += term;
        product.magnitude[i * n + j] += std::fabs(term);
      }
    }
  }
  return product;
}

/// Each block of 32 values of k is summed in order from its first product; the blocks' sums are added to
/// `start` (or to 0) in order, then `bias` (if any).
inline std::vector<float> matmul_bits(const std::vector<float>& a, const std::vector<float>& b, int64_t m,
                                      int64_t k, int64_t n, const std::vector<float>* start = nullptr,
                                      const std::vector<float>* bias = nullptr) {
  std::vector<float> out(static_cast<size_t>(m * n), 0.0f);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float total = start ? (*start)[i * n + j] : 0.0f;
      for (int64_t first = 0; first < k; first += 32) {
        float sum = a[i * k + first] * b[first * n + j];
        for (int64_t p = first + 1; p < std::min(first + 32, k); ++p) sum = sum + a[i * k + p] * b[p * n + j];
        total = total + sum;
      }
      out[i * n + j] = bias ? total + (*bias)[j] : total;
    }
  }
  return out;
}

inline std::vector<float> transposed(const std::vector<float>& x, int64_t rows, int64_t columns) {
  std::vector<float> result(x.size());
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) result[j * rows + i] = x[i * columns + j];
  }
  return result;
}

}  // namespace sqrtdk::reference
