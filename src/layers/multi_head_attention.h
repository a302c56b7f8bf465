#pragma once
// Multi-head attention: heads attend side by side in projections of their own. Vaswani et al., section 3.2.2;
// grouped heads: Ainslie et al., "GQA", 2023.
//   q = x w_qᵀ + b_q ..   heads_h = attention(q_h, k_h, v_h)   out = concat(heads) w_oᵀ + b_o
#include <optional>

#include "kernels/attention_options.h"
#include "layers/linear.h"

namespace sqrtdk {

struct MultiHeadAttentionConfig {
  int64_t d_model, n_heads;
  int64_t n_kv_heads = 0;                // 0: n_heads
  int64_t d_head = 0;                    // 0: d_model / n_heads
  int64_t d_key_in = 0, d_value_in = 0;  // widths of the key and value inputs; 0: d_model
  bool bias = true;
  float dropout = 0;                // of the weights, in training
  std::optional<float> scale = {};  // default 1/sqrt(d_head)
  float softcap = 0;
  double rotary_base = 0;  // > 0: rotary positions on q and k, half pairs
};

class MultiHeadAttention {
 public:
  /// Registers PyTorch's names: "<name>.in_proj_weight" [3 d_model, d_model] (or q_proj_weight,
  /// k_proj_weight, v_proj_weight where widths or heads differ), in_proj_bias, "<name>.out_proj.weight",
  /// "<name>.out_proj.bias". Throws ValueError for a config that makes no sense.
  MultiHeadAttention(Parameters& parameters, std::string name, const MultiHeadAttentionConfig& config);

  /// query: [batch, n_q, d_model], key: [batch, n_k, d_key_in], value: [batch, n_k, d_value_in] ->
  /// "<name>.out_proj.out" [batch, n_q, d_model]. `options` masks and causes, and its scale and softcap go
  /// before the config's; its mask and bias broadcast to [batch, n_heads, n_q, n_k], lengths are [batch].
  /// Leaves q, k, v [batch, heads, n, d_head] (with rotary positions) and heads, their outputs; with
  /// `explain`, or where weights are dropped, also scores and weights [batch, n_heads, n_q, n_k], else empty.
  /// Throws ShapeError, ValueError.
  View forward(ConstView query, ConstView key, ConstView value, const AttentionOptions& options, bool explain,
               Cache& cache, const Mode& mode) const;

  struct Gradients {
    View dquery, dkey, dvalue;
  };
  /// With the forward's options. In self-attention the caller adds the three.
  Gradients backward(ConstView dout, const AttentionOptions& options, Cache& cache) const;
  /// Their sum "<name>.dx", where query, key and value were one tensor.
  View self_backward(ConstView dout, const AttentionOptions& options, Cache& cache) const;

  const MultiHeadAttentionConfig& config() const { return config_; }  // without zeros for defaults

 private:
  AttentionOptions merged(AttentionOptions options) const;
  bool drops(const Mode& mode) const { return mode.training && config_.dropout > 0; }
  View to_heads(ConstView rows, const char* name, int64_t n_heads, Cache& cache) const;

  std::string name_;
  MultiHeadAttentionConfig config_;
  std::vector<Linear> projections_;  // q, k, v, out
};

}  // namespace sqrtdk
