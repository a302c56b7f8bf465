#pragma once
// Multi-head attention by itself, causal or to others, compared with the reference in both forms.
#include "layers/layer_case.h"
#include "layers/multi_head_attention.h"

namespace sqrtdk::reference {

struct AttentionModel {
  explicit AttentionModel(const MultiHeadAttentionConfig& config) : attention(parameters, "attn", config) {
    draw(parameters, 5);
  }
  View scale() { return parameters.value(parameters.find("attn.scale")); }
  Parameters parameters;
  Cache cache;
  MultiHeadAttention attention;
};

inline AttentionOptions causal() {
  AttentionOptions options;
  options.causal = Causal::kTopLeft;
  return options;
}

// Causal self-attention and attention to others against the reference, in both forms.
inline void check_attention(const MultiHeadAttentionConfig& config, std::optional<float> scale = {},
                            const Mode& mode = {}) {
  for (const bool self : {true, false}) {
    for (const bool explain : {true, false}) {
      CAPTURE(self);
      CAPTURE(explain);
      AttentionModel model(config);
      if (scale) model.scale().data[0] = *scale;
      const MultiHeadAttentionConfig c = model.attention.config();
      const int64_t n_q = 3, n_k = self ? 3 : 4;
      const std::vector<Input> inputs{
          {{2, n_q, c.d_model}, 1}, {{2, n_k, c.d_model}, 2}, {{2, n_k, c.d_model}, 3}};
      const Input u({2, n_q, c.d_model}, 4);
      const AttentionOptions options = self ? causal() : AttentionOptions();
      LayerResult got;
      got.out = numbers(model.attention.forward(inputs[0].view(), inputs[1].view(), inputs[2].view(), options,
                                                explain, model.cache, mode));
      const auto [dquery, dkey, dvalue] = model.attention.backward(u.view(), options, model.cache);
      got.dinputs = {numbers(dquery), numbers(dkey), numbers(dvalue)};
      Named dropped;
      if (mode.training && c.dropout > 0) {
        dropped["attn.weights"] = factors("attn.weights", 2 * c.n_heads * n_q * n_k, c.dropout, mode);
      }
      check_layer(
          model.parameters, inputs, got, u.values,
          [&](const Weights& weights, const std::vector<Numbers>& x) {
            return reference::multi_head_attention(
                weights, "attn", c, 2, x[0], x[1], x[2],
                [&](size_t, size_t i, size_t j) { return !self || j <= i; });
          },
          dropped);
    }
  }
}

inline std::vector<float> self_attention(AttentionModel& model, ConstView x, bool explain = false) {
  return numbers(model.attention.forward(x, x, x, causal(), explain, model.cache, {}));
}

}  // namespace sqrtdk::reference
