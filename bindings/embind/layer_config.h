#pragma once
// The configs of layers as they come.
#include "arguments.h"
#include "models/language_model.h"

namespace sqrtdk::border {

inline MultiHeadAttentionConfig attention_config(Arguments& given) {
  MultiHeadAttentionConfig config{given.integer(), given.integer()};
  config.n_kv_heads = given.integer();
  config.d_head = given.integer();
  config.d_key_in = given.integer();
  config.d_value_in = given.integer();
  config.bias = given.flag();
  config.dropout = given.real();
  config.scale = given.optional();
  config.softcap = given.real();
  config.rotary_base = given.number();
  config.rotary_pairs = given.choice<RotaryPairs>();
  config.qk_norm = given.flag();
  config.cosine = given.flag();
  config.learned_scale = given.flag();
  config.tied_kv = given.flag();
  return config;
}

inline TransformerLayerConfig transformer_config(Arguments& given) {
  TransformerLayerConfig config{{given.integer(), given.integer()}, given.integer()};
  config.norm_first = given.flag();
  config.feed_forward = given.choice<FeedForwardKind>();
  config.attention.dropout = given.real();
  config.epsilon = given.real();
  config.norm = given.choice<NormKind>();
  config.attention.bias = given.flag();
  config.attention.n_kv_heads = given.integer();
  config.attention.scale = given.optional();
  config.attention.softcap = given.real();
  config.attention.rotary_base = given.number();
  config.attention.rotary_pairs = given.choice<RotaryPairs>();
  config.attention.qk_norm = given.flag();
  config.attention.cosine = given.flag();
  config.attention.learned_scale = given.flag();
  config.attention.tied_kv = given.flag();
  config.attention.d_head = given.integer();
  return config;
}

inline LanguageModelConfig language_model_config(Arguments& given) {
  LanguageModelConfig config{};
  config.layer = transformer_config(given);
  config.vocab = given.integer();
  config.context = given.integer();
  config.n_layers = given.integer();
  config.positions = given.choice<Positions>();
  config.causal = given.flag();
  config.tied = given.flag();
  config.n_out = given.integer();
  config.head_bias = given.flag();
  config.final_norm = given.flag();
  config.scale_embedding = given.flag();
  return config;
}

}  // namespace sqrtdk::border
