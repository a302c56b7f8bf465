#include "layers/encoder_layer.h"

namespace sqrtdk {

MultiHeadAttentionConfig TransformerLayerConfig::cross_attention() const {
  MultiHeadAttentionConfig cross = attention;
  cross.rotary_base = 0;
  return cross;
}

EncoderLayer::EncoderLayer(Parameters& parameters, const std::string& name,
                           const TransformerLayerConfig& config)
    : self_attention_(parameters, inside(name, "self_attn"), config.attention),
      feed_forward_(parameters, name, config.feed_forward, config.attention.d_model, config.d_ff,
                    config.attention.bias, config.attention.dropout) {
  for (const int number : {1, 2}) sublayers_.emplace_back(parameters, name, number, config.sublayer());
}

View EncoderLayer::forward(ConstView x, const AttentionOptions& options, bool explain, Cache& cache,
                           const Mode& mode) const {
  const View attended = sublayers_[0].forward(x, cache, mode, [&](ConstView input) {
    return self_attention_.forward(input, input, input, options, explain, cache, mode);
  });
  return sublayers_[1].forward(attended, cache, mode,
                               [&](ConstView input) { return feed_forward_.forward(input, cache, mode); });
}

View EncoderLayer::forward_cached(ConstView x, const PastKeys& past, const AttentionOptions& options,
                                  Cache& cache) const {
  const View attended = sublayers_[0].forward(x, cache, {}, [&](ConstView input) {
    return self_attention_.forward_cached(input, past, options, cache);
  });
  return sublayers_[1].forward(attended, cache, {},
                               [&](ConstView input) { return feed_forward_.forward(input, cache, {}); });
}

View EncoderLayer::backward(ConstView x, ConstView dout, const AttentionOptions& options,
                            Cache& cache) const {
  const View dattended = sublayers_[1].backward(
      sublayers_[0].out(cache), dout, cache,
      [&](ConstView input, ConstView d) { return feed_forward_.backward(input, d, cache); });
  return sublayers_[0].backward(x, dattended, cache, [&](ConstView, ConstView d) {
    return self_attention_.self_backward(d, options, cache);
  });
}

}  // namespace sqrtdk
