#pragma once
// Activations and their derivatives in double, written from the formulas. The normal distribution by erfc,
// whose value does not cancel where it is small.
#include <cmath>

#include "kernels/activation.h"

namespace sqrtdk::reference {

inline double normal_cdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }
inline double normal_density(double x) { return std::exp(-x * x / 2) / std::sqrt(8 * std::atan(1.0)); }
inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

inline double activation(Activation which, double x) {
  switch (which) {
    case Activation::kRelu:
      return x > 0 ? x : 0;
    case Activation::kGelu:
      return x * normal_cdf(x);
    case Activation::kGeluTanh:  // (1 + tanh u) / 2 = sigmoid(2 u)
      return x * sigmoid(2 * std::sqrt(2 / (4 * std::atan(1.0))) * (x + 0.044715 * x * x * x));
    case Activation::kSilu:
      return x * sigmoid(x);
    case Activation::kTanh:
      return std::tanh(x);
  }
  return NAN;
}

inline double activation_derivative(Activation which, double x) {
  const double c = 2 * std::sqrt(2 / (4 * std::atan(1.0)));
  const double u2 = c * (x + 0.044715 * x * x * x), du2 = c * (1 + 3 * 0.044715 * x * x);
  switch (which) {
    case Activation::kRelu:
      return x > 0 ? 1 : 0;
    case Activation::kGelu:
      return normal_cdf(x) + x * normal_density(x);
    case Activation::kGeluTanh:
      return sigmoid(u2) + x * sigmoid(u2) * sigmoid(-u2) * du2;
    case Activation::kSilu:
      return sigmoid(x) + x * sigmoid(x) * sigmoid(-x);
    case Activation::kTanh:
      return 1 / (std::cosh(x) * std::cosh(x));
  }
  return NAN;
}

}  // namespace sqrtdk::reference
