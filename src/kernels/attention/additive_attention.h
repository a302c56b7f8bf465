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
int64_t additive_attention_scratch(ConstView q, ConstView k, const AdditiveParameters& parameters);

/// q: [.., n_q, d_q], k: [.., n_k, d_k], values: [.., n_k, d_v]; leading dimensions equal. mask: nonzero =
/// attend, broadcast to [.., n_q, n_k], or empty; masked keys are skipped and a fully masked row gives zeros,
/// as in attention_forward. Writes scores (-inf where masked), weights [.., n_q, n_k] and out [.., n_q, d_v].
/// Throws ShapeError, OutOfMemory.
void additive_attention_forward(AdditiveForm form, ConstView q, ConstView k, ConstView values,
                                const AdditiveParameters& parameters, MaskView mask, View scores,
                                View weights, View out, Arena& scratch);

/// dq, dk, dvalues are overwritten; the parameters' gradients are added to. dscores: scratch of the shape of
/// weights.
void additive_attention_backward(ConstView q, ConstView k, ConstView values,
                                 const AdditiveParameters& parameters, MaskView mask, ConstView weights,
                                 ConstView dout, View dscores, View dq, View dk, View dvalues,
                                 const AdditiveGradients& gradients, Arena& scratch);

}  // namespace sqrtdk
