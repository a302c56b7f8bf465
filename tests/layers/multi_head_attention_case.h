#pragma once
// Multi-head attention by itself, compared with the reference in both forms.
#include "layers/layer_case.h"
#include "layers/multi_head_attention.h"

namespace sqrtdk::reference {

struct AttentionModel {
  explicit AttentionModel(const MultiHeadAttentionConfig& config) : attention(parameters, "attn", config) {
    draw(parameters, 5);
  }
  std::vector<float> run(ConstView query, ConstView key, ConstView value, const AttentionOptions& options,
                         bool explain, const Mode& mode = {}) {
    return numbers(attention.forward(query, key, value, options, explain, cache, mode));
  }
  View scale() { return parameters.value(parameters.find("attn.scale")); }
  Parameters parameters;
  Cache cache;
  MultiHeadAttention attention;
};

inline Unmasked unmasked_of(const AttentionOptions& options) {
  return [options](size_t sequence, size_t i, size_t j) {
    if (options.causal == Causal::kTopLeft && j > i) return false;
    return !options.lengths || j < static_cast<size_t>(options.lengths.data[sequence]);
  };
}

/// Values and gradients of n_q queries and n_k keys. `scale` is the value of a learned one.
inline void check_attention(const MultiHeadAttentionConfig& config, int64_t n_q, int64_t n_k,
                            const AttentionOptions& options = {}, const Mode& mode = {},
                            std::optional<float> scale = {}) {
  for (const bool explain : {true, false}) {
    CAPTURE(n_q);
    CAPTURE(n_k);
    CAPTURE(explain);
    AttentionModel model(config);
    if (scale) model.scale().data[0] = *scale;
    const MultiHeadAttentionConfig c = model.attention.config();
    const std::vector<Input> inputs{
        {{2, n_q, c.d_model}, 1}, {{2, n_k, c.d_key_in}, 2}, {{2, n_k, c.d_value_in}, 3}};
    const Input u({2, n_q, c.d_model}, 4);
    LayerResult got;
    got.out = model.run(inputs[0].view(), inputs[1].view(), inputs[2].view(), options, explain, mode);
    const auto [dquery, dkey, dvalue] = model.attention.backward(u.view(), options, model.cache);
    got.dinputs = {numbers(dquery), numbers(dkey), numbers(dvalue)};
    std::map<std::string, std::vector<double>> dropped;
    if (mode.training && c.dropout > 0) {
      dropped["attn.weights"] = factors("attn.weights", 2 * c.n_heads * n_q * n_k, c.dropout, mode);
    }
    check_layer(
        model.parameters, inputs, got, u.values,
        [&](const Weights& weights, const std::vector<Numbers>& x) {
          return reference::multi_head_attention(weights, "attn", c, 2, x[0], x[1], x[2],
                                                 unmasked_of(options));
        },
        dropped);
  }
}

/// Causal self-attention, and attention to others.
inline void check_both_kinds(const MultiHeadAttentionConfig& config, std::optional<float> scale = {},
                             const Mode& mode = {}) {
  check_attention(config, 3, 3, causal(), mode, scale);
  check_attention(config, 3, 4, {}, mode, scale);
}

inline std::vector<float> self_attention(AttentionModel& model, ConstView x, bool explain = false) {
  return model.run(x, x, x, causal(), explain);
}

/// "name(shape) " of each.
inline std::string listed(std::span<const Parameter> parameters) {
  std::string all;
  for (const Parameter& parameter : parameters) all += parameter.name + parameter.shape.text() + " ";
  return all;
}

}  // namespace sqrtdk::reference
