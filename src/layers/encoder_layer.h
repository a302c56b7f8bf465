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
  MultiHeadAttentionConfig attention;  // its d_model, bias and dropout are those of the whole layer
  int64_t d_ff = 0;
  bool norm_first = false;  // pre-LN; otherwise post-LN
  FeedForwardKind feed_forward = FeedForwardKind::kRelu;
  float epsilon = 1e-5f;
  NormKind norm = NormKind::kLayer;

  MultiHeadAttentionConfig cross_attention() const;  // without rotary positions
  SublayerConfig sublayer() const {
    return {attention.d_model, norm_first, norm, epsilon, attention.dropout};
  }
};

class EncoderLayer {
 public:
  /// Registers PyTorch's names: self_attn, linear1, linear2, norm1, norm2, inside `name`.
  EncoderLayer(Parameters& parameters, const std::string& name, const TransformerLayerConfig& config);

  /// x: [batch, n, d_model] -> the same shape. Leaves in the cache, each as "<name>.<what>":
  ///   self_attn.*    what MultiHeadAttention::forward lists: q, k, v, scores, weights, heads, ..
  ///   residual1      [batch, n, d_model], x + attention
  ///   norm1.out      [batch, n, d_model], post-LN: norm(residual1); pre-LN: norm(x), what attention is given
  ///   linear1.out    [batch, n, d_ff], hidden units before the activation; with SwiGLU also linear3.out
  ///   hidden         [batch, n, d_ff], after it (and after dropout), what linear2 is given
  ///   linear2.out    [batch, n, d_model]
  ///   residual2      [batch, n, d_model], the first sublayer's result + linear2.out
  ///   norm2.out      [batch, n, d_model], post-LN: norm(residual2), the result; pre-LN: norm(residual1)
  /// In training, dropout is in place in what is added to a residual: self_attn.out_proj.out and linear2.out.
  View forward(ConstView x, const AttentionOptions& options, bool explain, Cache& cache,
               const Mode& mode) const;
  /// For n positions after those in `past`: see MultiHeadAttention::forward_cached.
  View forward_cached(ConstView x, const PastKeys& past, const AttentionOptions& options, Cache& cache) const;
  /// "<name>.dx1", with the forward's x and options.
  View backward(ConstView x, ConstView dout, const AttentionOptions& options, Cache& cache) const;
  View out(const Cache& cache) const { return sublayers_[1].out(cache); }
  const MultiHeadAttention& self_attention() const { return self_attention_; }

 private:
  MultiHeadAttention self_attention_;
  FeedForward feed_forward_;
  std::vector<Sublayer> sublayers_;
};

}  // namespace sqrtdk
