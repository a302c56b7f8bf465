#include "lab/weight_rows.h"

#include <cmath>

#include "simd/math.h"

namespace sqrtdk {
namespace {

double larger(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

}  // namespace

std::vector<double> row_sums_of(ConstView weights) {
  const int64_t n = weights.shape[-1];
  std::vector<double> sums(static_cast<size_t>(weights.shape.leading(1)));
  const float* row = weights.data;
  for (double& sum : sums) {
    for (int64_t j = 0; j < n; ++j) sum += static_cast<double>(row[j]);
    row += n;
  }
  return sums;
}

double farthest_from_1(const std::vector<double>& sums) {
  double farthest = 0;
  for (const double sum : sums) farthest = larger(farthest, std::fabs(sum - 1));
  return farthest;
}

double entropy_of(const float* weights, int64_t n) {
  double entropy = 0;
  for (int64_t j = 0; j < n; ++j) {
    const double p = static_cast<double>(weights[j]);
    if (p > 0) entropy -= p * simd::log(p);
  }
  return entropy;
}

double largest_difference(ConstView a, ConstView b) {
  double largest = 0;
  for (int64_t i = 0; i < a.shape.size(); ++i) {
    largest = larger(largest, std::fabs(static_cast<double>(a.data[i]) - static_cast<double>(b.data[i])));
  }
  return largest;
}

}  // namespace sqrtdk
