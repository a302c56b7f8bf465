#include "training/encoder_decoder.h"

namespace sqrtdk {
namespace {

constexpr const char* kSource = "source.x";
constexpr const char* kTarget = "target.x";

LanguageModelConfig for_both(LanguageModelConfig config) {
  config.n_out = config.vocab;
  return completed(config);
}

TransformerOptions options_of(std::optional<float> scale) {
  TransformerOptions options;
  options.encoder.scale = options.decoder.self.scale = options.decoder.cross.scale = scale;
  return options;
}

}  // namespace

EncoderDecoder::EncoderDecoder(Parameters& parameters, const LanguageModelConfig& config)
    : config_(for_both(config)),
      embedding_(parameters, "", token_embedding(config_)),
      source_dropout_("source.dropout", config_.layer.dropout),
      target_dropout_("target.dropout", config_.layer.dropout),
      transformer_(parameters, "", config_.layer, config_.n_layers, config_.n_layers),
      head_(parameters, "head", config_.layer.d_model, config_.vocab, config_.head_bias) {}

View EncoderDecoder::forward(IndexView source, IndexView target, std::optional<float> scale, bool explain,
                             Cache& cache, const Mode& mode) const {
  const View source_x = embedding_.forward(source, 0, kSource, cache);
  const View target_x = embedding_.forward(target, 0, kTarget, cache);
  source_dropout_.forward(source_x, cache, mode);
  target_dropout_.forward(target_x, cache, mode);
  return head_.forward(transformer_.forward(source_x, target_x, options_of(scale), explain, cache, mode),
                       cache);
}

void EncoderDecoder::backward(IndexView source, IndexView target, ConstView dlogits,
                              std::optional<float> scale, Cache& cache) const {
  const auto [dsource, dtarget] = transformer_.backward(
      cache.at(kSource), cache.at(kTarget), head_.backward(dlogits, cache), options_of(scale), cache);
  target_dropout_.backward(dtarget, cache);
  source_dropout_.backward(dsource, cache);
  embedding_.backward(target, dtarget);
  embedding_.backward(source, dsource);
}

}  // namespace sqrtdk
