#pragma once
// Steps relative to a parameter's own size: Shazeer and Stern, "Adafactor: Adaptive Learning Rates with
// Sublinear Memory Cost", 2018, algorithms 4 and 5, without a first moment. Computed in double, rounded once.
#include <cstdint>
#include <span>

namespace sqrtdk {

struct AdafactorStep {
  double learning_rate, weight_decay = 0;  // decoupled
  int64_t t = 1;                           // the number of this step
  double floor = 1e-30;                    // the paper's ε1, added to g²
  double least_size = 1e-3;  // its ε2, the least root mean square of w that a step is relative to
};

/// β = 1 - t^-0.8. A matrix [.., n_cols] with n_cols > 1 remembers means of its rows and columns,
///   rows = β rows + (1 - β) mean_j(g² + floor), cols likewise, v = rows colsᵀ / mean(rows),
/// and a vector, n_cols = 1, keeps v = β v + (1 - β)(g² + floor) in rows. Then with u = g / sqrt(v)
///   w = (1 - η λ) w - min(η, 1/sqrt(t)) max(least_size, RMS(w)) u / max(1, RMS(u)).
/// rows is at least as long as w has rows, cols as it has columns; 0 before the first step.
void adafactor_update(std::span<float> w, std::span<const float> gradient, int64_t n_cols,
                      std::span<float> rows, std::span<float> cols, const AdafactorStep& step);

}  // namespace sqrtdk
