#pragma once
// The model of "Attention Is All You Need" from tokens to logits: the Transformer, with embedding and
// positions shared by source and target (section 3.4).
#include "models/language_model.h"

namespace sqrtdk {

class EncoderDecoder {
 public:
  /// Encoder and decoder have n_layers each. The config's causal, n_out, tied and final_norm do not count:
  /// the decoder is causal, a linear layer of its own gives logits for vocab, and both stacks end with a
  /// norm. Registers embedding.weight, positions.weight if they are learned, encoder, decoder, head.weight
  /// and, with head_bias, head.bias. Throws ValueError for an invalid configuration, OutOfMemory.
  EncoderDecoder(Parameters& parameters, const LanguageModelConfig& config);

  /// source: [batch, n_source], target: [batch, n_target], each at most `context` long -> "head.out" [batch,
  /// n_target, vocab]. A scale takes precedence over the config's, in all attention.
  View forward(IndexView source, IndexView target, std::optional<float> scale, bool explain, Cache& cache,
               const Mode& mode) const;
  /// Both halves of forward, so that one source can be decoded many times: the encoder's output [batch,
  /// n_source, d_model], which stays until the next encode or forward, and the logits that follow from it.
  View encode(IndexView source, std::optional<float> scale, bool explain, Cache& cache,
              const Mode& mode) const;
  View decode(ConstView memory, IndexView target, std::optional<float> scale, bool explain, Cache& cache,
              const Mode& mode) const;
  /// With the forward's tokens and scale; adds to the gradients of all parameters.
  void backward(IndexView source, IndexView target, ConstView dlogits, std::optional<float> scale,
                Cache& cache) const;

  const LanguageModelConfig& config() const { return config_; }  // with defaults resolved
  const TransformerEncoder& encoder() const { return encoder_; }
  const TransformerDecoder& decoder() const { return decoder_; }

 private:
  LanguageModelConfig config_;
  TokenEmbedding embedding_;
  Dropout source_dropout_, target_dropout_;
  TransformerEncoder encoder_;
  TransformerDecoder decoder_;
  Linear head_;
};

}  // namespace sqrtdk
