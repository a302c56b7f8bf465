#pragma once
// Attention by the angle between query and key instead of their dot product:
//   scores_ij = tau · q_i·k_j / (max(|q_i|, eps) max(|k_j|, eps))
//   weights = softmax(scores)   out = weights · v
// Luo et al., "Cosine Normalization", 2017; Henry et al., "Query-Key Normalization for Transformers", 2020.
#include "tensor/tensor.h"

namespace sqrtdk {

inline constexpr float kCosineEpsilon = 1e-12f;

/// Floats of scratch that forward or backward needs.
int64_t cosine_attention_scratch(const ConstView& q, const ConstView& k);

/// q: [.., n_q, d], k: [.., n_k, d], v: [.., n_k, d_v]; mask as in additive_attention_forward. Writes scores,
/// weights [.., n_q, n_k] and out [.., n_q, d_v]. Throws ShapeError, OutOfMemory.
void cosine_attention_forward(const ConstView& q, const ConstView& k, const ConstView& v, float tau,
                              const MaskView& mask, const View& scores, const View& weights, const View& out,
                              Arena& scratch);

/// dq, dk, dv are overwritten; returns dL/dtau. dscores: scratch of the shape of weights. A norm below eps is
/// the constant eps.
double cosine_attention_backward(const ConstView& q, const ConstView& k, const ConstView& v, float tau,
                                 const MaskView& mask, const ConstView& weights, const ConstView& dout,
                                 const View& dscores, const View& dq, const View& dk, const View& dv,
                                 Arena& scratch);

}  // namespace sqrtdk
