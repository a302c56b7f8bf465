#pragma once
// What the forms of attention share: checked shapes, and which keys a query attends to.
#include <algorithm>
#include <limits>

#include "kernels/attention/attention_options.h"

namespace sqrtdk {

/// The pairs [n_q, n_k] of one head of one sequence. A masked key is left out of every sum, not multiplied by
/// 0.
struct HeadMask {
  const uint8_t* mask = nullptr;  // its element for (query, key) lies at query * mask_row + key * mask_key;
  const float* bias = nullptr;    // a step is 0 where the mask is broadcast
  int64_t mask_row = 0, mask_key = 0, bias_row = 0, bias_key = 0;
  int64_t n_q = 0, n_k = 0;
  int64_t length = 0;    // keys from here on are padding
  int64_t diagonal = 0;  // query i sees keys up to i + diagonal; n_k where nothing is causal
  bool masked() const { return mask || bias; }  // beyond ends of rows
  bool all_unmasked() const { return !masked() && end(0) == n_k; }

  /// Query i sees no key from here on. Never decreases from query to query.
  int64_t end(int64_t query) const { return std::clamp<int64_t>(query + diagonal + 1, 0, length); }
  bool mask_at(int64_t query, int64_t key) const { return mask[query * mask_row + key * mask_key] != 0; }
  float bias_at(int64_t query, int64_t key) const { return bias[query * bias_row + key * bias_key]; }
  bool unmasked(int64_t query, int64_t key) const {
    return key < end(query) && (!mask || mask_at(query, key)) &&
           (!bias || bias_at(query, key) != -std::numeric_limits<float>::infinity());
  }
};

/// Throws ShapeError where there are some, but not one for each head.
void check_head_scales(const char* op, std::span<const float> scales, int64_t n_heads);

/// A call of attention, its shapes checked. Query heads are numbered through the batch: batch × heads of
/// them, of which each `group` in a row share one head of k and v.
struct AttentionCall {
  /// q: [.., n_heads, n_q, d_k], k: [.., n_kv_heads, n_k, d_k], v: [.., n_kv_heads, n_k, d_v]; n_heads is a
  /// multiple of n_kv_heads, the other leading dimensions are equal. Throws ShapeError, ValueError.
  AttentionCall(const char* op, const ConstView& q, const ConstView& k, const ConstView& v,
                const AttentionOptions& options);

  int64_t heads, group, n_q, n_k, d_k, d_v;
  float softcap;
  Shape scores, out;  // [.., n_heads, n_q, n_k], [.., n_heads, n_q, d_v]

  int64_t kv_heads() const { return kv_heads_; }
  HeadMask mask_of(int64_t head) const;
  float scale_of(int64_t head) const;

  // dk = Σ scale dscoresᵀ q over the heads that share a head of keys. Where their scales are equal, the sum
  // is multiplied by it in the end (key_factor), elsewhere the queries of each before (query_factor).
  float query_factor(int64_t head) const { return equal_scales(head / group) ? 1 : scale_of(head); }
  float key_factor(int64_t kv_head) const { return equal_scales(kv_head) ? scale_of(kv_head * group) : 1; }

 private:
  bool equal_scales(int64_t kv_head) const;

  int64_t kv_heads_, n_heads_;
  float scale_;
  AttentionOptions options_;
};

}  // namespace sqrtdk
