#pragma once
// One query and its keys, with a loss on their weights: how much gradient reaches the scores and the query?
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sqrtdk {

/// A loss L of the weights p = softmax(s), s = scale · q·k, with all its own numbers normal.
enum class RowLoss {
  kWeights,       // u·p
  kValues,        // u·(pV), V [n_keys, kWidth], u of variance 1/kWidth: ∂L/∂p has variance 1 as well
  kCrossEntropy,  // -log softmax(pV)_y, V [n_keys, kWidth], y any of the kWidth classes
  kLogWeight,     // -log p_y, y any of the keys
};

/// Computed in double, so that a gradient of 1e-60 is not lost.
class AttentionRow {
 public:
  static constexpr int64_t kWidth = 16;
  AttentionRow(int64_t d, int64_t n_keys, RowLoss loss);
  /// q [d] and k [n_keys, d] of a trial, standard normal: those of sample_scores. What the loss needs is of a
  /// stream of its own.
  void draw(uint64_t seed, int64_t trial);
  /// The work of a trial.
  static double work(int64_t d, int64_t n_keys, int64_t n_scales);

  struct Norms {
    double scores, q;  // ‖∂L/∂s‖ and ‖∂L/∂q‖
  };
  Norms gradient(double scale);

  const std::vector<float>& scores() const { return scores_; }     // q·k
  const std::vector<double>& weights() const { return weights_; }  // of the last gradient
  const std::vector<double>& dscores() const { return dscores_; }  // ∂L/∂s, likewise

 private:
  void find_weights(double scale);
  void loss_backward();

  int64_t d_, n_keys_;
  RowLoss loss_;
  std::vector<float> q_and_k_, scores_, loss_draws_, direction_, dq_;
  std::vector<double> weights_, dweights_, dscores_;
  size_t largest_ = 0, target_ = 0;
};

}  // namespace sqrtdk
