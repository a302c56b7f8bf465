#include "layers/encoder_layer.h"

#include <cmath>

#include "base/errors.h"
#include "layers/layer_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

struct Model {
  explicit Model(const TransformerLayerConfig& config, uint64_t seed = 5)
      : layer(parameters, "layer", config) {
    draw(parameters, seed);
  }
  std::vector<float> run(ConstView x, const AttentionOptions& options = {}, bool explain = false,
                         const Mode& mode = {}) {
    return numbers(layer.forward(x, options, explain, cache, mode));
  }
  std::vector<float> back(ConstView x, ConstView dout, const AttentionOptions& options = {}) {
    return numbers(layer.backward(x, dout, options, cache));
  }
  Parameters parameters;
  Cache cache;
  EncoderLayer layer;
};

void check(const TransformerLayerConfig& config, bool is_causal, bool explain, const Mode& mode = {}) {
  Model model(config);
  const AttentionOptions options = is_causal ? causal() : AttentionOptions();
  const std::vector<Input> inputs{{{2, 3, config.attention.d_model}, 1}};
  const Input u(inputs[0].shape, 4);
  LayerResult got;
  got.out = model.run(inputs[0].view(), options, explain, mode);
  got.dinputs = {model.back(inputs[0].view(), u.view(), options)};
  std::map<std::string, std::vector<double>> dropped;
  if (mode.training && config.attention.dropout > 0) {
    const int64_t n = inputs[0].shape.size();
    const auto add = [&](const std::string& name, int64_t size) {
      dropped[name] = factors(name, size, config.attention.dropout, mode);
    };
    add("layer.self_attn.weights", 2 * config.attention.n_heads * 3 * 3);
    add("layer.dropout1", n), add("layer.dropout2", n),
        add("layer.dropout", n / config.attention.d_model * config.d_ff);
  }
  const MultiHeadAttentionConfig attention = attention_of(config, config.attention.rotary_base);
  const Unmasked unmasked = [&](size_t, size_t i, size_t j) { return !is_causal || j <= i; };
  check_layer(
      model.parameters, inputs, got, u.values,
      [&](const Weights& weights, const std::vector<Numbers>& x) {
        const Numbers attended = sublayer(weights, "layer", 1, config, x[0], [&](const Numbers& y) {
          return reference::multi_head_attention(weights, "layer.self_attn", attention, 2, y, y, y, unmasked);
        });
        return sublayer(weights, "layer", 2, config, attended,
                        [&](const Numbers& y) { return feed_forward(weights, "layer", config, y); });
      },
      dropped);
}

}  // namespace

TEST_CASE("encoder_layer agrees with the reference in double, with its gradients") {
  for (const bool norm_first : {false, true}) {
    for (const FeedForwardKind kind : {FeedForwardKind::kRelu, FeedForwardKind::kGelu}) {
      for (const bool explain : {false, true}) {
        CAPTURE(norm_first);
        CAPTURE(explain);
        TransformerLayerConfig config{{4, 2}, 6};
        config.norm_first = norm_first, config.feed_forward = kind;
        check(config, explain, explain);
      }
    }
  }
}

TEST_CASE("encoder_layer: RMS norm, rotary positions, grouped heads, no bias, a scale") {
  TransformerLayerConfig config{{8, 4}, 6};
  config.norm_first = true, config.norm = NormKind::kRms, config.attention.bias = false;
  config.attention.n_kv_heads = 2, config.attention.rotary_base = 10000, config.attention.scale = 0.9f;
  check(config, true, false);
  config.attention.softcap = 0.8f;
  check(config, true, true);
}

TEST_CASE("encoder_layer: dropout of weights, hidden units and sublayers, forward and backward") {
  for (const bool norm_first : {false, true}) {
    TransformerLayerConfig config{{4, 2}, 6};
    config.attention.dropout = 0.3f, config.norm_first = norm_first;
    check(config, false, false, {true, 21, 3});
    check(config, true, false, {false, 21, 3});
  }
}

TEST_CASE("encoder_layer: (2, 10, 512), 8 heads, d_ff 2048: shapes and PyTorch's number of parameters") {
  Model model(TransformerLayerConfig{{512, 8}, 2048});
  const Input x({2, 10, 512}, 1), u({2, 10, 512}, 2);
  const View out = model.layer.forward(x.view(), {}, true, model.cache, {});
  REQUIRE(out.shape == Shape{2, 10, 512});
  CHECK(model.cache.at("layer.self_attn.weights").shape == Shape{2, 8, 10, 10});
  CHECK(model.cache.at("layer.self_attn.q").shape == Shape{2, 8, 10, 64});
  CHECK(model.cache.at("layer.linear1.out").shape == Shape{2, 10, 2048});
  for (const char* name : {"residual1", "norm1.out", "residual2", "norm2.out"}) {
    CHECK(model.cache.at(inside("layer", name)).shape == x.shape);
  }
  CHECK(model.parameters.size() == 3152384);  // as torch.nn.TransformerEncoderLayer(512, 8, 2048)
  CHECK(model.layer.backward(x.view(), u.view(), {}, model.cache).shape == x.shape);
  CHECK(all_finite(numbers(out)));
  CHECK(all_finite(model.parameters.gradients()));
}

