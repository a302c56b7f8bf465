#pragma once
// The inner loops of tiled attention for eight queries side by side: a tile of scores is [key][8 queries], so
// that maxima and sums run down its columns and that weights are a packed left operand of weights · v.
#include <algorithm>
#include <limits>

#include "kernels/product/packing.h"
#include "kernels/product/tile.h"
#include "simd/exp_nonpositive.h"

namespace sqrtdk::attention_tile {

using namespace product;

inline constexpr int kLanes = kTileColumns;  // queries
inline constexpr int kKeys = 128;
inline constexpr int kSumKeys = 32;   // so many weights are summed from zero, then these sums are
inline constexpr int kSumDepth = 32;  // so many components of q · k are, then these sums
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

inline int64_t rounded_up(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

/// A function that stays one: within hundreds of others' loops V8 keeps sums in memory, and a function that
/// runs for long is only optimized from its next call on.
template <class F>
inline F* out_of_line(F* function) {
  asm volatile("" : "+r"(function));
  return function;
}

inline bool is_finite(const float* x, int64_t n) {
  f32x4 differences[4] = {zero(), zero(), zero(), zero()};  // x - x is 0, or NaN
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    for (int j = 0; j < 4; ++j) {
      const f32x4 lanes = load(x + i + 4 * j);
      differences[j] = differences[j] + (lanes - lanes);
    }
  }
  float rest = sum(differences[0] + differences[1] + (differences[2] + differences[3]));
  for (; i < n; ++i) rest = rest + (x[i] - x[i]);
  return rest == 0;
}

/// Of k [n, d], blocks of kSumDepth components one after the other, each in panels of four keys: what
/// score_tile reads goes forward in memory.
inline void pack_keys(const float* k, int64_t n, int64_t d, float* packed) {
  for (int64_t i = 0; i < d; i += kSumDepth) {
    pack_rows<kTileRows>(k + i, d, n, std::min<int64_t>(kSumDepth, d - i), packed + i * rounded_up(n, 4));
  }
}

/// Four keys: scores [4][8] = k · q over `depth` components (kLoop: more than one), added to those of the
/// blocks before; after the last block scores · scale, and largest[8] = max(largest, scores). What is not a
/// sum stays in memory.
template <bool kFirst, bool kLast, bool kLoop>
inline void score_block(const float* keys, const float* queries, int depth, const float* scale,
                        float* largest, float* scores) {
  f32x4 sums[kTileRows][kTileVectors];
  PanelOfRows<4> left(keys);
  Columns right(queries, kLanes);
  add_step<true>(left, right, sums);
  if constexpr (kLoop) {
    int steps = depth - 1;
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
    do add_step(left, right, sums);
    while (--steps != 0);
  }
  if constexpr (!kFirst) {
    for (int r = 0; r < 4; ++r) {
      sums[r][0] = load(scores + r * kLanes) + sums[r][0];
      sums[r][1] = load(scores + r * kLanes + 4) + sums[r][1];
    }
  }
  if constexpr (kLast) {
    const f32x4 factor = load_splat(scale);
    f32x4 largest0 = load(largest), largest1 = load(largest + 4);
    for (int r = 0; r < 4; ++r) {
      sums[r][0] = sums[r][0] * factor;
      sums[r][1] = sums[r][1] * factor;
      largest0 = max(largest0, sums[r][0]);
      largest1 = max(largest1, sums[r][1]);
    }
    store(largest, largest0);
    store(largest + 4, largest1);
  }
  for (int r = 0; r < 4; ++r) {
    store(scores + r * kLanes, sums[r][0]);
    store(scores + r * kLanes + 4, sums[r][1]);
  }
}

/// One block of components for all keys: a loop of its own, as SpiderMonkey keeps sums in memory where
/// several share a function.
template <bool kFirst, bool kLast, bool kLoop>
void score_blocks(const float* keys, const float* queries, int depth, int n_keys, const float* scale,
                  float* largest, float* scores) {
  for (; n_keys > 0; n_keys -= 4, keys += 4 * depth, scores += 4 * kLanes) {
    score_block<kFirst, kLast, kLoop>(keys, queries, depth, scale, largest, scores);
  }
}

/// scores [key][8] = scale · k q^T and largest = max(largest, scores), with keys up to the next multiple of
/// four: n_keys from the key `first` on, which is such a multiple, of n that pack_keys packed. queries: a
/// panel of eight; d > 0.
inline void score_tile(const float* keys, int64_t n, int64_t first, const float* queries, int d, int n_keys,
                       const float* scale, float* largest, float* scores) {
  for (int i = 0; i < d; i += kSumDepth) {
    const int depth = std::min(kSumDepth, d - i);
    const bool last = i + depth == d;
    const auto blocks =
        depth == 1 ? (i == 0 ? score_blocks<true, true, false> : score_blocks<false, true, false>)
        : i == 0   ? (last ? score_blocks<true, true, true> : score_blocks<true, false, true>)
                   : (last ? score_blocks<false, true, true> : score_blocks<false, false, true>);
    out_of_line(blocks)(keys + i * rounded_up(n, 4) + first * depth, queries + kLanes * i, depth, n_keys,
                        scale, largest, scores);
  }
}

/// scores become weights = exp(scores - largest); sums[8] of them: blocks of kSumKeys, then
/// (s0 + s2) + (s1 + s3). Four keys at a time, whose steps are many enough to hide each other's latency: what
/// is missing in the last ones has weight 0.
inline void weight_tile(float* scores, int n_keys, const float* largest, float* sums) {
  const ExpConstants& constants = exp_constants();
  const f32x4 m0 = load(largest), m1 = load(largest + 4);
  alignas(16) float blocks[kKeys / kSumKeys][kLanes] = {};
  std::fill(scores + n_keys * kLanes, scores + rounded_up(n_keys, 4) * kLanes, -kInfinity);
  for (int block = 0; block * kSumKeys < n_keys; ++block) {
    f32x4 sum0 = zero(), sum1 = zero();
    int keys = std::min(kSumKeys, n_keys - block * kSumKeys);
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
    for (; keys > 0; keys -= 4, scores += 4 * kLanes) {
      f32x4 x[8];
      for (int i = 0; i < 8; ++i) x[i] = load(scores + 4 * i) - (i % 2 == 0 ? m0 : m1);
      exp_nonpositive(x, constants);
      for (int i = 0; i < 8; ++i) store(scores + 4 * i, x[i]);
      sum0 = sum0 + x[0] + x[2] + x[4] + x[6];
      sum1 = sum1 + x[1] + x[3] + x[5] + x[7];
    }
    store(blocks[block], sum0);
    store(blocks[block] + 4, sum1);
  }
  for (int i = 0; i < kLanes; i += 4) {
    store(sums + i,
          (load(blocks[0] + i) + load(blocks[2] + i)) + (load(blocks[1] + i) + load(blocks[3] + i)));
  }
}

/// out [4][8] = factor[4] out + weights^T v of n_keys > 0; weights and v lie [key][8].
[[gnu::noinline]] inline void value_block(const float* weights, const float* v, int n_keys,
                                          const float* factor, float* out, int64_t out_step) {
  f32x4 sums[kTileRows][kTileVectors];
  clear(sums);
  PanelOfRows<kLanes> left(weights);
  Columns right(v, kTileColumns);
  add_step(left, right, sums);
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
  while (--n_keys != 0) add_step(left, right, sums);
  for (int r = 0; r < 4; ++r) {
    float* to = out + r * out_step;
    for (int i = 0; i < 2; ++i) {
      store(to + 4 * i, load(to + 4 * i) * load_splat(factor + r) + sums[r][i]);
    }
  }
}

/// The same of eight queries, the second four of which see n_keys[1] keys, and of all columns, a multiple of
/// eight: v in panels, panel_step apart. (Tiles of 2 x 16 are as fast in V8, but a seventh slower in
/// SpiderMonkey.)
inline void value_tile(const float* weights, const float* v, int64_t panel_step, int64_t columns,
                       const int* n_keys, const float* factor, float* out, int64_t out_step) {
  for (; columns > 0; columns -= kTileColumns, v += panel_step, out += kTileColumns) {
    for (int half = 0; half < 2; ++half) {
      if (n_keys[half] == 0) continue;
      value_block(weights + 4 * half, v, n_keys[half], factor + 4 * half, out + 4 * half * out_step,
                  out_step);
    }
  }
}

}  // namespace sqrtdk::attention_tile
