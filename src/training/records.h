#pragma once
// What a training run can be asked about itself.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "layers/multi_head_attention.h"

namespace sqrtdk {

struct GradientNorm {
  std::string layer;  // "embedding", "layers.0", .., "encoder.layers.0", .., "norm", "head"
  double norm;
};
/// In the order of the parameters, which need not be allocated.
std::vector<std::string> layer_names(const Parameters& parameters);
/// The norms of the gradients as they are, in the order of layer_names.
std::vector<GradientNorm> gradient_norms(const Parameters& parameters);

/// Means over the rows of one head's attention weights.
struct HeadRecord {
  std::string attention;  // "layers.0.self_attn"
  int64_t head;
  double entropy;    // in nats
  double saturated;  // the share of rows with a weight above 0.99
};
/// What the weights show that an explainable forward pass left in the cache.
std::vector<HeadRecord> head_records(const Cache& cache,
                                     std::span<const MultiHeadAttention* const> attentions);

/// The weights of one head for one example.
struct AttentionMap {
  std::string attention;
  int64_t head, n_q, n_k;
  std::vector<float> weights;              // [n_q, n_k]
  std::vector<std::string> queries, keys;  // the tokens at the rows and columns
};

/// One example of the evaluation and what the model answers to it, token by token; "?" where its logits are
/// NaN.
struct AnswerText {
  std::vector<std::string> source, expected, answer;
};

/// FNV-1a, 64 bits, of the numbers' bits: one value for all weights of a model.
uint64_t hash_of(std::span<const float> x);

}  // namespace sqrtdk
