#pragma once
// A layer of the encoder: self-attention, then the feed-forward network, each in a residual connection with a
// norm. With Causal::kTopLeft in its options, a layer of a decoder-only model. Vaswani et al., section 3.1.
#include <optional>
#include <vector>

#include "layers/feed_forward.h"
#include "layers/multi_head_attention.h"
#include "layers/sublayer.h"

namespace sqrtdk {

struct TransformerLayerConfig {
  int64_t d_model, n_heads, d_ff;
  bool norm_first = false;  // pre-LN; otherwise post-LN
  FeedForwardKind feed_forward = FeedForwardKind::kRelu;
  float dropout = 0;  // of weights, of the hidden units and of what goes into a residual sum
  float epsilon = 1e-5f;
  NormKind norm = NormKind::kLayer;
  bool bias = true;
  int64_t n_kv_heads = 0;           // 0: n_heads
  std::optional<float> scale = {};  // of the scores; default 1/sqrt(d_head)
  float softcap = 0;
  double rotary_base = 0;  // > 0: rotary positions in self-attention

  MultiHeadAttentionConfig self_attention() const;
  MultiHeadAttentionConfig cross_attention() const;  // without rotary positions
  SublayerConfig sublayer() const { return {d_model, norm_first, norm, epsilon, dropout}; }
};

class EncoderLayer {
 public:
  /// Registers PyTorch's names: self_attn, linear1, linear2, norm1, norm2, inside `name`.
  EncoderLayer(Parameters& parameters, const std::string& name, const TransformerLayerConfig& config);

  /// x: [batch, n, d_model] -> the same shape. Leaves "<name>.self_attn.weights" and the like, residual1,
  /// norm1.out, linear1.out, .., residual2, norm2.out.
  View forward(ConstView x, const AttentionOptions& options, bool explain, Cache& cache,
               const Mode& mode) const;
  /// "<name>.dx1", with the forward's x and options.
  View backward(ConstView x, ConstView dout, const AttentionOptions& options, Cache& cache) const;
  View out(const Cache& cache) const { return sublayers_[1].out(cache); }

 private:
  MultiHeadAttention self_attention_;
  FeedForward feed_forward_;
  std::vector<Sublayer> sublayers_;
};

}  // namespace sqrtdk
