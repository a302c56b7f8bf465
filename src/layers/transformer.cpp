#include "layers/transformer.h"

#include <algorithm>

#include "base/decimal.h"
#include "base/errors.h"

namespace sqrtdk {
namespace {

constexpr int64_t kMaxLayers = 1024;

template <class Layer>
std::vector<Layer> stack(Parameters& parameters, const std::string& name,
                         const TransformerLayerConfig& config, int64_t n_layers) {
  if (n_layers < 1 || n_layers > kMaxLayers) {
    throw_out_of_range("transformer", "n_layers", 1, kMaxLayers, n_layers);
  }
  std::vector<Layer> layers;
  for (int64_t i = 0; i < n_layers; ++i) {
    layers.emplace_back(parameters, inside(inside(name, "layers"), to_text(i)), config);
  }
  return layers;
}

std::optional<Norm> last_norm(Parameters& parameters, const std::string& name,
                              const TransformerLayerConfig& config, bool wanted) {
  if (!wanted) return {};
  return Norm(parameters, inside(name, "norm"), config.norm, config.attention.d_model, config.epsilon);
}

template <class Layer>
std::vector<const MultiHeadAttention*> attentions_of(const std::vector<Layer>& layers,
                                                     const MultiHeadAttention& (Layer::*attention)() const) {
  std::vector<const MultiHeadAttention*> attentions;
  for (const Layer& layer : layers) attentions.push_back(&(layer.*attention)());
  return attentions;
}

}  // namespace

TransformerEncoder::TransformerEncoder(Parameters& parameters, const std::string& name,
                                       const TransformerLayerConfig& config, int64_t n_layers,
                                       bool final_norm)
    : layers_(stack<EncoderLayer>(parameters, name, config, n_layers)),
      norm_(last_norm(parameters, name, config, final_norm)) {}

View TransformerEncoder::forward(ConstView x, const AttentionOptions& options, bool explain, Cache& cache,
                                 const Mode& mode) const {
  View out;
  for (const EncoderLayer& layer : layers_) {
    out = layer.forward(x, options, explain, cache, mode);
    x = out;
  }
  return norm_ ? norm_->forward(out, cache) : out;
}

View TransformerEncoder::forward_cached(ConstView x, KeyValueCache& past, const AttentionOptions& options,
                                        Cache& cache) const {
  const int64_t n = x.shape.rank() == 3 ? x.shape[1] : 0;
  View out;
  for (size_t i = 0; i < layers_.size(); ++i) {
    out = layers_[i].forward_cached(x, past.layer(static_cast<int64_t>(i)), options, cache);
    x = out;
  }
  past.advance(n);
  return norm_ ? norm_->forward(out, cache) : out;
}

View TransformerEncoder::backward(ConstView x, ConstView dout, const AttentionOptions& options,
                                  Cache& cache) const {
  if (norm_) dout = norm_->backward(layers_.back().out(cache), dout, cache);
  View dx;
  for (size_t i = layers_.size(); i-- > 0;) {
    const ConstView input = i > 0 ? layers_[i - 1].out(cache) : x;
    dx = layers_[i].backward(input, dout, options, cache);
    dout = dx;
  }
  return dx;
}

std::vector<const MultiHeadAttention*> TransformerEncoder::attentions() const {
  return attentions_of(layers_, &EncoderLayer::self_attention);
}

TransformerDecoder::TransformerDecoder(Parameters& parameters, const std::string& name,
                                       const TransformerLayerConfig& config, int64_t n_layers,
                                       bool final_norm)
    : name_(name),
      layers_(stack<DecoderLayer>(parameters, name, config, n_layers)),
      norm_(last_norm(parameters, name, config, final_norm)) {}

View TransformerDecoder::forward(ConstView x, ConstView memory, const DecoderOptions& options, bool explain,
                                 Cache& cache, const Mode& mode) const {
  View out;
  for (const DecoderLayer& layer : layers_) {
    out = layer.forward(x, memory, options, explain, cache, mode);
    x = out;
  }
  return norm_ ? norm_->forward(out, cache) : out;
}

DecoderLayer::Gradients TransformerDecoder::backward(ConstView x, ConstView dout,
                                                     const DecoderOptions& options, Cache& cache) const {
  if (norm_) dout = norm_->backward(layers_.back().out(cache), dout, cache);
  DecoderLayer::Gradients sum;
  for (size_t i = layers_.size(); i-- > 0;) {
    const ConstView input = i > 0 ? layers_[i - 1].out(cache) : x;
    const auto [dx, dmemory] = layers_[i].backward(input, dout, options, cache);
    sum.dx = dx;
    dout = dx;
    if (!sum.dmemory) {
      sum.dmemory = cache.make(inside(name_, "dmemory"), dmemory.shape);
      std::copy_n(dmemory.data, dmemory.shape.size(), sum.dmemory.data);
    } else {
      add_elements(sum.dmemory, dmemory, sum.dmemory);
    }
  }
  return sum;
}

std::vector<const MultiHeadAttention*> TransformerDecoder::self_attentions() const {
  return attentions_of(layers_, &DecoderLayer::self_attention);
}

std::vector<const MultiHeadAttention*> TransformerDecoder::cross_attentions() const {
  return attentions_of(layers_, &DecoderLayer::cross_attention);
}

Transformer::Transformer(Parameters& parameters, const std::string& name,
                         const TransformerLayerConfig& config, int64_t n_encoder_layers,
                         int64_t n_decoder_layers)
    : encoder_(parameters, inside(name, "encoder"), config, n_encoder_layers, true),
      decoder_(parameters, inside(name, "decoder"), config, n_decoder_layers, true) {}

View Transformer::forward(ConstView source, ConstView target, const TransformerOptions& options, bool explain,
                          Cache& cache, const Mode& mode) const {
  const View memory = encoder_.forward(source, options.encoder, explain, cache, mode);
  return decoder_.forward(target, memory, options.decoder, explain, cache, mode);
}

Transformer::Gradients Transformer::backward(ConstView source, ConstView target, ConstView dout,
                                             const TransformerOptions& options, Cache& cache) const {
  const auto [dtarget, dmemory] = decoder_.backward(target, dout, options.decoder, cache);
  return {encoder_.backward(source, dmemory, options.encoder, cache), dtarget};
}

}  // namespace sqrtdk
