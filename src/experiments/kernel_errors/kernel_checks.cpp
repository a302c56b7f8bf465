#include "experiments/kernel_errors/kernel_checks.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sqrtdk {
namespace {

/// The distance of neighbouring floats where x lies.
double last_place(double x) {
  const float near = std::fabs(static_cast<float>(x));
  return static_cast<double>(std::nextafter(near, std::numeric_limits<float>::infinity())) -
         static_cast<double>(near);
}

double larger(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

}  // namespace

void KernelErrors::add(const Tensor& got, const std::vector<double>& expected) {
  double largest = 0, farthest = got.values.size() == expected.size() ? 0 : std::nan("");
  for (size_t i = 0; i < expected.size(); ++i) {
    const double error = std::fabs(static_cast<double>(got.values[i]) - expected[i]);
    farthest = larger(farthest, error);
    largest = std::max(largest, std::fabs(expected[i]));
    last_places_ = larger(last_places_, error / last_place(expected[i]));
  }
  absolute_ = larger(absolute_, farthest);
  relative_ = larger(relative_, largest > 0 ? farthest / largest : farthest);
}

}  // namespace sqrtdk
