#pragma once
// Comparing float results with exact values in double. NaN and infinity are compared first: a class that
// differs is an infinite error, so no tolerance lets it pass.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

namespace sqrtdk::reference {

struct Error {
  double absolute = 0;
  double ulp = 0;  // in units of the spacing of floats at the exact value
};

inline Error error_of(float got, double exact) {
  const double infinite = std::numeric_limits<double>::infinity();
  const bool same_class = std::isfinite(exact) ? std::isfinite(got)
                          : std::isnan(exact)  ? std::isnan(got)
                                               : static_cast<double>(got) == exact;
  if (!same_class) return {infinite, infinite};
  if (!std::isfinite(exact)) return {0, 0};
  const double absolute = std::fabs(got - exact);
  const int exponent = exact == 0 ? -126 : std::max(std::ilogb(exact), -126);
  return {absolute, std::ldexp(absolute, 23 - exponent)};
}

/// The largest errors over all elements; infinite where the lengths differ.
inline Error compare(const std::vector<float>& got, const std::vector<double>& exact) {
  if (got.size() != exact.size()) return error_of(NAN, 0);
  Error worst;
  for (size_t i = 0; i < got.size(); ++i) {
    const Error error = error_of(got[i], exact[i]);
    worst = {std::max(worst.absolute, error.absolute), std::max(worst.ulp, error.ulp)};
  }
  return worst;
}

/// Whether all bits are equal, all NaNs being one value.
inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (std::memcmp(&a[i], &b[i], sizeof(float)) != 0) return false;
  }
  return true;
}

inline double max_abs(const std::vector<double>& x) {
  double largest = 0;
  for (const double value : x) largest = std::max(largest, std::fabs(value));
  return largest;
}

}  // namespace sqrtdk::reference
