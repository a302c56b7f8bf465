#pragma once
// The tiled forward of an AttentionCase, from unaligned arrays between guarded margins.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "kernels/attention/tiled_attention.h"
#include "reference/attention_case.h"

namespace sqrtdk::reference {

struct TiledValues {
  std::vector<float> out, row_stats;
};

inline TiledValues tiled_forward(const AttentionCase& c) {
  const Shape stats_shape = c.q_shape().with_last(c.n_q, 2);
  GuardedBuffer q(c.q, 1), k(c.k, 2), v(c.v, 3), out(c.out_shape().size(), 1), stats(stats_shape.size(), 3);
  const ConstView q_view(q.data(), c.q_shape()), k_view(k.data(), c.k_shape()), v_view(v.data(), c.v_shape());
  const int64_t needed = tiled_attention_forward_scratch(q_view, k_view, v_view);
  Arena scratch(needed);
  std::fill_n(scratch.floats(needed), needed, NAN);  // whatever an earlier call left
  scratch.reset();
  tiled_attention_forward(q_view, k_view, v_view, c.options(), {out.data(), c.out_shape()},
                          {stats.data(), stats_shape}, scratch);
  CHECK((out.intact() && stats.intact()));
  return {out.values(), stats.values()};
}

/// Query `row` of a case of one head alone, against the first n_k keys.
inline AttentionCase one_query(const AttentionCase& c, int64_t row, int64_t n_k) {
  AttentionCase r(1, n_k, c.d_k, c.d_v);
  r.q.assign(c.q.begin() + row * c.d_k, c.q.begin() + (row + 1) * c.d_k);
  r.k.assign(c.k.begin(), c.k.begin() + n_k * c.d_k);
  r.v.assign(c.v.begin(), c.v.begin() + n_k * c.d_v);
  r.scale = c.scale;
  r.softcap = c.softcap;
  return r;
}

inline std::vector<float> row_of(const std::vector<float>& x, int64_t row, int64_t d) {
  return {x.begin() + row * d, x.begin() + (row + 1) * d};
}

}  // namespace sqrtdk::reference
