#pragma once
// Attention in training: dropout of the weights, after the softmax, so that rows no longer add up to 1.
//   weights = softmax(scores)   dropped = dropout(weights)   out = dropped · v
// Vaswani et al., "Attention Is All You Need", section 5.4, as PyTorch does it.
#include "kernels/attention_options.h"
#include "kernels/dropout.h"

namespace sqrtdk {

/// attention_forward, and then what is left of the weights: dropped, of their shape. Throws ShapeError,
/// ValueError.
void dropped_attention_forward(ConstView q, ConstView k, ConstView v, const AttentionOptions& options,
                               float probability, DropoutKey key, View scores, View weights, View dropped,
                               View out);

/// Overwrites dq, dk, dv; dscores as in attention_backward. Throws ValueError where options have a softcap.
void dropped_attention_backward(ConstView q, ConstView k, ConstView v, const AttentionOptions& options,
                                float probability, DropoutKey key, ConstView weights, ConstView dropped,
                                ConstView dout, View dscores, View dq, View dk, View dv);

}  // namespace sqrtdk
