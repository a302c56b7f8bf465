#include "training/encoder_decoder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/elementwise.h"
#include "layers/positional_encoding.h"
#include "tensor/errors.h"

namespace sqrtdk {
namespace {

constexpr const char* kSource = "source.x";
constexpr const char* kTarget = "target.x";

LanguageModelConfig complete(LanguageModelConfig config) {
  if (config.positions == Positions::kRotary && config.layer.rotary_base == 0) {
    config.layer.rotary_base = 10000;
  }
  return config;
}

TransformerOptions options_of(std::optional<float> scale) {
  TransformerOptions options;
  options.encoder.scale = options.decoder.self.scale = options.decoder.cross.scale = scale;
  return options;
}

float embedding_factor(const LanguageModelConfig& config) {
  return static_cast<float>(std::sqrt(static_cast<double>(config.layer.d_model)));
}

}  // namespace

EncoderDecoder::EncoderDecoder(Parameters& parameters, const LanguageModelConfig& config)
    : parameters_(&parameters),
      config_(complete(config)),
      embedding_(parameters, "embedding", config.vocab, config.layer.d_model),
      positions_(config.positions == Positions::kLearned
                     ? parameters.add("positions.weight", {config.context, config.layer.d_model})
                     : -1),
      source_dropout_("source.dropout", config.layer.dropout),
      target_dropout_("target.dropout", config.layer.dropout),
      transformer_(parameters, "", config_.layer, config.n_layers, config.n_layers),
      head_(parameters, "head", config.layer.d_model, config.vocab, config.head_bias) {
  if (config.positions != Positions::kSinusoidal) return;
  encoding_ = Storage(config.context * config.layer.d_model);
  sinusoidal_encoding({encoding_.data(), {config.context, config.layer.d_model}});
}

// x = embedding · sqrt(d_model) + positions
View EncoderDecoder::embed(IndexView ids, const char* name, const Dropout& dropout, Cache& cache,
                           const Mode& mode) const {
  const View rows = embedding_.forward(ids, cache);
  const View x = cache.make(name, rows.shape);
  std::copy_n(rows.data, rows.shape.size(), x.data);
  if (config_.scale_embedding) scale_elements(x, embedding_factor(config_));
  if (positions_ >= 0) add_positions(std::as_const(*parameters_).value(positions_), 0, x);
  const Shape positions{config_.context, config_.layer.d_model};
  if (encoding_.size() > 0) add_positions({encoding_.data(), positions}, 0, x);
  dropout.forward(x, cache, mode);
  return x;
}

void EncoderDecoder::embed_backward(IndexView ids, View dx, const Dropout& dropout,
                                    const Cache& cache) const {
  dropout.backward(dx, cache);
  if (positions_ >= 0) add_positions_backward(dx, 0, parameters_->gradient(positions_));
  if (config_.scale_embedding) scale_elements(dx, embedding_factor(config_));
  embedding_.backward(ids, dx);
}

View EncoderDecoder::forward(IndexView source, IndexView target, std::optional<float> scale, bool explain,
                             Cache& cache, const Mode& mode) const {
  const View source_x = embed(source, kSource, source_dropout_, cache, mode);
  const View target_x = embed(target, kTarget, target_dropout_, cache, mode);
  return head_.forward(transformer_.forward(source_x, target_x, options_of(scale), explain, cache, mode),
                       cache);
}

void EncoderDecoder::backward(IndexView source, IndexView target, ConstView dlogits,
                              std::optional<float> scale, Cache& cache) const {
  const auto [dsource, dtarget] = transformer_.backward(
      cache.at(kSource), cache.at(kTarget), head_.backward(dlogits, cache), options_of(scale), cache);
  embed_backward(target, dtarget, target_dropout_, cache);
  embed_backward(source, dsource, source_dropout_, cache);
}

}  // namespace sqrtdk
