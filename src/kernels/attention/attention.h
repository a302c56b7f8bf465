#pragma once
// Scaled dot-product attention, the explainable form: scores, weights and output are all visible.
//   scores  = softcap(scale · q kᵀ) + bias    [.., n_heads, n_q, n_k]
//   weights = softmax(scores)                 masked keys skipped, exactly 0
//   out     = weights · v                     [.., n_heads, n_q, d_v]
// Vaswani et al., "Attention Is All You Need", section 3.2.1.
#include "kernels/attention/attention_options.h"
#include "kernels/dropout.h"

namespace sqrtdk {

/// Dropout of the weights in training, after the softmax: out = dropped · v, whose rows need not add up to 1.
/// Section 5.4, as PyTorch does it.
struct WeightDropout {
  float probability;
  DropoutKey key;
  View dropped;  // dropout(weights), of their shape: written by forward, read by backward
};

/// q: [.., n_heads, n_q, d_k], k: [.., n_kv_heads, n_k, d_k], v: [.., n_kv_heads, n_k, d_v] (grouped heads
/// where n_kv_heads divides n_heads); writes scores and weights [.., n_heads, n_q, n_k] and out [.., n_heads,
/// n_q, d_v]. A fully masked row gives zero weights and zero output. Masked positions of `scores` are -inf.
/// NaN or infinity at a masked position changes no bit. Throws ShapeError, ValueError.
void attention_forward(const ConstView& q, const ConstView& k, const ConstView& v,
                       const AttentionOptions& options, const View& scores, const View& weights,
                       const View& out, const WeightDropout* dropout = nullptr);

/// Gradients from the forward's scores (read with softcap only: may be empty without) and weights; overwrites
/// dq, dk, dv (shapes of q, k, v). dscores, of the shape of weights, holds dL/d(scale · q·k) afterwards, 0
/// where masked; without softcap that is the gradient of the bias.
void attention_backward(const ConstView& q, const ConstView& k, const ConstView& v,
                        const AttentionOptions& options, const ConstView& scores, const ConstView& weights,
                        const ConstView& dout, const View& dscores, const View& dq, const View& dk,
                        const View& dv, const WeightDropout* dropout = nullptr);

/// present [.., n_past + n, d] = past [.., n_past, d] followed by x [.., n, d]: keys or values with a cache's
/// before them. Throws ShapeError.
void append_rows(const ConstView& past, const ConstView& x, const View& present);

}  // namespace sqrtdk
