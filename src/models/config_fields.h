#pragma once
// The fields of a language model's config, and the names of all layers and models.
#include "layers/config_fields.h"
#include "models/language_model.h"

namespace sqrtdk {

template <>
struct Choices<Positions> {
  static constexpr const char* kNames[] = {"none", "sinusoidal", "learned", "rotary"};
};

/// What neither a task nor a topology says.
template <class Visitor>
void visit_stack(LanguageModelConfig& model, Visitor& field) {
  field("n_layers", model.n_layers, {"the number of layers", kSizes});
  field("positions", model.positions, {"what is added to embeddings; rotary positions are inside attention"});
  field("tied", model.tied,
        {"the logits are products with the rows of the embedding", {}, "true unless n_out is given"});
  field("head_bias", model.head_bias, {"the logits have a bias"});
  field("final_norm", model.final_norm, {"a norm follows the last layer"});
  field("scale_embedding", model.scale_embedding, {"embeddings are multiplied by √d_model"});
}

template <class Visitor>
void visit_fields(LanguageModelConfig& model, Visitor& field) {
  field.part("TransformerLayer", [&] { visit_fields(model.layer, field); });
  field("vocab", model.vocab, {"the number of different tokens", kSizes});
  field("context", model.context, {"the largest number of positions", kSizes});
  field("causal", model.causal, {"the model is decoder-only, not encoder-only"});
  field("n_out", model.n_out, {"the number of logits of a position", kSizes, "vocab"});
  visit_stack(model, field);
}

/// What can be made from a config on its own.
enum class LayerKind {
  kLinear,
  kTokenEmbedding,
  kNorm,
  kFeedForward,
  kMultiHeadAttention,
  kEncoderLayer,
  kDecoderLayer,
  kTransformerEncoder,
  kTransformerDecoder,
  kTransformer,
  kLanguageModel
};
template <>
struct Choices<LayerKind> {
  static constexpr const char* kNames[] = {"linear",        "token_embedding",      "norm",
                                           "feed_forward",  "multi_head_attention", "encoder_layer",
                                           "decoder_layer", "transformer_encoder",  "transformer_decoder",
                                           "transformer",   "language_model"};
};

}  // namespace sqrtdk
