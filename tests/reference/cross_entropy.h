#pragma once
// Cross-entropy in double, with the target as probabilities times class weights.
#include <cmath>
#include <vector>

#include "kernels/cross_entropy.h"
#include "reference/softmax.h"

namespace sqrtdk::reference {

struct CrossEntropy {
  size_t n_classes;
  std::vector<int32_t> target;
  std::vector<double> weight;  // n_classes
  double smoothing = 0;
  int32_t ignore_index = -100;
  Reduction reduction = Reduction::kMean;

  double coefficient(size_t row, size_t c) const {
    const double own = static_cast<size_t>(target[row]) == c ? 1 - smoothing : 0;
    return weight[c] * (own + smoothing / static_cast<double>(n_classes));
  }

  std::vector<double> losses(const std::vector<double>& logits) const {
    const std::vector<double> p = softmax(logits, n_classes);
    std::vector<double> losses(target.size());
    for (size_t i = 0; i < target.size(); ++i) {
      for (size_t c = 0; c < n_classes && target[i] != ignore_index; ++c) {
        if (coefficient(i, c) != 0) losses[i] -= coefficient(i, c) * std::log(p[i * n_classes + c]);
      }
    }
    return losses;
  }

  double divisor() const {
    if (reduction != Reduction::kMean) return 1;
    double total = 0;
    for (const int32_t y : target) {
      if (y != ignore_index) total += weight[static_cast<size_t>(y)];
    }
    return total;
  }

  /// One number, or one for each row.
  std::vector<double> loss(const std::vector<double>& logits) const {
    const std::vector<double> each = losses(logits);
    if (reduction == Reduction::kNone) return each;
    double sum = 0;
    for (const double loss : each) sum += loss;
    return {sum / divisor()};
  }

  /// J v for a tangent v of the logits: dloss = sum_c t_c (sum_j p_j v_j - v_c).
  std::vector<double> tangent(const std::vector<double>& logits, const std::vector<double>& v) const {
    const std::vector<double> p = softmax(logits, n_classes);
    std::vector<double> each(target.size());
    double sum = 0;
    for (size_t i = 0; i < target.size(); ++i) {
      if (target[i] == ignore_index) continue;
      double mean = 0;
      for (size_t c = 0; c < n_classes; ++c) mean += p[i * n_classes + c] * v[i * n_classes + c];
      for (size_t c = 0; c < n_classes; ++c) each[i] += coefficient(i, c) * (mean - v[i * n_classes + c]);
      sum += each[i];
    }
    return reduction == Reduction::kNone ? each : std::vector<double>{sum / divisor()};
  }

  /// dlogits = dloss · (p sum t - t).
  std::vector<double> gradient(const std::vector<double>& logits, const std::vector<double>& dloss) const {
    std::vector<double> p = softmax(logits, n_classes);
    for (size_t i = 0; i < target.size(); ++i) {
      const double upstream = dloss[reduction == Reduction::kNone ? i : 0] / divisor();
      double total = 0;
      for (size_t c = 0; c < n_classes; ++c) total += coefficient(i, c);
      for (size_t c = 0; c < n_classes; ++c) {
        double& value = p[i * n_classes + c];
        value = target[i] == ignore_index ? 0 : upstream * (value * total - coefficient(i, c));
      }
    }
    return p;
  }
};

}  // namespace sqrtdk::reference
