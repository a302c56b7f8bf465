#pragma once
// Stacks of layers, and the encoder-decoder Transformer between its embeddings and its output projection.
// Vaswani et al., "Attention Is All You Need", section 3.1.
#include "layers/decoder_layer.h"

namespace sqrtdk {

class TransformerEncoder {
 public:
  /// Registers "<name>.layers.0" .. and, with a final norm, "<name>.norm". Throws ValueError unless
  /// n_layers is 1 .. 1024.
  TransformerEncoder(Parameters& parameters, const std::string& name, const TransformerLayerConfig& config,
                     int64_t n_layers, bool final_norm);
  /// x: [batch, n, d_model] -> the same shape.
  View forward(ConstView x, const AttentionOptions& options, bool explain, Cache& cache,
               const Mode& mode) const;
  /// For n positions after those in `past`, which has as many layers; each appends its keys and values, and
  /// `past` goes on by n. See MultiHeadAttention::forward_cached. Throws ValueError where they exceed the
  /// capacity, and then nothing is appended.
  View forward_cached(ConstView x, KeyValueCache& past, const AttentionOptions& options, Cache& cache) const;
  /// The gradient of x, with the forward's x and options.
  View backward(ConstView x, ConstView dout, const AttentionOptions& options, Cache& cache) const;
  std::vector<const MultiHeadAttention*> attentions() const;  // one of each layer

 private:
  std::vector<EncoderLayer> layers_;
  std::optional<Norm> norm_;
};

class TransformerDecoder {
 public:
  /// As TransformerEncoder.
  TransformerDecoder(Parameters& parameters, const std::string& name, const TransformerLayerConfig& config,
                     int64_t n_layers, bool final_norm);
  /// x: [batch, n, d_model], memory: [batch, n_memory, d_model] -> the shape of x.
  View forward(ConstView x, ConstView memory, const DecoderOptions& options, bool explain, Cache& cache,
               const Mode& mode) const;
  /// With the forward's x and options; dmemory, "<name>.dmemory", is the sum of all layers'.
  DecoderLayer::Gradients backward(ConstView x, ConstView dout, const DecoderOptions& options,
                                   Cache& cache) const;
  std::vector<const MultiHeadAttention*> self_attentions() const;  // one of each layer
  std::vector<const MultiHeadAttention*> cross_attentions() const;

 private:
  std::string name_;
  std::vector<DecoderLayer> layers_;
  std::optional<Norm> norm_;
};

struct TransformerOptions {
  AttentionOptions encoder;
  DecoderOptions decoder;
};

class Transformer {
 public:
  /// torch.nn.Transformer: "<name>.encoder" and "<name>.decoder", each with a final norm.
  Transformer(Parameters& parameters, const std::string& name, const TransformerLayerConfig& config,
              int64_t n_encoder_layers, int64_t n_decoder_layers);
  /// source: [batch, n_source, d_model], target: [batch, n_target, d_model] -> the shape of target.
  View forward(ConstView source, ConstView target, const TransformerOptions& options, bool explain,
               Cache& cache, const Mode& mode) const;

  struct Gradients {
    View dsource, dtarget;
  };
  /// With the forward's inputs and options.
  Gradients backward(ConstView source, ConstView target, ConstView dout, const TransformerOptions& options,
                     Cache& cache) const;

 private:
  TransformerEncoder encoder_;
  TransformerDecoder decoder_;
};

}  // namespace sqrtdk
