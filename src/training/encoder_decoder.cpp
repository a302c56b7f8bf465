#include "training/encoder_decoder.h"

namespace sqrtdk {
namespace {

constexpr const char* kSource = "source.x";
constexpr const char* kTarget = "target.x";

LanguageModelConfig for_both(LanguageModelConfig config) {
  config.n_out = config.vocab;
  return completed(config);
}

AttentionOptions encoder_options(std::optional<float> scale) {
  AttentionOptions options;
  options.scale = scale;
  return options;
}

DecoderOptions decoder_options(std::optional<float> scale) {
  DecoderOptions options;
  options.self.scale = options.cross.scale = scale;
  return options;
}

}  // namespace

EncoderDecoder::EncoderDecoder(Parameters& parameters, const LanguageModelConfig& config)
    : config_(for_both(config)),
      embedding_(parameters, "", token_embedding(config_)),
      source_dropout_("source.dropout", config_.layer.attention.dropout),
      target_dropout_("target.dropout", config_.layer.attention.dropout),
      encoder_(parameters, "encoder", config_.layer, config_.n_layers, true),
      decoder_(parameters, "decoder", config_.layer, config_.n_layers, true),
      head_(parameters, "head", config_.layer.attention.d_model, config_.vocab, config_.head_bias) {}

View EncoderDecoder::forward(IndexView source, IndexView target, std::optional<float> scale, bool explain,
                             Cache& cache, const Mode& mode) const {
  return decode(encode(source, scale, explain, cache, mode), target, scale, explain, cache, mode);
}

View EncoderDecoder::encode(IndexView source, std::optional<float> scale, bool explain, Cache& cache,
                            const Mode& mode) const {
  const View x = embedding_.forward(source, 0, kSource, cache);
  source_dropout_.forward(x, cache, mode);
  return encoder_.forward(x, encoder_options(scale), explain, cache, mode);
}

View EncoderDecoder::decode(ConstView memory, IndexView target, std::optional<float> scale, bool explain,
                            Cache& cache, const Mode& mode) const {
  const View x = embedding_.forward(target, 0, kTarget, cache);
  target_dropout_.forward(x, cache, mode);
  return head_.forward(decoder_.forward(x, memory, decoder_options(scale), explain, cache, mode), cache);
}

void EncoderDecoder::backward(IndexView source, IndexView target, ConstView dlogits,
                              std::optional<float> scale, Cache& cache) const {
  const auto [dtarget, dmemory] =
      decoder_.backward(cache.at(kTarget), head_.backward(dlogits, cache), decoder_options(scale), cache);
  const View dsource = encoder_.backward(cache.at(kSource), dmemory, encoder_options(scale), cache);
  target_dropout_.backward(dtarget, cache);
  source_dropout_.backward(dsource, cache);
  embedding_.backward(target, dtarget);
  embedding_.backward(source, dsource);
}

}  // namespace sqrtdk
