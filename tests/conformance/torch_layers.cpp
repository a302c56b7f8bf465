// PyTorch's layers of the transformer with the gradients of their inputs and of every parameter.
#include <algorithm>

#include "conformance/attention_forms.h"
#include "conformance/operators.h"
#include "layers/positional_encoding.h"
#include "layers/transformer.h"

namespace sqrtdk::conformance {
namespace {

Floats copy_of(ConstView view) {
  Floats copy(view.shape);
  std::copy_n(view.data, view.shape.size(), copy.view().data);
  return copy;
}

// A layer whose parameters are those of a case: "linear1.weight" is p_linear1_weight there.
template <class Layer>
struct Loaded {
  template <class... Arguments>
  explicit Loaded(const Case& reference, const Arguments&... arguments)
      : layer(parameters, "", arguments...) {
    parameters.allocate();
    for (const Parameter& parameter : parameters.list()) {
      const Floats values(reference.required("p_" + underscored(parameter.name)));
      check_shape("conformance", parameter.name.c_str(), values.shape(), parameter.shape);
      std::copy_n(values.view().data, values.size(), parameters.values().data() + parameter.offset);
    }
  }
  void add_gradients(Results& results, const char* form) {
    for (const Parameter& parameter : parameters.list()) {
      const ConstView gradient(parameters.gradients().data() + parameter.offset, parameter.shape);
      results.add("d_p_" + underscored(parameter.name), copy_of(gradient), form);
    }
  }
  static std::string underscored(std::string name) {
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
  }
  Parameters parameters;
  Cache cache;
  Layer layer;
};

// run(explain, form) with either form of attention.
template <class Run>
void each_form(Run run) {
  run(true, kExplainable);
  run(false, kTiled);
}

Causal causal_of(bool causal) { return causal ? Causal::kTopLeft : Causal::kNo; }

// A padding mask [batch, n_k], True = masked out, for scores [batch, n_heads, n_q, n_k].
std::optional<Mask> padding_of(const Case& reference, const std::string& name) {
  const Tensor* given = reference.input(name);
  if (!given) return {};
  Tensor padding = *given;
  padding.dims.insert(padding.dims.end() - 1, 2, 1);
  return Mask(padding, false);
}

TransformerLayerConfig config_of(const Case& reference) {
  TransformerLayerConfig config{{reference.integer("d_model", 0), reference.integer("nhead", 0)},
                                reference.integer("dim_feedforward", 0)};
  config.norm_first = reference.integer("norm_first", 0) != 0;
  config.epsilon = static_cast<float>(reference.number("layer_norm_eps", 1e-5));
  const std::string activation = reference.text("activation", "relu");
  if (activation != "relu" && activation != "gelu") throw Skip("no activation " + activation);
  if (activation == "gelu") config.feed_forward = FeedForwardKind::kGelu;
  return config;
}

Floats mean_of_heads(ConstView weights) {
  const int64_t batch = weights.shape[0], n_heads = weights.shape[1],
                pairs = weights.shape[2] * weights.shape[3];
  Floats mean({batch, weights.shape[2], weights.shape[3]});
  for (int64_t i = 0; i < mean.size(); ++i) {
    double sum = 0;
    for (int64_t h = 0; h < n_heads; ++h) sum += weights.data[(i / pairs * n_heads + h) * pairs + i % pairs];
    mean[i] = static_cast<float>(sum / static_cast<double>(n_heads));
  }
  return mean;
}

}  // namespace

void torch_multi_head_attention(Case& reference, Results& results) {
  MultiHeadAttentionConfig config{reference.integer("embed_dim", 0), reference.integer("num_heads", 0)};
  config.bias = reference.integer("bias", 1) != 0;
  config.d_key_in = reference.integer("kdim", 0), config.d_value_in = reference.integer("vdim", 0);
  const Floats query(reference.required("query")), dout(reference.required("grad_out"));
  const bool self = !reference.input("key");
  const Floats key(self ? query : Floats(reference.required("key")));
  const Floats value(self ? query : Floats(reference.required("value")));
  const std::optional<Mask> padding = padding_of(reference, "key_padding_mask");
  AttentionOptions options;
  options.causal = causal_of(reference.integer("causal", 0) != 0);
  if (padding) options.mask = padding->view();

  each_form([&](bool explain, const char* form) {
    Loaded<MultiHeadAttention> attention(reference, config);
    Cache& cache = attention.cache;
    results.add(
        "out",
        copy_of(attention.layer.forward(query.view(), key.view(), value.view(), options, explain, cache, {})),
        form);
    if (explain) {
      results.add("weights_per_head", copy_of(cache.at("weights")));
      results.add("weights_avg", mean_of_heads(cache.at("weights")));
    }
    if (self) {
      results.add("d_query", copy_of(attention.layer.self_backward(dout.view(), options, cache)), form);
    } else {
      const auto [dquery, dkey, dvalue] = attention.layer.backward(dout.view(), options, cache);
      results.add("d_query", copy_of(dquery), form);
      results.add("d_key", copy_of(dkey), form);
      results.add("d_value", copy_of(dvalue), form);
    }
    attention.add_gradients(results, form);
  });
}

namespace {

template <class Layer, class... Arguments>
void run_encoder(Case& reference, Results& results, const Arguments&... arguments) {
  const Floats x(reference.required("src")), dout(reference.required("grad_out"));
  const std::optional<Mask> padding = padding_of(reference, "src_key_padding_mask");
  AttentionOptions options;
  options.causal = causal_of(reference.text("mask", "") == "causal");
  if (padding) options.mask = padding->view();
  each_form([&](bool explain, const char* form) {
    Loaded<Layer> encoder(reference, config_of(reference), arguments...);
    Cache& cache = encoder.cache;
    results.add("out", copy_of(encoder.layer.forward(x.view(), options, explain, cache, {})), form);
    results.add("d_src", copy_of(encoder.layer.backward(x.view(), dout.view(), options, cache)), form);
    encoder.add_gradients(results, form);
  });
}

}  // namespace

void torch_encoder_layer(Case& reference, Results& results) { run_encoder<EncoderLayer>(reference, results); }

void torch_encoder(Case& reference, Results& results) {
  const bool final_norm = reference.integer("final_norm", 0) != 0;
  run_encoder<TransformerEncoder>(reference, results, reference.integer("num_layers", 1), final_norm);
}

void torch_decoder_layer(Case& reference, Results& results) {
  const Floats x(reference.required("src")), memory(reference.required("memory"));
  const Floats dout(reference.required("grad_out"));
  DecoderOptions options;
  options.self.causal = causal_of(reference.text("tgt_mask", "") == "causal");
  each_form([&](bool explain, const char* form) {
    Loaded<DecoderLayer> decoder(reference, config_of(reference));
    Cache& cache = decoder.cache;
    results.add("out", copy_of(decoder.layer.forward(x.view(), memory.view(), options, explain, cache, {})),
                form);
    const auto [dx, dmemory] = decoder.layer.backward(x.view(), dout.view(), options, cache);
    results.add("d_src", copy_of(dx), form);
    results.add("d_memory", copy_of(dmemory), form);
    decoder.add_gradients(results, form);
  });
}

void torch_transformer(Case& reference, Results& results) {
  const Floats source(reference.required("src")), target(reference.required("tgt"));
  const Floats dout(reference.required("grad_out"));
  TransformerOptions options;
  options.decoder.self.causal = causal_of(reference.text("tgt_mask", "") == "causal");
  each_form([&](bool explain, const char* form) {
    Loaded<Transformer> model(reference, config_of(reference), reference.integer("num_encoder_layers", 1),
                              reference.integer("num_decoder_layers", 1));
    Cache& cache = model.cache;
    const View out = model.layer.forward(source.view(), target.view(), options, explain, cache, {});
    results.add("out", copy_of(out), form);
    const auto [dsource, dtarget] =
        model.layer.backward(source.view(), target.view(), dout.view(), options, cache);
    results.add("d_src", copy_of(dsource), form);
    results.add("d_tgt", copy_of(dtarget), form);
    model.add_gradients(results, form);
  });
}

void torch_positional_encoding(Case& reference, Results& results) {
  Floats encoding({reference.integer("n", 0), reference.integer("d_model", 0)});
  sinusoidal_encoding(encoding.view());
  results.add("PE", encoding);
}

}  // namespace sqrtdk::conformance
