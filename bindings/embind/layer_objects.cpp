// Each kind of layer as an object. The order of its config is that of layer_config.ts.
#include "language_model_object.h"
#include "layer_config.h"

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
  explicit LinearObject(Arguments& given)
      : LayerObject("linear"), layer{parameters, "", given.integer(), given.integer(), given.flag()} {}
  View run(const LayerCall& call) override { return layer.forward(call.inputs[0], cache); }
  Gradients run_back(const LayerCall&, ConstView dout) override { return {layer.backward(dout, cache)}; }
};

struct EmbeddingObject final : LayerObject {
  Embedding layer;
  explicit EmbeddingObject(Arguments& given)
      : LayerObject("token_embedding"), layer{parameters, "", given.integer(), given.integer()} {}
  View run(const LayerCall& call) override { return layer.forward(call.ids, cache); }
  Gradients run_back(const LayerCall& call, ConstView dout) override {
    layer.backward(call.ids, dout);
    return {};
  }
};

struct NormObject final : LayerObject {
  Norm layer;
  explicit NormObject(Arguments& given)
      : LayerObject("norm"), layer{parameters, "", given.choice<NormKind>(), given.integer(), given.real()} {}
  View run(const LayerCall& call) override { return layer.forward(call.inputs[0], cache); }
  Gradients run_back(const LayerCall& call, ConstView dout) override {
    return {layer.backward(call.inputs[0], dout, cache)};
  }
};

struct FeedForwardObject final : LayerObject {
  FeedForward layer;
  explicit FeedForwardObject(Arguments& given)
      : LayerObject("feed_forward"),
        layer{parameters,   "",          given.choice<FeedForwardKind>(), given.integer(), given.integer(),
              given.flag(), given.real()} {}
  View run(const LayerCall& call) override { return layer.forward(call.inputs[0], cache, call.mode); }
  Gradients run_back(const LayerCall& call, ConstView dout) override {
    return {layer.backward(call.inputs[0], dout, cache)};
  }
};

struct MultiHeadAttentionObject final : LayerObject {
  MultiHeadAttention layer;
  explicit MultiHeadAttentionObject(Arguments& given)
      : LayerObject("multi_head_attention"), layer(parameters, "", attention_config(given)) {}
  View run(const LayerCall& call) override {
    const auto& [query, key, value] = call.inputs;
    return layer.forward(query, key, value, call.options[0], call.explain, cache, call.mode);
  }
  Gradients run_back(const LayerCall& call, ConstView dout) override {
    const auto [dquery, dkey, dvalue] = layer.backward(dout, call.options[0], cache);
    return {dquery, dkey, dvalue};
  }
};

struct EncoderLayerObject final : LayerObject {
  TransformerLayerConfig config;
  EncoderLayer layer;
  explicit EncoderLayerObject(Arguments& given)
      : LayerObject("encoder_layer"), config(transformer_config(given)), layer(parameters, "", config) {}
  View run(const LayerCall& call) override {
    check_sequence("x", call.inputs[0], config.attention.d_model);
    return layer.forward(call.inputs[0], call.options[0], call.explain, cache, call.mode);
  }
  Gradients run_back(const LayerCall& call, ConstView dout) override {
    return {layer.backward(call.inputs[0], dout, call.options[0], cache)};
  }
};

struct TransformerEncoderObject final : LayerObject {
  TransformerLayerConfig config;
  TransformerEncoder layer;
  explicit TransformerEncoderObject(Arguments& given)
      : LayerObject("transformer_encoder"),
        config(transformer_config(given)),
        layer{parameters, "", config, given.integer(), given.flag()} {}
  View run(const LayerCall& call) override {
    check_sequence("x", call.inputs[0], config.attention.d_model);
    return layer.forward(call.inputs[0], call.options[0], call.explain, cache, call.mode);
  }
  Gradients run_back(const LayerCall& call, ConstView dout) override {
    return {layer.backward(call.inputs[0], dout, call.options[0], cache)};
  }
};

template <class Layer>
struct DecoderObject : LayerObject {
  TransformerLayerConfig config;
  Layer layer;
  template <class... Rest>
  DecoderObject(const char* op, const TransformerLayerConfig& config, Rest... rest)
      : LayerObject(op), config(config), layer(parameters, "", config, rest...) {}
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

struct TransformerObject final : LayerObject {
  TransformerLayerConfig config;
  Transformer layer;
  explicit TransformerObject(Arguments& given)
      : LayerObject("transformer"),
        config(transformer_config(given)),
        layer{parameters, "", config, given.integer(), given.integer()} {}
  static TransformerOptions options(const LayerCall& call) {
    return {call.options[0], decoder_options(call.options[1], call.options[2])};
  }
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

std::unique_ptr<LayerObject> unallocated(Arguments& given) {
  enum class Kind {
    kLinear,
    kEmbedding,
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
  switch (given.choice<Kind>()) {
    case Kind::kLinear:
      return std::make_unique<LinearObject>(given);
    case Kind::kEmbedding:
      return std::make_unique<EmbeddingObject>(given);
    case Kind::kNorm:
      return std::make_unique<NormObject>(given);
    case Kind::kFeedForward:
      return std::make_unique<FeedForwardObject>(given);
    case Kind::kMultiHeadAttention:
      return std::make_unique<MultiHeadAttentionObject>(given);
    case Kind::kEncoderLayer:
      return std::make_unique<EncoderLayerObject>(given);
    case Kind::kDecoderLayer:
      return std::make_unique<DecoderObject<DecoderLayer>>("decoder_layer", transformer_config(given));
    case Kind::kTransformerEncoder:
      return std::make_unique<TransformerEncoderObject>(given);
    case Kind::kTransformerDecoder: {
      const TransformerLayerConfig config = transformer_config(given);
      const int64_t n_layers = given.integer();
      return std::make_unique<DecoderObject<TransformerDecoder>>("transformer_decoder", config, n_layers,
                                                                 given.flag());
    }
    case Kind::kTransformer:
      return std::make_unique<TransformerObject>(given);
    case Kind::kLanguageModel:
      break;
  }
  return std::make_unique<LanguageModelObject>(language_model_config(given));
}

}  // namespace

std::unique_ptr<LayerObject> make_layer(Arguments& given) {
  std::unique_ptr<LayerObject> layer = unallocated(given);
  layer->parameters.allocate();
  return layer;
}

}  // namespace sqrtdk::border
