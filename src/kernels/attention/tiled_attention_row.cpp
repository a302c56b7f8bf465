// Lanes are keys for a query's scores and columns for its output. Each element is computed as
// attention_tile.h computes it, to the same bits.
#include "kernels/attention/tiled_attention_row.h"

#include "kernels/attention/attention_adjust.h"

namespace sqrtdk::attention_tile {
namespace {

// Four (or one) vectors of four keys: sums += q · k over `depth` components; keys lie d apart.
template <int kVectors>
inline void score_block(const float* q, const float* k, int64_t d, int64_t depth, f32x4 (&sums)[kVectors]) {
  for (f32x4& sum : sums) sum = zero();
  int64_t i = 0;
  for (; i + 4 <= depth; i += 4) {
    const f32x4 q0 = load_splat(q + i), q1 = load_splat(q + i + 1);
    const f32x4 q2 = load_splat(q + i + 2), q3 = load_splat(q + i + 3);
    for (int v = 0; v < kVectors; ++v) {
      const float* rows = k + 4 * v * d + i;
      f32x4 k0 = load(rows), k1 = load(rows + d), k2 = load(rows + 2 * d), k3 = load(rows + 3 * d);
      transpose4(k0, k1, k2, k3);
      sums[v] = sums[v] + k0 * q0 + k1 * q1 + k2 * q2 + k3 * q3;
    }
  }
  for (; i < depth; ++i) {
    const f32x4 x = load_splat(q + i);
    for (int v = 0; v < kVectors; ++v) {
      const float* rows = k + 4 * v * d + i;
      sums[v] = sums[v] + make(rows[0], rows[d], rows[2 * d], rows[3 * d]) * x;
    }
  }
}

template <int kVectors>
void score_keys(const float* q, const float* k, int64_t d, f32x4 scale, float* scores) {
  f32x4 sums[kVectors];
  score_block(q, k, d, std::min<int64_t>(d, kSumDepth), sums);
  for (int64_t i = kSumDepth; i < d; i += kSumDepth) {
    f32x4 more[kVectors];
    score_block(q + i, k + i, d, std::min<int64_t>(d - i, kSumDepth), more);
    for (int v = 0; v < kVectors; ++v) sums[v] = sums[v] + more[v];
  }
  for (int v = 0; v < kVectors; ++v) store(scores + 4 * v, sums[v] * scale);
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
  for (; key + 16 <= n_keys; key += 16) score_keys<4>(q, k + key * d, d, splat(scale), scores + key);
  for (; key + 4 <= n_keys; key += 4) score_keys<1>(q, k + key * d, d, splat(scale), scores + key);
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

template <int kVectors>
inline void value_columns(const float* weights, const float* v, int64_t d, int n_keys, f32x4 factor,
                          float* out) {
  f32x4 sums[1][kVectors];
  clear(sums);
  PanelOfRows<1> left(weights);
  Columns right(v, d);
  for (; n_keys > 0; --n_keys) add_step(left, right, sums);
  for (int i = 0; i < kVectors; ++i) store(out + 4 * i, load(out + 4 * i) * factor + sums[0][i]);
}

// out[d] = factor · out + weights · v
inline void add_values(const float* weights, const float* v, int64_t d, int n_keys, float factor,
                       float* out) {
  int64_t c = 0;
  for (; c + 32 <= d; c += 32) value_columns<8>(weights, v + c, d, n_keys, splat(factor), out + c);
  for (; c + 4 <= d; c += 4) value_columns<1>(weights, v + c, d, n_keys, splat(factor), out + c);
  for (; c < d; ++c) {
    float sum = 0;
    for (int key = 0; key < n_keys; ++key) sum = sum + weights[key] * v[key * d + c];
    out[c] = out[c] * factor + sum;
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
  const int64_t d_k = call.d_k, d_v = call.d_v, end = head.mask.end(query);
  float* out = head.out + query * d_v;
  std::fill_n(out, d_v, 0.0f);
  float largest = -kInfinity, sum = 0;
  for (int64_t key = 0; key < end; key += kKeys) {
    const int n_keys = static_cast<int>(std::min<int64_t>(kKeys, end - key));
    alignas(16) float scores[kKeys], added[kKeys];
    if (head.mask.masked() && !out_of_line(mask_row)(head.mask, query, key, n_keys, added)) continue;
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
    const float before = largest;
    largest = largest_of(scores, padded, largest);
    const float shift = extract<0>(shift_of(splat(largest)));
    const float factor = exp_nonpositive(before - shift);
    sum = sum * factor + out_of_line(weigh)(scores, padded, shift);
    const float* v = head.v + key * d_v;
    if (head.mask.masked() && !out_of_line(is_finite)(v, n_keys * d_v)) {
      out_of_line(add_unmasked_values)(scores, added, v, d_v, n_keys, factor, out, 1);
    } else {
      out_of_line(add_values)(scores, v, d_v, n_keys, factor, out);
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
