#pragma once
// The fields of layers' configs.
#include "base/fields.h"
#include "layers/encoder_layer.h"
#include "layers/initialize.h"

namespace sqrtdk {

template <>
struct Choices<RotaryPairs> {
  static constexpr const char* kNames[] = {"halves", "interleaved"};
};
template <>
struct Choices<NormKind> {
  static constexpr const char* kNames[] = {"layer", "rms"};
};
template <>
struct Choices<FeedForwardKind> {
  static constexpr const char* kNames[] = {"relu", "gelu", "gelu_tanh", "swiglu"};
};
template <>
struct Choices<InitScheme> {
  static constexpr const char* kNames[] = {"pytorch",         "xavier_uniform", "xavier_normal",
                                           "kaiming_uniform", "kaiming_normal", "normal"};
};

/// The fields of attention inside a layer, where keys and values have the dimension of queries.
template <class Visitor>
void visit_heads(MultiHeadAttentionConfig& attention, Visitor& field) {
  field("d_model", attention.d_model, {"the dimension of a position", kSizes});
  field("n_heads", attention.n_heads, {"the number of heads", kSizes});
  field("n_kv_heads", attention.n_kv_heads,
        {"the number of key and value heads, which divides n_heads", kSizes, "n_heads"});
  field("d_head", attention.d_head, {"a head's dimension d_k", kSizes, "d_model / n_heads"});
  field("dropout", attention.dropout,
        {"the probability that an element is dropped in training; less than 1", kShare});
  field("bias", attention.bias, {"linear layers have biases"});
  field("scale", attention.scale, {"the factor of q·k", {}, "1/√d_head"});
  field("softcap", attention.softcap, {"with c > 0 scores become c·tanh(scores / c)", kNotNegative, "none"});
  field("rotary_base", attention.rotary_base,
        {"above 0, q and k get rotary positions", kNotNegative, "none; with rotary positions 10000"});
  field("qk_norm", attention.qk_norm, {"each head's q and k pass an RMS norm"});
  field("cosine", attention.cosine, {"scores are scale · cos(q, k), with a default scale of √d_head"});
  field("learned_scale", attention.learned_scale, {"the scale is a parameter, `scale` [1]"});
  field("tied_kv", attention.tied_kv,
        {"keys and values have one projection, W_K = W_V; in_proj_weight has 2 parts"});
  field("rotary_pairs", attention.rotary_pairs, {"components make pairs (i, i + d_head/2), or (2i, 2i + 1)"});
}

template <class Visitor>
void visit_fields(MultiHeadAttentionConfig& attention, Visitor& field) {
  field.part("Heads", [&] { visit_heads(attention, field); });
  field("d_key_in", attention.d_key_in, {"the dimension of the key input", kSizes, "d_model"});
  field("d_value_in", attention.d_value_in, {"the dimension of the value input", kSizes, "d_model"});
}

/// What a layer's fields are called where others could be meant by their names, and its default d_ff.
struct LayerWords {
  const char* activation = "activation";
  const char* epsilon = "epsilon";
  const char* d_ff = "4 d_model";
};

template <class Visitor>
void visit_fields(TransformerLayerConfig& layer, Visitor& field, const LayerWords& words = {}) {
  field.part("Heads", [&] { visit_heads(layer.attention, field); });
  field("d_ff", layer.d_ff, {"the number of hidden units in the feed-forward network", kSizes, words.d_ff});
  field("norm_first", layer.norm_first, {"norms come first (pre-LN), not last (post-LN, as in the paper)"});
  field(words.activation, layer.feed_forward,
        {"the feed-forward network's; SwiGLU is w2 (silu(w1 x) · w3 x) with linear1, linear2, linear3"});
  field(words.epsilon, layer.epsilon, {"norms add it to the variance", kNotNegative});
  field("norm", layer.norm, {"the norms' kind"});
}

template <class Visitor>
void visit_fields(Initialization& initialization, Visitor& field) {
  field("init", initialization.scheme, {"the initial values; pytorch: those of torch.nn's layers"});
  field("init_gain", initialization.gain, {"Xavier's and Kaiming's gain", kNotNegative});
  field("init_split_in_proj", initialization.split_in_proj,
        {"Xavier draws W_Q, W_K and W_V as a matrix each"});
  field("init_std", initialization.std, {"the standard deviation of normal values", kNotNegative});
  field("init_embedding_std", initialization.embedding_std,
        {"the std of embeddings and learned positions", kNotNegative, "1, or for normal init_std"});
  field("init_projection_std", initialization.projection_std,
        {"the std of W_Q, W_K and W_V, whatever init says", kNotNegative, "init's"});
  field("init_equal_qk", initialization.equal_qk, {"W_K begins as a copy of W_Q"});
}

// What layers are made from whose constructors take a few arguments instead of a config.

struct LinearConfig {
  int64_t n_in = 0, n_out = 0;
  bool bias = true;
};
template <class Visitor>
void visit_fields(LinearConfig& linear, Visitor& field) {
  field("n_in", linear.n_in, {"the dimension of the input", kSizes});
  field("n_out", linear.n_out, {"the dimension of the output", kSizes});
  field("bias", linear.bias, {"the layer adds a bias"});
}

struct EmbeddingConfig {
  int64_t vocab = 0, d_model = 0;
};
template <class Visitor>
void visit_fields(EmbeddingConfig& embedding, Visitor& field) {
  field("vocab", embedding.vocab, {"the number of rows", kSizes});
  field("d_model", embedding.d_model, {"the dimension of a row", kSizes});
}

struct NormConfig {
  NormKind kind = NormKind::kLayer;
  int64_t d_model = 0;
  float epsilon = 1e-5f;
};
template <class Visitor>
void visit_fields(NormConfig& norm, Visitor& field) {
  field("kind", norm.kind, {"layer norm or RMS norm"});
  field("d_model", norm.d_model, {"the dimension of a position", kSizes});
  field("epsilon", norm.epsilon, {"the norm adds it to the variance", kNotNegative});
}

struct FeedForwardConfig {
  int64_t d_model = 0, d_ff = 0;
  FeedForwardKind activation = FeedForwardKind::kRelu;
  bool bias = true;
  float dropout = 0;
};
template <class Visitor>
void visit_fields(FeedForwardConfig& network, Visitor& field) {
  field("d_model", network.d_model, {"the dimension of a position", kSizes});
  field("d_ff", network.d_ff, {"the number of hidden units", kSizes, "4 d_model"});
  field("activation", network.activation,
        {"SwiGLU is w2 (silu(w1 x) · w3 x) with linear1, linear2, linear3"});
  field("bias", network.bias, {"linear layers have biases"});
  field("dropout", network.dropout,
        {"the probability that an element is dropped in training; less than 1", kShare});
}

struct StackConfig {
  TransformerLayerConfig layer;
  int64_t n_layers = 0;
  bool final_norm = false;
};
template <class Visitor>
void visit_fields(StackConfig& stack, Visitor& field) {
  field.part("TransformerLayer", [&] { visit_fields(stack.layer, field); });
  field("n_layers", stack.n_layers, {"the number of layers", kSizes});
  field("final_norm", stack.final_norm, {"a norm follows the last layer", {}, "as norm_first"});
}

struct TransformerConfig {
  TransformerLayerConfig layer;
  int64_t n_encoder_layers = 0, n_decoder_layers = 0;
};
template <class Visitor>
void visit_fields(TransformerConfig& transformer, Visitor& field) {
  field.part("TransformerLayer", [&] { visit_fields(transformer.layer, field); });
  field("n_encoder_layers", transformer.n_encoder_layers, {"the number of the encoder's layers", kSizes});
  field("n_decoder_layers", transformer.n_decoder_layers, {"the number of the decoder's layers", kSizes});
}

}  // namespace sqrtdk
