#include "layers/decoder_layer.h"

namespace sqrtdk {

DecoderLayer::DecoderLayer(Parameters& parameters, const std::string& name,
                           const TransformerLayerConfig& config)
    : name_(name),
      self_attention_(parameters, inside(name, "self_attn"), config.attention),
      cross_attention_(parameters, inside(name, "multihead_attn"), config.cross_attention()),
      feed_forward_(parameters, name, config.feed_forward, config.attention.d_model, config.d_ff,
                    config.attention.bias, config.attention.dropout) {
  for (const int number : {1, 2, 3}) sublayers_.emplace_back(parameters, name, number, config.sublayer());
}

View DecoderLayer::forward(ConstView x, ConstView memory, const DecoderOptions& options, bool explain,
                           Cache& cache, const Mode& mode) const {
  const View seen = sublayers_[0].forward(x, cache, mode, [&](ConstView input) {
    return self_attention_.forward(input, input, input, options.self, explain, cache, mode);
  });
  const View informed = sublayers_[1].forward(seen, cache, mode, [&](ConstView input) {
    return cross_attention_.forward(input, memory, memory, options.cross, explain, cache, mode);
  });
  return sublayers_[2].forward(informed, cache, mode,
                               [&](ConstView input) { return feed_forward_.forward(input, cache, mode); });
}

DecoderLayer::Gradients DecoderLayer::backward(ConstView x, ConstView dout, const DecoderOptions& options,
                                               Cache& cache) const {
  const View dinformed = sublayers_[2].backward(
      sublayers_[1].out(cache), dout, cache,
      [&](ConstView input, ConstView d) { return feed_forward_.backward(input, d, cache); });
  View dmemory;
  const View dseen =
      sublayers_[1].backward(sublayers_[0].out(cache), dinformed, cache, [&](ConstView, ConstView d) {
        const auto [dquery, dkey, dvalue] = cross_attention_.backward(d, options.cross, cache);
        dmemory = cache.make(inside(name_, "dmemory"), dkey.shape);
        add_elements(dkey, dvalue, dmemory);
        return dquery;
      });
  const View dx = sublayers_[0].backward(x, dseen, cache, [&](ConstView, ConstView d) {
    return self_attention_.self_backward(d, options.self, cache);
  });
  return {dx, dmemory};
}

}  // namespace sqrtdk
