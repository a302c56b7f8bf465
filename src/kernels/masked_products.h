#pragma once
// The sums of attention over live pairs of a query and a key. A masked pair is left out, so that what stands
// there (NaN, infinity) changes no bit; keys beyond the last that a query sees cost nothing. Arrays of pairs
// [.., n_q, n_k] are laid out as the call's scores, those of queries as its q or out, those of keys as its k
// or v.
#include "kernels/masking.h"

namespace sqrtdk {

/// products_ij = queries_i · keys_j, of d components. Masked pairs hold anything.
void multiply_live_pairs(const AttentionCall& call, const float* queries, const float* keys, int64_t d,
                         float* products);

/// Writes `value` at every masked pair.
void set_masked(const AttentionCall& call, float* pairs, float value);

/// weights = softmax(scores) over the live keys of each query, 0 elsewhere, and in a fully masked row. Scores
/// are -inf where masked.
void softmax_live_keys(const AttentionCall& call, const float* scores, float* weights);

/// dpairs holds dL/dweights and then dL/dscores: 0 where masked.
void softmax_live_keys_backward(const AttentionCall& call, const float* weights, float* dpairs);

/// out_i = sum over the live j of factors_ij keys_j. In the order of matmul, without the masked ones.
void sum_live_keys(const AttentionCall& call, const float* factors, const float* keys, int64_t d, float* out);

/// out_j = sum over the live i of factors_ij queries_i, over all heads that share key j. Likewise.
void sum_live_queries(const AttentionCall& call, const float* factors, const float* queries, int64_t d,
                      float* out);

/// visit(mask, query, begin) for each row of pairs, whose first lies at `begin`.
template <class Visit>
void each_row(const AttentionCall& call, Visit visit) {
  for (int64_t plane = 0; plane < call.planes; ++plane) {
    const MaskPlane mask = call.plane(plane);
    for (int64_t query = 0; query < call.n_q; ++query) {
      visit(mask, query, (plane * call.n_q + query) * call.n_k);
    }
  }
}

}  // namespace sqrtdk
