#pragma once
// A layer of the decoder: masked self-attention, attention to the encoder's output ("memory"), then the
// feed-forward network, each in a residual connection with a norm. Vaswani et al., section 3.1.
#include "layers/encoder_layer.h"

namespace sqrtdk {

/// The masks of both attentions. Self-attention is causal unless its options say otherwise.
struct DecoderOptions {
  AttentionOptions self, cross;
  DecoderOptions() { self.causal = Causal::kTopLeft; }
};

class DecoderLayer {
 public:
  /// Registers PyTorch's names: self_attn, multihead_attn, linear1, linear2, norm1, norm2, norm3.
  DecoderLayer(Parameters& parameters, const std::string& name, const TransformerLayerConfig& config);

  /// x: [batch, n, d_model], memory: [batch, n_memory, d_model] -> the shape of x. Leaves in the cache, each
  /// as "<name>.<what>" and otherwise as EncoderLayer::forward:
  ///   self_attn.*       of the masked self-attention
  ///   residual1         x + self-attention
  ///   norm1.out         post-LN: norm(residual1); pre-LN: norm(x)
  ///   multihead_attn.*  of the attention to memory: k, v [batch, heads, n_memory, d_head], scores, weights
  ///                     [batch, n_heads, n, n_memory]
  ///   residual2         the first sublayer's result + attention to memory
  ///   norm2.out         post-LN: norm(residual2); pre-LN: norm(residual1)
  ///   linear1.out, hidden, linear2.out
  ///   residual3         the second sublayer's result + linear2.out
  ///   norm3.out         post-LN: norm(residual3), the result; pre-LN: norm(residual2)
  View forward(ConstView x, ConstView memory, const DecoderOptions& options, bool explain, Cache& cache,
               const Mode& mode) const;

  struct Gradients {
    View dx, dmemory;  // "<name>.dx1", "<name>.dmemory"
  };
  /// With the forward's x and options.
  Gradients backward(ConstView x, ConstView dout, const DecoderOptions& options, Cache& cache) const;
  View out(const Cache& cache) const { return sublayers_[2].out(cache); }
  const MultiHeadAttention& self_attention() const { return self_attention_; }
  const MultiHeadAttention& cross_attention() const { return cross_attention_; }

 private:
  std::string name_;
  MultiHeadAttention self_attention_, cross_attention_;
  FeedForward feed_forward_;
  std::vector<Sublayer> sublayers_;
};

}  // namespace sqrtdk
