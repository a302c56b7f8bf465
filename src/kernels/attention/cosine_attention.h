#pragma once
// Attention by the angle between query and key instead of their dot product:
//   scores_ij = tau · q_i·k_j / (max(|q_i|, eps) max(|k_j|, eps))
//   weights = softmax(scores)   out = weights · v
// Luo et al., "Cosine Normalization", 2017; Henry et al., "Query-Key Normalization for Transformers", 2020.
#include "tensor/tensor.h"

namespace sqrtdk {

inline constexpr float kCosineEpsilon = 1e-12f;

/// Floats of scratch that forward or backward needs.
int64_t cosine_attention_scratch(ConstView q, ConstView k);

/// q: [.., n_q, d], k: [.., n_k, d], v: [.., n_k, d_v]; mask as in additive_attention_forward. Writes scores,
/// weights [.., n_q, n_k] and out [.., n_q, d_v]. Throws ShapeError, OutOfMemory.
void cosine_attention_forward(ConstView q, ConstView k, ConstView v, float tau, MaskView mask, View scores,
                              View weights, View out, Arena& scratch);

/// dq, dk, dv are overwritten; returns dL/dtau. dscores: scratch of the shape of weights. A norm below eps is
/// the constant eps.
double cosine_attention_backward(ConstView q, ConstView k, ConstView v, float tau, MaskView mask,
                                 ConstView weights, ConstView dout, View dscores, View dq, View dk, View dv,
                                 Arena& scratch);

}  // namespace sqrtdk
