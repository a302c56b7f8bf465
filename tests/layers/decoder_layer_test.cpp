#include "layers/decoder_layer.h"

#include <cmath>

#include "base/errors.h"
#include "layers/layer_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

struct Model {
  explicit Model(const TransformerLayerConfig& config) : layer(parameters, "layer", config) {
    draw(parameters, 5);
  }
  std::vector<float> run(ConstView x, ConstView memory, const DecoderOptions& options = {},
                         bool explain = false, const Mode& mode = {}) {
    return numbers(layer.forward(x, memory, options, explain, cache, mode));
  }
  Parameters parameters;
  Cache cache;
  DecoderLayer layer;
};

void check(const TransformerLayerConfig& config, bool explain, const Mode& mode = {}) {
  Model model(config);
  const int64_t n = 3, n_memory = 2;
  const std::vector<Input> inputs{{{2, n, config.attention.d_model}, 1},
                                  {{2, n_memory, config.attention.d_model}, 2}};
  const Input u(inputs[0].shape, 4);
  LayerResult got;
  got.out = model.run(inputs[0].view(), inputs[1].view(), {}, explain, mode);
  const auto [dx, dmemory] = model.layer.backward(inputs[0].view(), u.view(), {}, model.cache);
  got.dinputs = {numbers(dx), numbers(dmemory)};
  std::map<std::string, std::vector<double>> dropped;
  if (mode.training && config.attention.dropout > 0) {
    const auto add = [&](const std::string& name, int64_t size) {
      dropped[name] = factors(name, size, config.attention.dropout, mode);
    };
    add("layer.self_attn.weights", 2 * config.attention.n_heads * n * n);
    add("layer.multihead_attn.weights", 2 * config.attention.n_heads * n * n_memory);
    for (const char* name : {"layer.dropout1", "layer.dropout2", "layer.dropout3"}) add(name, u.shape.size());
    add("layer.dropout", 2 * n * config.d_ff);
  }
  const MultiHeadAttentionConfig self = attention_of(config, config.attention.rotary_base),
                                 cross = attention_of(config, 0);
  check_layer(
      model.parameters, inputs, got, u.values,
      [&](const Weights& weights, const std::vector<Numbers>& x) {
        const Numbers seen = sublayer(weights, "layer", 1, config, x[0], [&](const Numbers& y) {
          return reference::multi_head_attention(weights, "layer.self_attn", self, 2, y, y, y,
                                                 [](size_t, size_t i, size_t j) { return j <= i; });
        });
        const Numbers informed = sublayer(weights, "layer", 2, config, seen, [&](const Numbers& y) {
          return reference::multi_head_attention(weights, "layer.multihead_attn", cross, 2, y, x[1], x[1],
                                                 [](size_t, size_t, size_t) { return true; });
        });
        return sublayer(weights, "layer", 3, config, informed,
                        [&](const Numbers& y) { return feed_forward(weights, "layer", config, y); });
      },
      dropped);
}

}  // namespace

TEST_CASE("decoder_layer agrees with the reference in double, with its gradients") {
  for (const bool norm_first : {false, true}) {
    for (const bool explain : {false, true}) {
      CAPTURE(norm_first);
      CAPTURE(explain);
      TransformerLayerConfig config{{4, 2}, 6};
      config.norm_first = norm_first;
      if (explain) config.feed_forward = FeedForwardKind::kGelu;
      check(config, explain);
    }
  }
}

TEST_CASE("decoder_layer: rotary positions in self-attention alone, grouped heads") {
  TransformerLayerConfig config{{8, 4}, 6};
  config.norm_first = true, config.attention.rotary_base = 100, config.attention.n_kv_heads = 2;
  check(config, false);
}

TEST_CASE("decoder_layer: dropout, forward and backward") {
  TransformerLayerConfig config{{4, 2}, 6};
  config.attention.dropout = 0.3f;
  check(config, false, {true, 8, 1});
  config.norm_first = true;
  check(config, true, {true, 8, 2});
}

