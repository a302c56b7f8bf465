#pragma once
// Scaled dot-product attention without its score matrix: tiles of queries and keys with an online softmax, so
// that memory grows linearly in n. It is the function of attention.h, forward and backward, within rounding.
// Dao, "FlashAttention-2", 2023; Milakov and Gimelshein, "Online normalizer calculation for
// softmax", 2018.
#include "kernels/attention/attention_options.h"

namespace sqrtdk {

/// How many floats the call's arena must have free; or what that would be with so many threads.
int64_t tiled_attention_forward_scratch(const ConstView& q, const ConstView& k, const ConstView& v,
                                        int threads = 0);
int64_t tiled_attention_backward_scratch(const ConstView& q, const ConstView& k, const ConstView& v,
                                         int threads = 0);

/// Shapes as in attention_forward. Writes out [.., n_heads, n_q, d_v] and, unless empty, row_stats
/// [.., n_heads, n_q, 2]: of each row of scores the largest, and the sum of exp(score - largest); -inf and 0
/// for a fully masked row. A row's bits depend on that row, its keys and its masks alone, not on the other
/// queries of the call. Tiles that causality or lengths mask are not computed. Sums are divided last: n_k |v|
/// must not overflow. Throws ShapeError, ValueError, OutOfMemory.
void tiled_attention_forward(const ConstView& q, const ConstView& k, const ConstView& v,
                             const AttentionOptions& options, const View& out, const View& row_stats,
                             Arena& scratch);

/// Gradients from the forward's row_stats; overwrites dq, dk, dv (shapes of q, k, v). The weights are
/// computed again, tile by tile.
void tiled_attention_backward(const ConstView& q, const ConstView& k, const ConstView& v,
                              const AttentionOptions& options, const ConstView& row_stats,
                              const ConstView& dout, const View& dq, const View& dk, const View& dv,
                              Arena& scratch);

}  // namespace sqrtdk
