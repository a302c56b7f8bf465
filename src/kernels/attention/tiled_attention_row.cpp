// Lanes are keys for a query's scores and columns for its output. Each element is computed as
// attention_tile.h computes it, to the same bits.
#include "kernels/attention/tiled_attention_row.h"

#include "kernels/attention/attention_adjust.h"

namespace sqrtdk::attention_tile {
namespace {

// Keys and values are read by turns, so many at a time: both may be in no near cache, and what follows on in
// memory is there before it is asked for. With turns of a tile it would take up to twice as long.
constexpr int kTurn = 32 * kKeys;

// sums[b] += keys · q over `depth` components of block b, for four keys that lie d apart. Products before the
// transposition: q is read as it lies.
template <int kBlocks>
inline void score_blocks(const float* q, const float* k, ptrdiff_t d, ptrdiff_t depth,
                         f32x4 (&sums)[kBlocks]) {
  for (f32x4& sum : sums) sum = zero();
  ptrdiff_t i = 0;
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
  for (; i + 4 <= depth; i += 4, q += 4, k += 4) {
    const float *const k1 = opaque(k + d), *const k2 = opaque(k1 + d), *const k3 = opaque(k2 + d);
    for (int b = 0; b < kBlocks; ++b) {
      const ptrdiff_t at = b * kSumDepth;
      const f32x4 x = load(q + at);
      f32x4 p0 = load(k + at) * x, p1 = load(k1 + at) * x, p2 = load(k2 + at) * x, p3 = load(k3 + at) * x;
      transpose4(p0, p1, p2, p3);
      sums[b] = sums[b] + p0 + p1 + p2 + p3;
    }
  }
  for (; i < depth; ++i, ++q, ++k) {
    for (int b = 0; b < kBlocks; ++b) {
      const float* const at = k + b * kSumDepth;
      sums[b] = sums[b] + make(at[0], at[d], at[2 * d], at[3 * d]) * splat(q[b * kSumDepth]);
    }
  }
}

// scores[4] of four keys that lie one after the other, as what is in no cache has to be read.
inline void score_keys(const float* q, const float* k, ptrdiff_t d, f32x4 scale, float* scores) {
  f32x4 total = zero();
  ptrdiff_t i = 0;
  for (; i + 2 * kSumDepth <= d; i += 2 * kSumDepth) {
    f32x4 sums[2];
    score_blocks(q + i, k + i, d, kSumDepth, sums);
    total = total + sums[0] + sums[1];
  }
  for (; i < d; i += kSumDepth) {
    f32x4 sums[1];
    score_blocks(q + i, k + i, d, std::min<ptrdiff_t>(d - i, kSumDepth), sums);
    total = total + sums[0];
  }
  store(scores, total * scale);
}

inline float score_key(const float* q, const float* k, int64_t d, float scale) {
  float sum = 0;
  for (int64_t i = 0; i < d; i += kSumDepth) {
    float block = 0;
    for (int64_t c = i; c < std::min(d, i + kSumDepth); ++c) block = block + k[c] * q[c];
    sum = sum + block;
  }
  return sum * scale;
}

// scores[n_keys] = scale · k q
inline void scores_of(const float* q, const float* k, int64_t d, int n_keys, float scale, float* scores) {
  int key = 0;
  for (; key + 4 <= n_keys; key += 4) {
    score_keys(q, k + key * d, static_cast<ptrdiff_t>(d), splat(scale), scores + key);
  }
  for (; key < n_keys; ++key) scores[key] = score_key(q, k + key * d, d, scale);
}

// max(largest, scores[n]), n a multiple of 16
inline float largest_of(const float* scores, int n, float largest) {
  f32x4 lanes[4];
  for (f32x4& lane : lanes) lane = splat(largest);
  for (int key = 0; key < n; key += 16) {
    for (int i = 0; i < 4; ++i) lanes[i] = max(lanes[i], load(scores + key + 4 * i));
  }
  return extract<0>(max_across(max(max(lanes[0], lanes[1]), max(lanes[2], lanes[3]))));
}

// scores[n] become weights = exp(scores - largest), n a multiple of eight; returns their sum.
inline float weigh(float* scores, int n, float largest) {
  const ExpConstants& constants = exp_constants();
  const f32x4 m = splat(largest);
  for (int key = 0; key < n; key += 8) {
    f32x4 x[] = {load(scores + key) - m, load(scores + key + 4) - m};
    exp_nonpositive(x, constants);
    store(scores + key, x[0]);
    store(scores + key + 4, x[1]);
  }
  if (n <= kSumKeys) {
    float sum = 0;
    for (int key = 0; key < n; ++key) sum = sum + scores[key];
    return sum;
  }
  static_assert(kKeys == 4 * kSumKeys);  // a lane for each block of the sum
  std::fill(scores + n, scores + kKeys, 0.0f);
  f32x4 sums = zero();
  for (int key = 0; key < kSumKeys; key += 4) {
    f32x4 w0 = load(scores + key), w1 = load(scores + kSumKeys + key);
    f32x4 w2 = load(scores + 2 * kSumKeys + key), w3 = load(scores + 3 * kSumKeys + key);
    transpose4(w0, w1, w2, w3);
    sums = sums + w0 + w1 + w2 + w3;
  }
  return sum(sums);
}

// sums[4 kVectors] += weights · v, v's rows d apart
template <int kVectors>
inline void value_columns(const float* weights, const float* v, int64_t d, int n_keys, float* sums) {
  f32x4 columns[1][kVectors];
  for (int i = 0; i < kVectors; ++i) columns[0][i] = load(sums + 4 * i);
  PanelOfRows<1> left(weights);
  Columns right(v, d);
  for (; n_keys > 0; --n_keys) add_step(left, right, columns);
  for (int i = 0; i < kVectors; ++i) store(sums + 4 * i, columns[0][i]);
}

// out[d] = factor · out + weights · v. Some keys, 2 kB of v, meet all columns before the next ones: v may be
// in no cache, and is read as it lies.
inline void add_values(const float* weights, const float* v, int64_t d, int n_keys, float factor,
                       float* out) {
  constexpr int64_t kColumns = 256;
  const int together = static_cast<int>(std::max<int64_t>(8, 512 / std::max<int64_t>(d, 1)));
  const int64_t fours = d / 4 * 4;
  for (int64_t first = 0; first < fours; first += kColumns) {
    const int64_t columns = std::min(kColumns, fours - first);
    alignas(16) float sums[kColumns];
    std::fill_n(sums, columns, 0.0f);
    for (int key = 0; key < n_keys; key += together) {
      const int keys = std::min(together, n_keys - key);
      const float* const rows = v + key * d + first;
      int64_t c = 0;
      for (; c + 32 <= columns; c += 32) value_columns<8>(weights + key, rows + c, d, keys, sums + c);
      for (; c + 8 <= columns; c += 8) value_columns<2>(weights + key, rows + c, d, keys, sums + c);
      for (; c < columns; c += 4) value_columns<1>(weights + key, rows + c, d, keys, sums + c);
    }
    for (int64_t c = 0; c < columns; c += 4) {
      float* const to = out + first + c;
      store(to, load(to) * splat(factor) + load(sums + c));
    }
  }
  for (int64_t c = fours; c < d; ++c) {
    float sum = 0;
    for (int key = 0; key < n_keys; ++key) sum = sum + weights[key] * v[key * d + c];
    out[c] = out[c] * factor + sum;
  }
}

// A query's scores of n_keys keys, and -inf behind them up to a multiple of 16; false where all are masked.
bool score_tile_of_row(const AttentionCall& call, const Head& head, int64_t query, int64_t key, int n_keys,
                       float* scores) {
  alignas(16) float added[kKeys];
  if (head.mask.masked() && !out_of_line(mask_row)(head.mask, query, key, n_keys, added)) return false;
  const int64_t d_k = call.d_k;
  const int padded = static_cast<int>(rounded_up(n_keys, 16));
  out_of_line(scores_of)(head.q + query * d_k, head.k + key * d_k, d_k, n_keys, head.scale, scores);
  std::fill(scores + n_keys, scores + padded, -kInfinity);
  if (call.softcap > 0) {
    out_of_line(cap_scores)(scores, padded, call.softcap);
    std::fill(scores + n_keys, scores + padded, -kInfinity);
  }
  if (head.mask.masked()) {
    for (int i = 0; i < padded; i += 4) {
      store(scores + i, add_unless_masked(load(scores + i), load(added + i)));
    }
  }
  return true;
}

// What these keys add to the row: its largest score, the sum of its weights, and out.
void add_tile_of_row(const AttentionCall& call, const Head& head, int64_t query, int64_t key, int n_keys,
                     float* scores, float& largest, float& sum) {
  const int64_t d_v = call.d_v;
  const int padded = static_cast<int>(rounded_up(n_keys, 16));
  const float before = largest;
  largest = largest_of(scores, padded, largest);
  const float shift = extract<0>(shift_of(splat(largest)));
  const float factor = exp_nonpositive(before - shift);
  sum = sum * factor + out_of_line(weigh)(scores, padded, shift);
  const float* v = head.v + key * d_v;
  float* out = head.out + query * d_v;
  if (head.mask.masked() && !out_of_line(is_finite)(v, n_keys * d_v)) {
    alignas(16) float added[kKeys];
    out_of_line(mask_row)(head.mask, query, key, n_keys, added);
    out_of_line(add_unmasked_values)(scores, added, v, d_v, n_keys, factor, out, 1);
  } else {
    out_of_line(add_values)(scores, v, d_v, n_keys, factor, out);
  }
}

// The end of a row. Unmasked scores that are all -inf have no softmax: NaN.
struct RowEnd {
  float factor, largest, sum;
  RowEnd(const HeadMask& head_mask, int64_t query, float largest, float sum)
      : largest(largest + 0.0f), sum(sum) {
    bool unmasked = largest != -kInfinity || sum != 0;
    for (int64_t key = 0; !unmasked && key < head_mask.end(query); ++key) {
      if (head_mask.unmasked(query, key))
        unmasked = true, this->sum = std::numeric_limits<float>::quiet_NaN();
    }
    factor = unmasked ? 1 / this->sum : 0;
  }
};

}  // namespace

void add_unmasked_values(const float* weights, const float* added, const float* v, int64_t d, int n_keys,
                         float factor, float* out, int64_t weight_step) {
  for (int64_t c = 0; c < d; ++c) {
    float sum = 0;
    for (int key = 0; key < n_keys; ++key) {
      if (added[key] != -kInfinity) sum = sum + weights[key * weight_step] * v[key * d + c];
    }
    out[c] = out[c] * factor + sum;
  }
}

void attend_row(const AttentionCall& call, const Head& head, int64_t query) {
  const int64_t end = head.mask.end(query);
  float* out = head.out + query * call.d_v;
  std::fill_n(out, call.d_v, 0.0f);
  float largest = -kInfinity, sum = 0;
  for (int64_t first = 0; first < end; first += kTurn) {
    const int n = static_cast<int>(std::min<int64_t>(kTurn, end - first));
    alignas(16) float scores[kTurn];
    bool masked[kTurn / kKeys];
    for (int i = 0; i < n; i += kKeys) {
      masked[i / kKeys] =
          !score_tile_of_row(call, head, query, first + i, std::min(kKeys, n - i), scores + i);
    }
    for (int i = 0; i < n; i += kKeys) {
      if (masked[i / kKeys]) continue;
      add_tile_of_row(call, head, query, first + i, std::min(kKeys, n - i), scores + i, largest, sum);
    }
  }
  finish_row(call, head, query, largest, sum, out);
}

void finish_row(const AttentionCall& call, const Head& head, int64_t query, float largest, float sum,
                const float* from) {
  const RowEnd end(head.mask, query, largest, sum);
  float* out = head.out + query * call.d_v;
  int64_t c = 0;
  for (; c + 4 <= call.d_v; c += 4) store(out + c, load(from + c) * splat(end.factor));
  for (; c < call.d_v; ++c) out[c] = from[c] * end.factor;
  if (head.row_stats) head.row_stats[2 * query] = end.largest, head.row_stats[2 * query + 1] = end.sum;
}

}  // namespace sqrtdk::attention_tile
