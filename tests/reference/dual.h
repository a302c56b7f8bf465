#pragma once
// A number and its derivative along one direction: formulas written for any number give exact derivatives.
#include <cmath>
#include <cstddef>
#include <vector>

namespace sqrtdk::reference {

struct Dual {
  double value = 0, tangent = 0;
  Dual() = default;
  Dual(double value, double tangent = 0) : value(value), tangent(tangent) {}
  Dual& operator+=(const Dual& b) { return *this = Dual(value + b.value, tangent + b.tangent); }
};

inline Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.tangent + b.tangent}; }
inline Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.tangent - b.tangent}; }
inline Dual operator*(const Dual& a, const Dual& b) {
  return {a.value * b.value, a.tangent * b.value + a.value * b.tangent};
}
inline Dual operator/(const Dual& a, const Dual& b) {
  const double quotient = a.value / b.value;
  return {quotient, (a.tangent - quotient * b.tangent) / b.value};
}
inline bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
inline Dual exp(const Dual& x) {
  const double e = std::exp(x.value);
  return {e, e * x.tangent};
}
inline Dual tanh(const Dual& x) {
  const double t = std::tanh(x.value);
  return {t, (1 - t * t) * x.tangent};
}
inline Dual sqrt(const Dual& x) {
  const double root = std::sqrt(x.value);
  return {root, x.tangent / (2 * root)};
}

/// J tangent of f at x; f maps a vector of Dual to one.
template <class Function>
std::vector<double> tangent_of(Function f, const std::vector<double>& x, const std::vector<double>& tangent) {
  std::vector<Dual> duals;
  for (size_t i = 0; i < x.size(); ++i) duals.emplace_back(x[i], tangent[i]);
  std::vector<double> tangents;
  for (const Dual& y : f(duals)) tangents.push_back(y.tangent);
  return tangents;
}

/// Jᵀ u of f at x, one direction after the other.
template <class Function>
std::vector<double> gradient_of(Function f, const std::vector<double>& x, const std::vector<double>& u) {
  std::vector<double> gradient, direction(x.size());
  for (double& along : direction) {
    along = 1;
    const std::vector<double> column = tangent_of(f, x, direction);
    along = 0;
    double sum = 0;
    for (size_t i = 0; i < u.size(); ++i) sum += u[i] * column[i];
    gradient.push_back(sum);
  }
  return gradient;
}

}  // namespace sqrtdk::reference
