#pragma once
// Models of tokens: embedding, positions, a stack of layers, and a linear layer that gives each position its
// logits. Causal, it is decoder-only (GPT, Llama); otherwise encoder-only.
// Radford et al., "Improving Language Understanding by Generative Pre-Training", 2018; tied weights: Press
// and Wolf, "Using the Output Embedding to Improve Language Models", 2017.
#include "layers/key_value_cache.h"
#include "layers/token_embedding.h"
#include "layers/transformer.h"

namespace sqrtdk {

struct LanguageModelConfig {
  int64_t vocab, context, n_layers;  // context: the largest number of positions
  TransformerLayerConfig layer;
  Positions positions = Positions::kSinusoidal;  // with kRotary, layer.rotary_base (10000 where it is 0)
  bool causal = true;
  bool tied = true;   // the logits are products with the rows of the embedding
  int64_t n_out = 0;  // 0: vocab; another number only where not tied
  bool head_bias = false;
  bool final_norm = true;
  bool scale_embedding = false;  // embeddings times sqrt(d_model), as Vaswani et al., section 3.4
};

/// With defaults resolved. Throws ValueError for an invalid configuration.
LanguageModelConfig completed(LanguageModelConfig config);

TokenEmbeddingConfig token_embedding(const LanguageModelConfig& config);

class LanguageModel {
 public:
  /// Registers embedding.weight [vocab, d_model], positions.weight [context, d_model] if they are learned,
  /// layers.0 .., norm, and head.weight [n_out, d_model] (a second name of embedding.weight if tied),
  /// head.bias, all inside `name`. Throws ValueError for an invalid configuration, OutOfMemory.
  LanguageModel(Parameters& parameters, const std::string& name, const LanguageModelConfig& config);

  /// ids: [batch, n], n <= context -> "<name>.head.out" [batch, n, n_out]. `options` masks (lengths:
  /// padding); its scale and softcap take precedence over the config's. In training there is dropout
  /// after the positions too. Leaves "<name>.x", what the first layer is given, and what the layers leave.
  View forward(IndexView ids, const AttentionOptions& options, bool explain, Cache& cache,
               const Mode& mode) const;
  /// With the forward's ids and options; adds to the gradients of all parameters.
  void backward(IndexView ids, ConstView dlogits, const AttentionOptions& options, Cache& cache) const;

  /// The logits [batch, n_out] after the last of n >= 1 further tokens ids: [batch, n], whose keys and values
  /// are appended to `past`; the same bits as forward's for the whole sequence with these options (scale and
  /// softcap). Ends the use of what a forward left in `cache`. Parameters::pack() makes it several times
  /// faster. Throws ValueError where the model is not causal, the past is not one of this model, or the
  /// context is exceeded, and then nothing is appended.
  View decode(IndexView ids, const AttentionOptions& options, KeyValueCache& past, Cache& cache) const;
  /// An empty past of at most `capacity` positions; 0: the context.
  KeyValueCache make_cache(int64_t batch, int64_t capacity = 0) const;

  const LanguageModelConfig& config() const { return config_; }  // with defaults resolved
  std::vector<const MultiHeadAttention*> attentions() const { return layers_.attentions(); }

 private:
  AttentionOptions attention(AttentionOptions options) const;
  void check_past(const KeyValueCache& past, const Shape& ids) const;

  LanguageModelConfig config_;
  CacheName x_, last_;
  TokenEmbedding embedding_;
  Dropout dropout_;
  TransformerEncoder layers_;
  Linear head_;
};

}  // namespace sqrtdk
