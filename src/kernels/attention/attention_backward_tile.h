#pragma once
// The inner loops of tiled_attention_backward.cpp, beside those that it shares with the forward: one
// tile of kTileKeys keys and kTileQueries queries. Its weights and dscores lie as [key][query]: the softmax
// runs down eight queries at a time, and the products read the tile in both directions as it lies.
#include <algorithm>
#include <cmath>

#include "kernels/attention/attention_tile.h"
#include "simd/tanh.h"

namespace sqrtdk::attention_backward_tile {

using namespace attention_tile;

inline constexpr int kTileQueries = 64, kTileKeys = 64;
inline constexpr float kMasked = -0.0f;  // the weight of a masked pair: no unmasked one is -0

inline bool is_masked(float weight) { return weight == 0 && std::signbit(weight); }

// ---- Eight queries

/// scores [key][8] become c tanh(scores / c), and derivatives that of it, 1 - tanh².
inline void cap_panel(float* scores, int n_keys, float softcap, float* derivatives) {
  const f32x4 c = splat(softcap), one = splat(1);
  for (int i = 0; i < n_keys * kLanes; i += 4) {
    const f32x4 t = tanh(load(scores + i) / c);
    store(scores + i, c * t);
    store(derivatives + i, one - t * t);
  }
}

/// weights [key][query] = exp(scores - largest) · factor, where factor = 1 / sum; n_keys is a multiple
/// of four.
inline void weight_panel(const float* scores, int n_keys, const float* largest, const float* factor,
                         float* weights) {
  const ExpConstants& constants = exp_constants();
  const f32x4 largest0 = load(largest), largest1 = load(largest + 4);
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
  for (; n_keys > 0; n_keys -= 4, scores += 4 * kLanes, weights += 4 * kTileQueries) {
    f32x4 x[8];
    for (int i = 0; i < 8; ++i) x[i] = load(scores + 4 * i) - (i % 2 == 0 ? largest0 : largest1);
    exp_nonpositive(x, constants);
    const f32x4 factor0 = load(factor), factor1 = load(factor + 4);
    for (int i = 0; i < 4; ++i) {
      store(weights + i * kTileQueries, x[2 * i] * factor0);
      store(weights + i * kTileQueries + 4, x[2 * i + 1] * factor1);
    }
  }
}

/// weights [key][query] *= factors [key][8], which masked pairs are spared.
inline void multiply_unmasked(const float* factors, int n_keys, float* weights) {
  for (; n_keys > 0; --n_keys, factors += kLanes, weights += kTileQueries) {
    for (int lane = 0; lane < kLanes; lane += 4) {
      const f32x4 x = load(weights + lane);
      const f32x4 product = x * load(factors + lane);
      store(weights + lane, select(as_u32(x) == as_u32(splat(kMasked)), x, product));
    }
  }
}

/// products [key][8] to dweights [key][query], and means[8] += the sum over the keys of weights · dweights.
inline void dweight_panel(const float* products, int n_keys, const float* weights, float* dweights,
                          float* means) {
  f32x4 sum0 = zero(), sum1 = zero();
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
  for (; n_keys > 0; --n_keys, products += kLanes, weights += kTileQueries, dweights += kTileQueries) {
    const f32x4 x0 = load(products), x1 = load(products + 4);
    store(dweights, x0);
    store(dweights + 4, x1);
    sum0 = sum0 + load(weights) * x0;
    sum1 = sum1 + load(weights + 4) * x1;
  }
  store(means, load(means) + sum0);
  store(means + 4, load(means + 4) + sum1);
}

/// dweights [key][query] become dscores = weights (dweights - mean); 0 where masked.
template <bool has_masked>
void dscore_panel(const float* weights, int n_keys, const float* means, float* dweights) {
  const f32x4 mean0 = load(means), mean1 = load(means + 4);
  const u32x4 masked = as_u32(splat(kMasked));
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
  for (; n_keys > 0; --n_keys, weights += kTileQueries, dweights += kTileQueries) {
    const f32x4 weight0 = load(weights), weight1 = load(weights + 4);
    f32x4 x0 = weight0 * (load(dweights) - mean0), x1 = weight1 * (load(dweights + 4) - mean1);
    if constexpr (has_masked) {
      x0 = zero_where(as_u32(weight0) == masked, x0);
      x1 = zero_where(as_u32(weight1) == masked, x1);
    }
    store(dweights, x0);
    store(dweights + 4, x1);
  }
}

// ---- Products of the tile

/// out[4][8] += sum over i < count of a[i * kStep + r * kRow] b[i * 8 + c]: summed from zero, then added.
template <int kStep, int kRow>
inline void add_block(const float* a, const float* b, int count, float* out, int64_t out_step) {
  f32x4 sums[kTileRows][kTileVectors];
  clear(sums);
  PanelOfRows<kStep, kRow> left(a);
  Columns right(b, kTileColumns);
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
  for (; count > 0; --count) add_step(left, right, sums);
  for (int r = 0; r < 4; ++r, out += out_step) {
    store(out, load(out) + sums[r][0]);
    store(out + 4, load(out + 4) + sums[r][1]);
  }
}

/// add_block into zeros [4][8] without the masked pairs, so that NaN and infinity in b stay out.
template <int kStep, int kRow>
void add_unmasked_block(const float* weights, const float* a, const float* b, int count, float* out) {
  for (int r = 0; r < 4; ++r, out += 8) {
    for (int i = 0; i < count; ++i) {
      const int at = i * kStep + r * kRow;
      if (is_masked(weights[at])) continue;
      for (int c = 0; c < 8; ++c) out[c] = out[c] + a[at] * b[i * 8 + c];
    }
  }
}

/// add_block for up to 4 rows of out [.., d], with b in panels of 8 columns, [height][8]. weights have the
/// shape of a; they are null where no masked pair can do harm.
template <int kStep, int kRow>
void add_rows(const float* weights, const float* a, const float* b, int height, int count, float* out,
              int64_t d, int rows) {
  rows = std::min(rows, 4);
  for (int64_t first = 0; first < d; first += 8, b += height * 8, out += 8) {
    const int columns = static_cast<int>(std::min<int64_t>(8, d - first));
    if (rows == 4 && columns == 8 && !weights) {
      add_block<kStep, kRow>(a, b, count, out, d);
      continue;
    }
    float block[4 * 8] = {};
    if (weights) {
      add_unmasked_block<kStep, kRow>(weights, a, b, count, block);
    } else {
      add_block<kStep, kRow>(a, b, count, block, 8);
    }
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < columns; ++c) out[r * d + c] = out[r * d + c] + block[r * 8 + c];
    }
  }
}

}  // namespace sqrtdk::attention_backward_tile
