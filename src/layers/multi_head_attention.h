#pragma once
// Multi-head attention: heads attend side by side in projections of their own. Vaswani et al., section 3.2.2;
// grouped heads: Ainslie et al., "GQA", 2023.
//   q = x w_qᵀ + b_q ..   heads_h = attention(q_h, k_h, v_h)   out = concat(heads) w_oᵀ + b_o
// Norms of q and k: Dehghani et al., "Scaling Vision Transformers to 22 Billion Parameters", 2023, section 2;
// cosine attention and a learned scale: Henry et al., "Query-Key Normalization for Transformers", 2020.
#include <algorithm>
#include <optional>

#include "kernels/attention/attention_options.h"
#include "layers/head_projection.h"
#include "layers/key_value_cache.h"

namespace sqrtdk {

struct MultiHeadAttentionConfig {
  int64_t d_model = 0, n_heads = 0;
  int64_t n_kv_heads = 0;                // 0: n_heads
  int64_t d_head = 0;                    // 0: d_model / n_heads
  int64_t d_key_in = 0, d_value_in = 0;  // dimensions of the key and value inputs; 0: d_model
  bool bias = true;
  float dropout = 0;                // of the weights, in training
  std::optional<float> scale = {};  // default 1/sqrt(d_head); with cosine sqrt(d_head)
  float softcap = 0;
  double rotary_base = 0;  // > 0: rotary positions on q and k
  RotaryPairs rotary_pairs = RotaryPairs::kHalves;
  bool qk_norm = false;        // RMS norm of each head's q and k, before rotary positions
  float norm_epsilon = 1e-6f;  // of qk_norm
  bool cosine = false;         // scores = scale · cos(q, k); not with qk_norm
  bool learned_scale = false;  // the scale is a parameter; what `scale` says goes unused
  bool tied_kv = false;        // w_k = w_v and b_k = b_v: one matrix, one bias
};

/// With its default resolved.
inline int64_t head_dimension(const MultiHeadAttentionConfig& config) {
  return config.d_head > 0 ? config.d_head : config.d_model / std::max<int64_t>(config.n_heads, 1);
}

class MultiHeadAttention {
 public:
  /// Registers PyTorch's names: "<name>.in_proj_weight" [3 d_model, d_model] (or q_proj_weight,
  /// k_proj_weight, v_proj_weight where dimensions or heads differ), in_proj_bias, "<name>.out_proj.weight",
  /// "<name>.out_proj.bias". Besides, with qk_norm "<name>.q_norm.weight" and "<name>.k_norm.weight"
  /// [d_head], with a learned scale "<name>.scale" [1]. With tied keys and values in_proj_weight has the rows
  /// of w_q and w_kv [2 d_model, d_model] (or there are q_proj_weight, kv_proj_weight), in_proj_bias theirs.
  /// Throws ValueError for an invalid configuration.
  MultiHeadAttention(Parameters& parameters, const std::string& name, const MultiHeadAttentionConfig& config);

  /// query: [batch, n_q, d_model], key: [batch, n_k, d_key_in], value: [batch, n_k, d_value_in] ->
  /// "<name>.out_proj.out" [batch, n_q, d_model]. `options` masks and causes, and its scale (or head_scales)
  /// and softcap take precedence over the config's; its mask and bias broadcast to [batch, n_heads, n_q,
  /// n_k], lengths are [batch]. Leaves in the cache, each as "<name>.<what>":
  ///   q_proj.out k_proj.out v_proj.out  [batch, n, heads * d_head]
  ///   q_split k_split                   [batch, heads, n, d_head], with qk_norm or cosine: before the norm
  ///   q k v                             [batch, heads, n, d_head], as attention takes them: with norm and
  ///                                     rotary positions; with cosine of length sqrt(d_head)
  ///   scores weights                    [batch, n_heads, n_q, n_k] with `explain`, where weights are dropped
  ///                                     and where the scale is learned and 0, else empty; dropped_weights
  ///   head_scales                       [n_heads], of q·k, where each head has its own with cosine
  ///   heads                             [batch, n_heads, n_q, d_head], their outputs
  ///   concat                            [batch, n_q, n_heads * d_head], the heads side by side
  ///   out_proj.out                      [batch, n_q, d_model], the result
  /// Throws ShapeError, ValueError.
  View forward(ConstView query, ConstView key, ConstView value, const AttentionOptions& options, bool explain,
               Cache& cache, const Mode& mode) const;

  /// Causal self-attention of n positions after those in `past`, not in training: x [batch, n, d_model] ->
  /// "<name>.out_proj.out", the same bits as the last n rows of forward (without explain) for the whole
  /// sequence. The keys, at their rotary positions, and values of x are written into `past` from row n_past
  /// on. `options` may hold a scale (or head_scales) and a softcap. Leaves q, k, v and heads of the n
  /// positions. Throws ShapeError, ValueError where they exceed the capacity, and then nothing is written
  /// into `past`.
  View forward_cached(ConstView x, const PastKeys& past, const AttentionOptions& options, Cache& cache) const;

  struct Gradients {
    View dquery, dkey, dvalue;
  };
  /// With the forward's options. In self-attention the caller adds the three. Leaves in the cache, each as
  /// "<name>.<what>":
  ///   dq dk dv                 [batch, heads, n, d_head], of q k v before rotary positions
  ///   dq_rows dk_rows dv_rows  [batch, n, heads * d_head], of q_proj.out ..: dw_q += dq_rowsᵀ query ..
  ///   dscores                  as attention_backward leaves it, where forward left weights
  /// and kept "q_proj.x" .., the inputs. Tied, w_kv gets both dk_rowsᵀ key and dv_rowsᵀ value.
  Gradients backward(ConstView dout, const AttentionOptions& options, Cache& cache) const;
  /// Their sum "<name>.dx", where query, key and value were one tensor.
  View self_backward(ConstView dout, const AttentionOptions& options, Cache& cache) const;

  const MultiHeadAttentionConfig& config() const { return config_; }  // with defaults resolved
  const std::string& name() const { return name_; }
  const HeadProjection& q() const { return q_; }
  const HeadProjection& k() const { return k_; }
  const HeadProjection& v() const { return v_; }
  View weights(const Cache& cache) const { return cache.at(names_.weights); }
  View dscores(const Cache& cache) const { return cache.at(names_.dscores); }

 private:
  struct Names {  // in the cache
    explicit Names(const std::string& name);
    CacheName scores, weights, dropped_weights, row_stats, head_scales, heads, dheads, dscores, concat, dx;
  };
  /// The parameters that q, k and v share or have of their own.
  struct InProjection {
    InProjection(Parameters& parameters, const std::string& name, const MultiHeadAttentionConfig& config);
    Rows w_q, w_k, w_v, b_q, b_k, b_v;
  };

  AttentionOptions merged(AttentionOptions options, Cache& cache) const;
  bool drops(const Mode& mode) const { return mode.training && config_.dropout > 0; }
  DropoutKey dropout_key_of(const Mode& mode) const;
  const RotaryPositions* rotary() const { return rotary_ ? &*rotary_ : nullptr; }
  View finish(ConstView heads, Cache& cache) const;
  void scale_backward(const AttentionOptions& options, bool unscaled, ConstView q, View dq, View dk) const;

  std::string name_;
  Names names_;
  Parameters* parameters_;
  MultiHeadAttentionConfig config_;
  InProjection in_;
  HeadProjection q_, k_, v_;
  Linear out_;
  std::optional<RotaryPositions> rotary_;
  int scale_ = -1;  // the parameter, if the scale is learned
  uint64_t dropout_stream_;
};

}  // namespace sqrtdk
