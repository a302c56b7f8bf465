#pragma once
#include <algorithm>
#include <cmath>

namespace sqrtdk {

/// |got - exact| in units of the spacing of floats at exact, which must be finite and not 0.
inline double ulp_error(float got, double exact) {
  return std::abs(got - exact) / std::ldexp(1.0, std::max(std::ilogb(exact) - 23, -149));
}

/// |got - exact| in units of the spacing of doubles at exact.
inline double ulp_error(double got, long double exact) {
  return static_cast<double>(std::abs(got - exact) /
                             std::ldexp(1.0L, std::max(std::ilogb(exact) - 52, -1074)));
}

}  // namespace sqrtdk
