#pragma once
// Central differences of a function in double.
#include <functional>
#include <vector>

namespace sqrtdk::reference {

using Function = std::function<std::vector<double>(const std::vector<double>&)>;

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// d<u, f(x)>/dx by (f(x + h) - f(x - h)) / 2h: error about h² |f'''| / 6 + 1e-16 |f| / h, some 1e-9 for h =
/// 1e-5.
inline std::vector<double> central_differences(const Function& f, std::vector<double> x,
                                               const std::vector<double>& u, double h = 1e-5) {
  std::vector<double> gradient(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const double center = x[i];
    x[i] = center + h;
    const double above = dot(u, f(x));
    x[i] = center - h;
    const double below = dot(u, f(x));
    x[i] = center;
    gradient[i] = (above - below) / (2 * h);
  }
  return gradient;
}

}  // namespace sqrtdk::reference
