#pragma once
// What becomes of a tile's scores between the product and the softmax: softcap, bias and masks.
#include <cstring>

#include "kernels/attention/attention_tile.h"
#include "kernels/attention/masking.h"
#include "simd/tanh.h"

namespace sqrtdk::attention_tile {

/// What is added to the scores of one query, for keys key .. key + n_keys - 1: the bias, or -inf where
/// masked; and -inf up to kKeys. Returns whether any key is unmasked.
inline bool mask_row(const HeadMask& head, int64_t query, int64_t key, int n_keys, float* added) {
  const int end = static_cast<int>(std::clamp<int64_t>(head.end(query) - key, 0, n_keys));
  const uint8_t* mask = head.mask ? head.mask + query * head.mask_row + key * head.mask_key : nullptr;
  const float* bias = head.bias ? head.bias + query * head.bias_row + key * head.bias_key : nullptr;
  const f32x4 nothing = splat(-kInfinity);
  const u32x4 byte_of_lane = make_u32(0xff, 0xff00, 0xff0000, 0xff000000);
  mask4 unmasked = none();
  int i = 0;
  if ((!mask || head.mask_key == 1) && (!bias || head.bias_key == 1)) {
    for (; i + 4 <= end; i += 4) {
      f32x4 x = bias ? load(bias + i) : zero();
      if (mask) {
        uint32_t bytes;
        std::memcpy(&bytes, mask + i, sizeof bytes);
        x = select((splat_u32(bytes) & byte_of_lane) == splat_u32(0), nothing, x);
      }
      store(added + i, x);
      unmasked = unmasked | (x != nothing);
    }
  }
  bool any = simd::any(unmasked);
  for (; i < end; ++i) {
    const float x = bias ? bias[i * head.bias_key] : 0.0f;
    added[i] = !mask || mask[i * head.mask_key] != 0 ? x : -kInfinity;
    any |= added[i] != -kInfinity;
  }
  std::fill(added + end, added + kKeys, -kInfinity);
  return any;
}

/// scores[n] = softcap · tanh(scores / softcap), n a multiple of four
inline void cap_scores(float* scores, int n, float softcap) {
  const f32x4 c = splat(softcap);
  for (int i = 0; i < n; i += 4) store(scores + i, c * tanh(load(scores + i) / c));
}

/// scores + added, and -inf where that is what is added, whatever the score.
inline f32x4 add_unless_masked(f32x4 scores, f32x4 added) {
  return select(added == splat(-kInfinity), added, scores + added);
}

/// scores [n_keys][8] += added[8][kKeys]; n_keys a multiple of four
inline void add_rows(const float* added, int n_keys, float* scores) {
  for (int lane = 0; lane < kLanes; lane += 4, added += 4 * kKeys) {
    for (int key = 0; key < n_keys; key += 4) {
      f32x4 rows[4];
      for (int i = 0; i < 4; ++i) rows[i] = load(added + i * kKeys + key);
      transpose4(rows[0], rows[1], rows[2], rows[3]);
      for (int i = 0; i < 4; ++i) {
        float* at = scores + (key + i) * kLanes + lane;
        store(at, add_unless_masked(load(at), rows[i]));
      }
    }
  }
}

/// largest[8] = max(largest, scores [n_keys][8])
inline void largest_scores(const float* scores, int n_keys, float* largest) {
  f32x4 largest0 = load(largest), largest1 = load(largest + 4);
  for (; n_keys > 0; --n_keys, scores += kLanes) {
    largest0 = max(largest0, load(scores));
    largest1 = max(largest1, load(scores + 4));
  }
  store(largest, largest0);
  store(largest + 4, largest1);
}

}  // namespace sqrtdk::attention_tile
