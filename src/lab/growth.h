#pragma once
// How something grows with the size of the problem.
#include <vector>

namespace sqrtdk {

/// The least-squares line of ln y over ln x: y ~ x^exponent. NaN below two different x, its standard error
/// below three points.
struct Growth {
  double exponent, se;
};
Growth growth(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace sqrtdk
