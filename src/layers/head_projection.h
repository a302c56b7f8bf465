#pragma once
// What makes the heads of one input of attention, of q, k or v: rows = x wᵀ + b, split into heads, each
// normalized and turned to its position where that is wanted.
#include <optional>

#include "layers/linear.h"
#include "layers/norm.h"
#include "layers/rotary_positions.h"

namespace sqrtdk {

class HeadProjection {
 public:
  /// `letter` is 'q', 'k' or 'v'. Registers nothing: weight and bias are rows of parameters that are there.
  HeadProjection(Parameters& parameters, const std::string& attention, char letter, Rows weight, Rows bias,
                 int64_t n_heads, int64_t d_head);
  /// Makes each head normalized, before it is turned.
  void normalize_with(const Norm& norm) { norm_ = norm; }

  /// x: [batch, n, n_in] at positions first .. -> "<attention>.q" [batch, n_heads, n, d_head]; leaves
  /// "<attention>.q_proj.out" and, where it normalizes, "<attention>.q_split". Without `rotary` nothing is
  /// turned.
  View forward(ConstView x, const RotaryPositions* rotary, int64_t first, Cache& cache) const;
  /// "<attention>.q_proj.dx" of dheads, which changes; leaves "<attention>.dq_rows".
  View backward(View dheads, const RotaryPositions* rotary, int64_t first, Cache& cache) const;

  int64_t n_out() const { return linear_.n_out(); }
  View heads(const Cache& cache) const { return cache.at(heads_); }
  /// dL/dheads, "<attention>.dq", for attention's backward to write.
  View make_dheads(Cache& cache) const { return cache.make(dheads_, cache.at(heads_).shape); }
  View dheads(const Cache& cache) const { return cache.at(dheads_); }
  /// dL/dw = drowsᵀ x, with what forward was given and backward left.
  ConstView x(const Cache& cache) const { return linear_.x(cache); }
  View drows(const Cache& cache) const { return cache.at(drows_); }

 private:
  Linear linear_;
  std::optional<Norm> norm_;
  CacheName heads_, split_, dheads_, drows_;  // names in the cache
  int64_t n_heads_, d_head_;
};

}  // namespace sqrtdk
