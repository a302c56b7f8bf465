#pragma once
// The gradients of a layer, of its input and of its parameters at once, against its formula. A formula is a
// function of one vector, the input and then the parameters in their block's order, written for any number.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "layers/parameters.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/dual.h"
#include "reference/gradient.h"

namespace sqrtdk::reference {

inline void fill_normals(std::span<float> values, uint64_t seed, float scale = 1) {
  const std::vector<float> drawn = Draws(seed).normals(static_cast<int64_t>(values.size()), scale);
  std::copy(drawn.begin(), drawn.end(), values.begin());
}

inline std::vector<float> values_of(ConstView x) { return {x.data, x.data + x.shape.size()}; }

/// The input and the parameters as a formula takes them, or their gradients.
inline std::vector<float> joined(const std::vector<float>& x, std::span<const float> parameters) {
  std::vector<float> all = x;
  all.insert(all.end(), parameters.begin(), parameters.end());
  return all;
}

/// `count` numbers of `all` from `first` on; first goes past them.
template <class T>
std::vector<T> take(const std::vector<T>& all, size_t& first, size_t count) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  first += count;
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

/// x wᵀ + b for rows of n_in; b may be empty.
template <class T>
std::vector<T> linear(const std::vector<T>& x, const std::vector<T>& w, const std::vector<T>& b, size_t n_in,
                      size_t n_out) {
  const size_t rows = x.size() / n_in;
  std::vector<T> y(rows * n_out);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < n_out; ++j) {
      y[i * n_out + j] = b.empty() ? T(0) : b[j];
      for (size_t p = 0; p < n_in; ++p) y[i * n_out + j] += x[i * n_in + p] * w[j * n_in + p];
    }
  }
  return y;
}

/// Three ways: exact derivatives, central differences, and <dout, J v> = <dz, v>. Errors are relative to the
/// largest gradient.
template <class Formula>
void check_gradients(const Formula& formula, const std::vector<float>& z, const std::vector<float>& dout,
                     const std::vector<float>& dz, double tolerance) {
  const std::vector<double> point = widen(z), u = widen(dout);
  const std::vector<double> exact = gradient_of([&](const auto& at) { return formula(at); }, point, u);
  const double size = std::max(1.0, max_abs(exact));
  CHECK(compare(dz, exact).absolute <= tolerance * size);
  const std::vector<double> differences =
      central_differences([&](const std::vector<double>& at) { return formula(at); }, point, u);
  CHECK(compare(dz, differences).absolute <= (tolerance + 1e-8) * size);
  const std::vector<double> v = widen(Draws(77).normals(static_cast<int64_t>(z.size())));
  const std::vector<double> jv = tangent_of([&](const auto& at) { return formula(at); }, point, v);
  double magnitude = 1;
  for (size_t i = 0; i < v.size(); ++i) magnitude += std::fabs(exact[i] * v[i]);
  CHECK(std::fabs(dot(u, jv) - dot(widen(dz), v)) <= tolerance * magnitude);
}

}  // namespace sqrtdk::reference
