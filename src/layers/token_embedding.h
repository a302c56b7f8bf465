#pragma once
// What a model makes of its tokens before the first layer: x = embedding [· sqrt(d_model)] + positions.
// Vaswani et al., "Attention Is All You Need", sections 3.4 and 3.5.
#include "layers/embedding.h"

namespace sqrtdk {

enum class Positions { kNone, kSinusoidal, kLearned, kRotary };  // rotary ones are attention's

struct TokenEmbeddingConfig {
  int64_t vocab, context, d_model;
  Positions positions;
  bool scaled;  // by sqrt(d_model)
};

class TokenEmbedding {
 public:
  /// Registers embedding.weight [vocab, d_model] and, if they are learned, positions.weight [context,
  /// d_model], inside `name`. Throws OutOfMemory.
  TokenEmbedding(Parameters& parameters, const std::string& name, const TokenEmbeddingConfig& config);

  /// ids: [batch, n] at positions first .. first + n - 1 -> `out` [batch, n, d_model], a name in the cache.
  View forward(IndexView ids, int64_t first, const CacheName& out, Cache& cache) const;
  /// For ids from position 0 on; adds to the gradients, and changes dx.
  void backward(IndexView ids, View dx) const;
  int weight() const { return embedding_.weight(); }

 private:
  Parameters* parameters_;
  TokenEmbeddingConfig config_;
  Embedding embedding_;
  int positions_ = -1;  // the learned ones
  Storage encoding_;    // the sinusoidal ones, [context, d_model]
};

}  // namespace sqrtdk
