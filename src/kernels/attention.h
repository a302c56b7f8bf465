#pragma once
// Scaled dot-product attention, the explainable form: scores, weights and output are all visible.
//   scores  = scale · q kᵀ (+ bias)     [.., n_q, n_k]
//   weights = softmax(scores)           masked keys skipped, exactly 0
//   out     = weights · v               [.., n_q, d_v]
// Vaswani et al., "Attention Is All You Need", section 3.2.1.
#include <optional>

#include "tensor/tensor.h"

namespace sqrtdk {

enum class Causal { kNo, kTopLeft, kBottomRight };

struct AttentionOptions {
  std::optional<float> scale;  // default 1/sqrt(d_k)
  Causal causal = Causal::kNo;
  MaskView mask;   // [n_q, n_k] or [.., n_q, n_k]; nonzero = attend; empty = all
  ConstView bias;  // same shapes; added to the scaled scores; exactly -inf masks
};

/// q: [.., n_q, d_k], k: [.., n_k, d_k], v: [.., n_k, d_v]; writes scores and weights [.., n_q, n_k]
/// and out [.., n_q, d_v]. A fully masked row gives zero weights and zero output. Masked positions of
/// `scores` are -inf. NaN or infinity at a masked position changes no bit. Throws ShapeError.
void attention_forward(ConstView q, ConstView k, ConstView v, const AttentionOptions& options, View scores,
                       View weights, View out);

/// Gradients from the forward's weights; overwrites dq, dk, dv (shapes of q, k, v).
/// dscores is scratch of the shape of weights and holds dL/dscores (before the scale) afterwards.
void attention_backward(ConstView q, ConstView k, ConstView v, const AttentionOptions& options,
                        ConstView weights, ConstView dout, View dscores, View dq, View dk, View dv);

}  // namespace sqrtdk
