#pragma once
// The sums of attention over unmasked pairs of a query and a key. A masked pair is left out, so that what
// stands there (NaN, infinity) changes no bit; keys beyond the last that a query sees cost nothing. Arrays of
// pairs [.., n_q, n_k] are laid out as the call's scores, those of queries as its q or out, those of keys as
// its k or v.
#include "kernels/attention/masking.h"

namespace sqrtdk {

/// products_ij = queries_i · keys_j, of d components. Masked pairs hold anything.
void multiply_unmasked_pairs(const AttentionCall& call, const float* queries, const float* keys, int64_t d,
                             float* products);

/// Writes `value` at every masked pair.
void set_masked(const AttentionCall& call, float* pairs, float value);

/// weights = softmax(scores) over the unmasked keys of each query, 0 elsewhere, and in a fully masked row.
/// Scores are -inf where masked.
void softmax_unmasked_keys(const AttentionCall& call, const float* scores, float* weights);

/// dpairs holds dL/dweights and then dL/dscores: 0 where masked.
void softmax_unmasked_keys_backward(const AttentionCall& call, const float* weights, float* dpairs);

/// out_i = sum over the unmasked j of factors_ij keys_j, in the order of matmul.
void sum_unmasked_keys(const AttentionCall& call, const float* factors, const float* keys, int64_t d,
                       float* out);

/// out_j = sum over the unmasked i of factors_ij queries_i, over all heads that share key j, in that order.
void sum_unmasked_queries(const AttentionCall& call, const float* factors, const float* queries, int64_t d,
                          float* out);

/// visit(mask, query, begin) for each row of pairs, whose first lies at `begin`.
template <class Visit>
void each_row(const AttentionCall& call, Visit visit) {
  for (int64_t head = 0; head < call.heads; ++head) {
    const HeadMask mask = call.mask_of(head);
    for (int64_t query = 0; query < call.n_q; ++query) {
      visit(mask, query, (head * call.n_q + query) * call.n_k);
    }
  }
}

}  // namespace sqrtdk
