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

  /// x: [batch, n, d_model], memory: [batch, n_memory, d_model] -> the shape of x. Leaves what EncoderLayer
  /// does, and "<name>.multihead_attn.weights" and the like, residual3, norm3.out.
  View forward(ConstView x, ConstView memory, const DecoderOptions& options, bool explain, Cache& cache,
               const Mode& mode) const;

  struct Gradients {
    View dx, dmemory;  // "<name>.dx1", "<name>.dmemory"
  };
  /// With the forward's x and options.
  Gradients backward(ConstView x, ConstView dout, const DecoderOptions& options, Cache& cache) const;
  View out(const Cache& cache) const { return sublayers_[2].out(cache); }

 private:
  std::string name_;
  MultiHeadAttention self_attention_, cross_attention_;
  FeedForward feed_forward_;
  std::vector<Sublayer> sublayers_;
};

}  // namespace sqrtdk
