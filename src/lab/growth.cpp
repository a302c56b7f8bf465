#include "lab/growth.h"

#include <cmath>

#include "lab/experiment.h"
#include "simd/math.h"

namespace sqrtdk {

Growth growth(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  std::vector<double> u, v;  // ln x and ln y, from those of the first point on
  for (const double each : x) u.push_back(simd::log(each) - simd::log(x[0]));
  for (const double each : y) v.push_back(simd::log(each) - simd::log(y[0]));
  double mean_u = 0, mean_v = 0, uu = 0, uv = 0, residuals = 0;
  for (size_t i = 0; i < u.size(); ++i) mean_u += u[i] / n, mean_v += v[i] / n;
  for (size_t i = 0; i < u.size(); ++i) {
    uu += (u[i] - mean_u) * (u[i] - mean_u);
    uv += (u[i] - mean_u) * (v[i] - mean_v);
  }
  const double slope = uv / uu;
  for (size_t i = 0; i < u.size(); ++i) {
    const double rest = v[i] - mean_v - slope * (u[i] - mean_u);
    residuals += rest * rest;
  }
  return {slope, x.size() < 3 ? kNone : std::sqrt(residuals / (n - 2) / uu)};
}

}  // namespace sqrtdk
