#pragma once
// What every form of scaled dot-product attention can be told.
#include <cstdint>
#include <optional>
#include <span>

#include "tensor/tensor.h"

namespace sqrtdk {

/// Which keys lie in a query's past: those up to the diagonal that starts at the top left of the scores
/// (query i sees keys 0 .. i + n_past) or ends at their bottom right (the last query sees every key). No
/// default where n_q != n_k.
enum class Causal { kNo, kTopLeft, kBottomRight };

struct AttentionOptions {
  std::optional<float> scale{};  // default 1/sqrt(d_k), d_k of one head
  float softcap = 0;             // c > 0: c tanh(scores / c), after the scale and before bias and masks
  Causal causal = Causal::kNo;
  int64_t n_past = 0;   // keys before the first query's own, from a cache; moves the top-left diagonal
  MaskView mask{};      // nonzero = attend; empty = all; broadcast to the shape of the scores as in NumPy
  ConstView bias{};     // added to the scores, broadcast as the mask is; exactly -inf masks
  IndexView lengths{};  // how many keys of each sequence are no padding; its shape is the first dimensions
                        // of q. With kBottomRight the diagonal ends at that key.
  std::span<const float> head_scales{};  // one for each head: they take precedence over scale
};

}  // namespace sqrtdk
