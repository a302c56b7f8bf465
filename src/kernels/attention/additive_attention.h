#pragma once
// Additive attention. Bahdanau, Cho and Bengio, "Neural Machine Translation by Jointly Learning to Align and
// Translate", 2015.
//   scores_ij = v · tanh(w_q q_i + w_k k_j + b)   weights = softmax(scores)   out = weights · values
// In two forms that give the same bits: naive, which projects the query and the key of every pair, and
// projected, which projects each query and each key once.
#include "tensor/tensor.h"

namespace sqrtdk {

/// w_q: [d_hidden, d_q], w_k: [d_hidden, d_k], v: [d_hidden], b: [d_hidden] or empty.
struct AdditiveParameters {
  ConstView w_q, w_k, v, b;
};
struct AdditiveGradients {
  View dw_q, dw_k, dv, db;
};

enum class AdditiveForm { kNaive, kProjected };

/// Floats of scratch that forward or backward needs.
int64_t additive_attention_scratch(const ConstView& q, const ConstView& k,
                                   const AdditiveParameters& parameters);

/// q: [.., n_q, d_q], k: [.., n_k, d_k], values: [.., n_k, d_v]; leading dimensions equal. mask: nonzero =
/// attend, broadcast to [.., n_q, n_k], or empty; masked keys are skipped and a fully masked row gives zeros,
/// as in attention_forward. Writes scores (-inf where masked), weights [.., n_q, n_k] and out [.., n_q, d_v].
/// Throws ShapeError, OutOfMemory.
void additive_attention_forward(AdditiveForm form, const ConstView& q, const ConstView& k,
                                const ConstView& values, const AdditiveParameters& parameters,
                                const MaskView& mask, const View& scores, const View& weights,
                                const View& out, Arena& scratch);

/// dq, dk, dvalues are overwritten; the parameters' gradients are added to. dscores: scratch of the shape of
/// weights.
void additive_attention_backward(const ConstView& q, const ConstView& k, const ConstView& values,
                                 const AdditiveParameters& parameters, const MaskView& mask,
                                 const ConstView& weights, const ConstView& dout, const View& dscores,
                                 const View& dq, const View& dk, const View& dvalues,
                                 const AdditiveGradients& gradients, Arena& scratch);

}  // namespace sqrtdk
