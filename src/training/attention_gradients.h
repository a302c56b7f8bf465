#pragma once
// The gradients that a backward pass left in the cache, as attention sees them.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "layers/multi_head_attention.h"

namespace sqrtdk {

/// The Euclidean norm of each row (example, head, query), in this order.
struct RowGradients {
  std::string attention;          // "layers.0.self_attn"
  std::vector<double> scores, q;  // of dL/d(scale q·k), one row of all keys, and of dL/dq
};
/// After an explainable forward pass and its backward pass.
std::vector<RowGradients> row_gradients(const Cache& cache,
                                        std::span<const MultiHeadAttention* const> attentions);

/// dL/dw_q, dL/dw_k, dL/dw_v, row-major. Where w_k is w_v, its gradient is dw_k + dw_v: what comes through
/// the keys, and what comes through the values.
struct ProjectionGradients {
  std::string attention;
  std::vector<float> dw_q, dw_k, dw_v;  // [heads * d_head, d_model]
};
/// After a backward pass, as long as what the layers were given is unchanged.
std::vector<ProjectionGradients> projection_gradients(const Cache& cache,
                                                      std::span<const MultiHeadAttention* const> attentions);

/// Mean and median of the norms ‖dL/dscores‖ of an attention's rows.
struct ScoreGradients {
  std::string attention;
  double mean, median;
};
std::vector<ScoreGradients> score_gradients(std::span<const RowGradients> rows);

}  // namespace sqrtdk
