#pragma once
// Tiled attention for one query, and what ends a row of several.
#include "kernels/attention/attention_tile.h"
#include "kernels/attention/masking.h"

namespace sqrtdk::attention_tile {

/// One head of one sequence.
struct Head {
  const float *q, *k, *v;
  float *out, *row_stats;  // row_stats may be null
  HeadMask mask;
  float scale;
};

/// What to subtract from the scores: 0 while they are all -inf, of which the weights are then 0.
inline f32x4 shift_of(f32x4 largest) { return zero_where(largest == splat(-kInfinity), largest); }

/// Writes row `query` of out, with the same bits as in a tile of eight, and of row_stats.
void attend_row(const AttentionCall& call, const Head& head, int64_t query);

/// out = from / sum, or 0 where every key is masked; and row_stats.
void finish_row(const AttentionCall& call, const Head& head, int64_t query, float largest, float sum,
                const float* from);

/// out[d] = factor · out + weights · v without the keys whose `added` is -inf: what stands in v there is not
/// read.
void add_unmasked_values(const float* weights, const float* added, const float* v, int64_t d, int n_keys,
                         float factor, float* out, int64_t weight_step);

}  // namespace sqrtdk::attention_tile