TEST_CASE("decoder_layer: (2, 8, 512) over a memory of (2, 10, 512): shapes, and finite numbers") {
  Model model({{512, 8}, 2048});
  const Input x({2, 8, 512}, 1), memory({2, 10, 512}, 2), u({2, 8, 512}, 3);
  const View out = model.layer.forward(x.view(), memory.view(), {}, true, model.cache, {});
  REQUIRE(out.shape == x.shape);
  CHECK(model.cache.at("layer.self_attn.weights").shape == Shape{2, 8, 8, 8});
  CHECK(model.cache.at("layer.multihead_attn.weights").shape == Shape{2, 8, 8, 10});
  const auto [dx, dmemory] = model.layer.backward(x.view(), u.view(), {}, model.cache);
  CHECK(dx.shape == x.shape);
  CHECK(dmemory.shape == memory.shape);
  CHECK(all_finite(numbers(out)));
  CHECK(all_finite(model.parameters.gradients()));
}

TEST_CASE("decoder_layer: a future token changes no bit of the past; all of memory reaches the first") {
  Model model({{16, 4}, 24});
  Input x({1, 36, 16}, 1), memory({1, 9, 16}, 2);
  const std::vector<float> before = model.run(x.view(), memory.view());
  for (size_t i = 20 * 16; i < x.values.size(); ++i) x.values[i] = NAN;
  const std::vector<float> after = model.run(x.view(), memory.view());
  CHECK(same_bits({before.begin(), before.begin() + 20 * 16}, {after.begin(), after.begin() + 20 * 16}));
  CHECK(std::isnan(after[20 * 16]));
  for (size_t token = 0; token < 9; ++token) {
    Input changed = memory;
    changed.values[token * 16] += 1;
    CHECK_FALSE(same_bits({model.run(x.view(), changed.view()).front()}, {after.front()}));
  }
  DecoderOptions open;
  open.self.causal = Causal::kNo;
  CHECK(std::isnan(model.run(x.view(), memory.view(), open).front()));
}

TEST_CASE("decoder_layer: a sequence alone has the bits that it has in a batch") {
  Model batch({{24, 3}, 40}), alone({{24, 3}, 40});
  const Input x({3, 7, 24}, 1), memory({3, 5, 24}, 2), u({3, 7, 24}, 3);
  const std::vector<float> all = batch.run(x.view(), memory.view());
  const auto [dx, dmemory] = batch.layer.backward(x.view(), u.view(), {}, batch.cache);
  for (int64_t b = 0; b < 3; ++b) {
    const std::vector<float> one = alone.run(x.sequence(b), memory.sequence(b));
    CHECK(same_bits(one, {all.begin() + b * 168, all.begin() + (b + 1) * 168}));
    const auto [dx_one, dmemory_one] = alone.layer.backward(x.sequence(b), u.sequence(b), {}, alone.cache);
    CHECK(same_bits(numbers(dx_one), {dx.data + b * 168, dx.data + (b + 1) * 168}));
    CHECK(same_bits(numbers(dmemory_one), {dmemory.data + b * 120, dmemory.data + (b + 1) * 120}));
  }
}

TEST_CASE("decoder_layer: 100 steps take no more memory than one") {
  Model model({{16, 2}, 32});
  const Input x({2, 12, 16}, 1), memory({2, 9, 16}, 2), u({2, 12, 16}, 3);
  check_memory(100, [&](uint64_t) {
    model.layer.forward(x.view(), memory.view(), {}, false, model.cache, {});
    model.layer.backward(x.view(), u.view(), {}, model.cache);
  });
}

TEST_CASE("decoder_layer: a memory of another batch or width is refused") {
  Model model({{8, 2}, 12});
  const Input x({2, 5, 8}, 1), batch({3, 5, 8}, 1), width({2, 5, 6}, 1);
  CHECK_THROWS_AS(model.run(x.view(), batch.view()), ShapeError);
  CHECK_THROWS_AS(model.run(x.view(), width.view()), ShapeError);
}