TEST_CASE("encoder_layer: both forms of attention agree") {
  Model explained(TransformerLayerConfig{{32, 4}, 64}), tiled(TransformerLayerConfig{{32, 4}, 64});
  const Input x({2, 50, 32}, 1), u({2, 50, 32}, 2);
  const std::vector<float> a = explained.run(x.view(), causal(), true), b = tiled.run(x.view(), causal());
  CHECK(compare(a, widen(b)).absolute <= 1e-5);
  const std::vector<float> da = explained.back(x.view(), u.view(), causal()),
                           db = tiled.back(x.view(), u.view(), causal());
  CHECK(compare(da, widen(db)).absolute <= 1e-5 * (1 + max_abs(widen(db))));
}

TEST_CASE("encoder_layer: causal, a future token changes no bit of the past") {
  for (const bool norm_first : {false, true}) {
    for (const bool explain : {false, true}) {
      TransformerLayerConfig config{{16, 4}, 24};
      config.norm_first = norm_first;
      Model model(config);
      Input x({2, 40, 16}, 1), u({2, 40, 16}, 2);
      const std::vector<float> before = model.run(x.view(), causal(), explain);
      for (int64_t c = 0; c < 16; ++c) {
        x.values[static_cast<size_t>(30 * 16 + c)] = c % 2 ? 5 : NAN;  // of the first sequence
      }
      const std::vector<float> after = model.run(x.view(), causal(), explain);
      CHECK(same_bits({before.begin(), before.begin() + 30 * 16}, {after.begin(), after.begin() + 30 * 16}));
      CHECK(same_bits({before.begin() + 40 * 16, before.end()}, {after.begin() + 40 * 16, after.end()}));
      CHECK(std::isnan(after[39 * 16]));
    }
  }
}

TEST_CASE("encoder_layer: a sequence alone has the bits that it has in a batch, and a shorter one its own") {
  Model batch(TransformerLayerConfig{{24, 3}, 40}), alone(TransformerLayerConfig{{24, 3}, 40});
  const Input x({3, 7, 24}, 1), u({3, 7, 24}, 2);
  const std::vector<float> all = batch.run(x.view()), dall = batch.back(x.view(), u.view());
  for (int64_t b = 0; b < 3; ++b) {
    const auto first = b * 7 * 24, last = first + 7 * 24;
    CHECK(same_bits(alone.run(x.sequence(b)), {all.begin() + first, all.begin() + last}));
    const std::vector<float> dx = alone.back(x.sequence(b), u.sequence(b));
    CHECK(same_bits(dx, {dall.begin() + first, dall.begin() + last}));
  }
  // Padding after 4 tokens is no token.
  const std::vector<int32_t> lengths{4, 7, 7};
  AttentionOptions options;
  options.lengths = {lengths.data(), {3}};
  const std::vector<float> padded = batch.run(x.view(), options);
  const std::vector<float> shorter = alone.run({x.values.data(), {1, 4, 24}});
  CHECK(same_bits(shorter, {padded.begin(), padded.begin() + 4 * 24}));
}

TEST_CASE("encoder_layer: 100 steps, longest first, take no more memory than one") {
  TransformerLayerConfig config{{16, 2}, 32};
  config.attention.dropout = 0.1f;
  Model model(config);
  const Input x({2, 20, 16}, 1), u({2, 20, 16}, 2);
  check_memory(100, [&](uint64_t step) {
    const int64_t n = step == 0 ? 20 : 1 + static_cast<int64_t>(step * 7 % 20);
    const ConstView input(x.values.data(), {2, n, 16}), dout(u.values.data(), {2, n, 16});
    for (const bool training : {true, false}) {
      model.layer.forward(input, causal(), false, model.cache, {training, 1, step});
      model.layer.backward(input, dout, causal(), model.cache);
    }
  });
}

TEST_CASE("encoder_layer: the same call twice gives the same bits; inputs of a wrong shape are refused") {
  Model model(TransformerLayerConfig{{8, 2}, 12});
  const Input x({2, 5, 8}, 1), wrong({2, 5, 6}, 1), u({2, 5, 8}, 2);
  const std::vector<float> once = model.run(x.view());
  CHECK(same_bits(once, model.run(x.view())));
  CHECK_THROWS_AS(model.run(wrong.view()), ShapeError);
  model.run(x.view());
  CHECK_THROWS_AS(model.back(x.view(), wrong.view()), ShapeError);
}
