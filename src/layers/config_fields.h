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
void visit_fields(MultiHeadAttentionConfig& attention, Visitor& field) {
  field("d_model", attention.d_model);
  field("n_heads", attention.n_heads);
  field("n_kv_heads", attention.n_kv_heads);
  field("d_head", attention.d_head);
  field("dropout", attention.dropout);
  field("bias", attention.bias);
  field("scale", attention.scale);
  field("softcap", attention.softcap);
  field("rotary_base", attention.rotary_base);
  field("qk_norm", attention.qk_norm);
  field("cosine", attention.cosine);
  field("learned_scale", attention.learned_scale);
  field("tied_kv", attention.tied_kv);
  field("rotary_pairs", attention.rotary_pairs);
}

template <class Visitor>
void visit_fields(TransformerLayerConfig& layer, Visitor& field) {
  visit_fields(layer.attention, field);
  field("d_ff", layer.d_ff);
  field("norm_first", layer.norm_first);
  field("feed_forward", layer.feed_forward);
  field("norm_epsilon", layer.epsilon);
  field("norm", layer.norm);
}

template <class Visitor>
void visit_fields(Initialization& initialization, Visitor& field) {
  field("init", initialization.scheme);
  field("init_gain", initialization.gain);
  field("init_split_in_proj", initialization.split_in_proj);
  field("init_std", initialization.std);
  field("init_embedding_std", initialization.embedding_std);
  field("init_projection_std", initialization.projection_std);
  field("init_equal_qk", initialization.equal_qk);
}

}  // namespace sqrtdk
