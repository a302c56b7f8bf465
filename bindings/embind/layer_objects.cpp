// Each kind of layer as an object.
#include "language_model_object.h"
#include "models/config_fields.h"
#include "read_config.h"

namespace sqrtdk::border {
namespace {

DecoderOptions decoder_options(const AttentionOptions& self, const AttentionOptions& cross) {
  DecoderOptions options;
  options.self = self;
  options.cross = cross;
  return options;
}

struct LinearObject final : LayerObject {
  Linear layer;
  explicit LinearObject(const LinearConfig& c)
      : LayerObject("linear"), layer(parameters, "", c.n_in, c.n_out, c.bias) {}
  View run(const LayerCall& call) override { return layer.forward(call.inputs[0], cache); }
  Gradients run_back(const LayerCall&, ConstView dout) override { return {layer.backward(dout, cache)}; }
};

struct EmbeddingObject final : LayerObject {
  Embedding layer;
  explicit EmbeddingObject(const EmbeddingConfig& c)
      : LayerObject("token_embedding"), layer(parameters, "", c.vocab, c.d_model) {}
  View run(const LayerCall& call) override { return layer.forward(call.ids, cache); }
  Gradients run_back(const LayerCall& call, ConstView dout) override {
    layer.backward(call.ids, dout);
    return {};
  }
};

struct NormObject final : LayerObject {
  Norm layer;
  explicit NormObject(const NormConfig& c)
      : LayerObject("norm"), layer(parameters, "", c.kind, c.d_model, c.epsilon) {}
  View run(const LayerCall& call) override { return layer.forward(call.inputs[0], cache); }
  Gradients run_back(const LayerCall& call, ConstView dout) override {
    return {layer.backward(call.inputs[0], dout, cache)};
  }
};

struct FeedForwardObject final : LayerObject {
  FeedForward layer;
  explicit FeedForwardObject(const FeedForwardConfig& c)
      : LayerObject("feed_forward"),
        layer(parameters, "", c.activation, c.d_model, c.d_ff, c.bias, c.dropout) {}
  View run(const LayerCall& call) override { return layer.forward(call.inputs[0], cache, call.mode); }
  Gradients run_back(const LayerCall& call, ConstView dout) override {
    return {layer.backward(call.inputs[0], dout, cache)};
  }
};

struct MultiHeadAttentionObject final : LayerObject {
  MultiHeadAttention layer;
  explicit MultiHeadAttentionObject(const MultiHeadAttentionConfig& config)
      : LayerObject("multi_head_attention"), layer(parameters, "", config) {}
  int64_t d_head() const override { return layer.config().d_head; }
  View run(const LayerCall& call) override {
    const auto& [query, key, value] = call.inputs;
    return layer.forward(query, key, value, call.options[0], call.explain, cache, call.mode);
  }
  Gradients run_back(const LayerCall& call, ConstView dout) override {
    const auto [dquery, dkey, dvalue] = layer.backward(dout, call.options[0], cache);
    return {dquery, dkey, dvalue};
  }
};

template <class Layer>
struct EncoderObject : LayerObject {
  TransformerLayerConfig config;
  Layer layer;
  template <class... Rest>
  EncoderObject(const char* op, const TransformerLayerConfig& config, Rest... rest)
      : LayerObject(op), config(config), layer(parameters, "", config, rest...) {}
  int64_t d_head() const override { return head_dimension(config.attention); }
  View run(const LayerCall& call) override {
    check_sequence("x", call.inputs[0], config.attention.d_model);
    return layer.forward(call.inputs[0], call.options[0], call.explain, cache, call.mode);
  }
  LayerObject::Gradients run_back(const LayerCall& call, ConstView dout) override {
    return {layer.backward(call.inputs[0], dout, call.options[0], cache)};
  }
};

struct EncoderLayerObject final : EncoderObject<EncoderLayer> {
  explicit EncoderLayerObject(const TransformerLayerConfig& config)
      : EncoderObject("encoder_layer", config) {}
};

struct TransformerEncoderObject final : EncoderObject<TransformerEncoder> {
  explicit TransformerEncoderObject(const StackConfig& c)
      : EncoderObject("transformer_encoder", c.layer, c.n_layers, c.final_norm) {}
};

template <class Layer>
struct DecoderObject : LayerObject {
  TransformerLayerConfig config;
  Layer layer;
  template <class... Rest>
  DecoderObject(const char* op, const TransformerLayerConfig& config, Rest... rest)
      : LayerObject(op), config(config), layer(parameters, "", config, rest...) {}
  int64_t d_head() const override { return head_dimension(config.attention); }
  View run(const LayerCall& call) override {
    const auto& [x, memory, none] = call.inputs;
    check_sequence("x", x, config.attention.d_model);
    check_sequence("memory", memory, config.attention.d_model);
    return layer.forward(x, memory, decoder_options(call.options[0], call.options[1]), call.explain, cache,
                         call.mode);
  }
  LayerObject::Gradients run_back(const LayerCall& call, ConstView dout) override {
    const auto [dx, dmemory] =
        layer.backward(call.inputs[0], dout, decoder_options(call.options[0], call.options[1]), cache);
    return {dx, dmemory};
  }
};

struct DecoderLayerObject final : DecoderObject<DecoderLayer> {
  explicit DecoderLayerObject(const TransformerLayerConfig& config)
      : DecoderObject("decoder_layer", config) {}
};

struct TransformerDecoderObject final : DecoderObject<TransformerDecoder> {
  explicit TransformerDecoderObject(const StackConfig& c)
      : DecoderObject("transformer_decoder", c.layer, c.n_layers, c.final_norm) {}
};

struct TransformerObject final : LayerObject {
  TransformerLayerConfig config;
  Transformer layer;
  explicit TransformerObject(const TransformerConfig& c)
      : LayerObject("transformer"),
        config(c.layer),
        layer(parameters, "", config, c.n_encoder_layers, c.n_decoder_layers) {}
  static TransformerOptions options(const LayerCall& call) {
    return {call.options[0], decoder_options(call.options[1], call.options[2])};
  }
  int64_t d_head() const override { return head_dimension(config.attention); }
  View run(const LayerCall& call) override {
    const auto& [source, target, none] = call.inputs;
    check_sequence("source", source, config.attention.d_model);
    check_sequence("target", target, config.attention.d_model);
    return layer.forward(source, target, options(call), call.explain, cache, call.mode);
  }
  Gradients run_back(const LayerCall& call, ConstView dout) override {
    const auto [dsource, dtarget] =
        layer.backward(call.inputs[0], call.inputs[1], dout, options(call), cache);
    return {dsource, dtarget};
  }
};

template <class Object, class Config>
std::unique_ptr<LayerObject> made(const char* op, Arguments& given) {
  std::span<const float> scales;
  auto layer = std::make_unique<Object>(read_config<Config>(op, given, scales));
  layer->head_scales.assign(scales.begin(), scales.end());
  return layer;
}

std::unique_ptr<LayerObject> unallocated(Arguments& given) {
  const auto kind = given.choice<LayerKind>();
  const char* const op = Choices<LayerKind>::kNames[static_cast<size_t>(kind)];
  switch (kind) {
    case LayerKind::kLinear:
      return made<LinearObject, LinearConfig>(op, given);
    case LayerKind::kTokenEmbedding:
      return made<EmbeddingObject, EmbeddingConfig>(op, given);
    case LayerKind::kNorm:
      return made<NormObject, NormConfig>(op, given);
    case LayerKind::kFeedForward:
      return made<FeedForwardObject, FeedForwardConfig>(op, given);
    case LayerKind::kMultiHeadAttention:
      return made<MultiHeadAttentionObject, MultiHeadAttentionConfig>(op, given);
    case LayerKind::kEncoderLayer:
      return made<EncoderLayerObject, TransformerLayerConfig>(op, given);
    case LayerKind::kDecoderLayer:
      return made<DecoderLayerObject, TransformerLayerConfig>(op, given);
    case LayerKind::kTransformerEncoder:
      return made<TransformerEncoderObject, StackConfig>(op, given);
    case LayerKind::kTransformerDecoder:
      return made<TransformerDecoderObject, StackConfig>(op, given);
    case LayerKind::kTransformer:
      return made<TransformerObject, TransformerConfig>(op, given);
    case LayerKind::kLanguageModel:
      break;
  }
  return made<LanguageModelObject, LanguageModelConfig>(op, given);
}

}  // namespace

std::unique_ptr<LayerObject> make_layer(Arguments& given) {
  std::unique_ptr<LayerObject> layer = unallocated(given);
  layer->parameters.allocate();
  return layer;
}

}  // namespace sqrtdk::border
