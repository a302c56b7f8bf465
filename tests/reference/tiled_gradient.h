#pragma once
// The gradients of tiled attention on a case, from what its forward left.
#include <vector>

#include "kernels/attention/tiled_attention.h"
#include "reference/attention_case.h"
#include "reference/compare.h"

namespace sqrtdk::reference {

struct TiledGradient {
  std::vector<float> out, row_stats, dq, dk, dv;
};

inline TiledGradient tiled_gradient(const AttentionCase& c) {
  const Shape out_shape = c.out_shape(), stats_shape = out_shape.with_last(c.n_q, 2);
  const auto sevens = [](const Shape& shape) {
    return std::vector<float>(static_cast<size_t>(shape.size()), 7.0f);
  };
  TiledGradient g{sevens(out_shape), sevens(stats_shape), sevens(c.q_shape()), sevens(c.k_shape()),
                  sevens(c.v_shape())};
  const ConstView q = c.q_view(), k = c.k_view(), v = c.v_view();
  const View out(g.out.data(), out_shape), row_stats(g.row_stats.data(), stats_shape);
  Arena forward_scratch(tiled_attention_forward_scratch(q, k, v));
  tiled_attention_forward(q, k, v, c.options(), out, row_stats, forward_scratch);
  Arena scratch(tiled_attention_backward_scratch(q, k, v));
  tiled_attention_backward(q, k, v, c.options(), row_stats, c.dout_view(), {g.dq.data(), q.shape},
                           {g.dk.data(), k.shape}, {g.dv.data(), v.shape}, scratch);
  return g;
}

inline bool same_gradients(const TiledGradient& a, const TiledGradient& b) {
  return same_bits(a.dq, b.dq) && same_bits(a.dk, b.dk) && same_bits(a.dv, b.dv);
}

}  // namespace sqrtdk::reference
