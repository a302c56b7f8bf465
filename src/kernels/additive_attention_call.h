#pragma once
// What additive attention's forward and backward share.
#include "kernels/additive_attention.h"
#include "kernels/masked_products.h"

namespace sqrtdk {

/// A call, its shapes checked.
struct AdditiveCall {
  AdditiveCall(const char* op, ConstView q, ConstView k, ConstView values, const AdditiveParameters& p,
               MaskView mask);

  AdditiveParameters parameters;
  int64_t d_q, d_k, d_hidden;
  AttentionCall attention;  // of the same pairs and values

  /// w_q q + b of n queries, w_k k of n keys: [n, d_hidden].
  void project_queries(const float* q, int64_t n, float* out) const;
  void project_keys(const float* k, int64_t n, float* out) const;
};

}  // namespace sqrtdk
