#include "training/adafactor.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "simd/double_math.h"

namespace sqrtdk {
namespace {

double root_mean_square(std::span<const float> x) {
  double squares = 0;
  for (const float each : x) squares += static_cast<double>(each) * static_cast<double>(each);
  return std::sqrt(squares / static_cast<double>(x.size()));
}

// Moves what is remembered towards `now`; returns its mean.
double remember(std::span<float> memory, const std::vector<double>& now, double rest) {
  double sum = 0;
  for (size_t i = 0; i < now.size(); ++i) {
    memory[i] = static_cast<float>((1 - rest) * static_cast<double>(memory[i]) + rest * now[i]);
    sum += static_cast<double>(memory[i]);
  }
  return sum / static_cast<double>(now.size());
}

// 1 / sqrt(memory / divisor)
std::vector<double> inverse_roots(std::span<const float> memory, size_t n, double divisor) {
  std::vector<double> roots(n);
  for (size_t i = 0; i < n; ++i) roots[i] = std::sqrt(divisor / static_cast<double>(memory[i]));
  return roots;
}

}  // namespace

void adafactor_update(std::span<float> w, std::span<const float> gradient, int64_t n_cols,
                      std::span<float> rows, std::span<float> cols, const AdafactorStep& step) {
  if (w.empty()) return;
  const auto t = static_cast<double>(step.t);
  const double rest = simd::exp(-0.8 * simd::log(t));
  const auto across = static_cast<size_t>(n_cols), down = w.size() / across;

  std::vector<double> of_rows(down), of_cols(across);
  for (size_t i = 0, k = 0; i < down; ++i) {
    for (size_t j = 0; j < across; ++j, ++k) {
      const double square = static_cast<double>(gradient[k]) * static_cast<double>(gradient[k]) + step.floor;
      of_rows[i] += square / static_cast<double>(across);
      of_cols[j] += square / static_cast<double>(down);
    }
  }
  const double mean = remember(rows, of_rows, rest);
  std::vector<double> left = inverse_roots(rows, down, across > 1 ? mean : 1), right(1, 1);
  if (across > 1) {
    remember(cols, of_cols, rest);
    right = inverse_roots(cols, across, 1);
  }

  std::vector<double> u(w.size());
  double squares = 0;
  for (size_t i = 0, k = 0; i < down; ++i) {
    for (size_t j = 0; j < across; ++j, ++k) {
      u[k] = static_cast<double>(gradient[k]) * left[i] * right[j];
      squares += u[k] * u[k];
    }
  }
  const double too_long = std::max(1.0, std::sqrt(squares / static_cast<double>(w.size())));
  const double size = std::max(step.least_size, root_mean_square(w));
  const double rate = std::min(step.learning_rate, 1 / std::sqrt(t)) * size / too_long;
  const double kept = 1 - step.learning_rate * step.weight_decay;
  for (size_t k = 0; k < w.size(); ++k) {
    w[k] = static_cast<float>(kept * static_cast<double>(w[k]) - rate * u[k]);
  }
}

}  // namespace sqrtdk
