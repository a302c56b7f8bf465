// Whatever the figures of a layer show can be asked for by its name, and is what the formula says.
#include <cmath>

#include "layers/decoder_layer.h"
#include "layers/layer_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

const std::vector<std::string> kAttention{"q_proj.out", "k_proj.out", "v_proj.out",  "q",
                                          "k",          "v",          "scores",      "weights",
                                          "heads",      "concat",     "out_proj.out"};
const std::vector<std::string> kFeedForward{"linear1.out", "hidden", "linear2.out"};

std::vector<std::string> names(const std::vector<std::string>& attentions, int n_sublayers) {
  std::vector<std::string> all;
  for (const std::string& attention : attentions) {
    for (const std::string& name : kAttention) all.push_back(inside(inside("layer", attention), name));
  }
  for (const std::string& name : kFeedForward) all.push_back(inside("layer", name));
  for (int i = 1; i <= n_sublayers; ++i) {
    all.push_back("layer.residual" + std::to_string(i));
    all.push_back("layer.norm" + std::to_string(i) + ".out");
  }
  return all;
}

// What the cache holds under each name against what the reference saw; -inf where a key is masked.
void compare_all(const std::vector<std::string>& names, const Cache& cache, const Named& seen) {
  for (const std::string& name : names) {
    CAPTURE(name);
    REQUIRE(cache.has(name));
    REQUIRE(seen.count(name) == 1);
    const std::vector<float> got = numbers(cache.at(name));
    const std::vector<double>& exact = seen.at(name);
    REQUIRE(got.size() == exact.size());
    double largest = 1;
    for (const double x : exact) largest = std::isfinite(x) ? std::max(largest, std::fabs(x)) : largest;
    CHECK(compare(got, exact).absolute <= 64 * 0x1p-24 * largest);
  }
}

std::vector<TransformerLayerConfig> configs() {
  TransformerLayerConfig post{{6, 2}, 10}, pre{{8, 4}, 10};
  pre.norm_first = true, pre.feed_forward = FeedForwardKind::kGelu;
  pre.attention.n_kv_heads = 2, pre.attention.rotary_base = 100, pre.attention.qk_norm = true,
  pre.attention.learned_scale = true;
  return {post, pre};
}

Numbers duals(const std::vector<float>& x) { return {x.begin(), x.end()}; }

bool in_the_past(size_t, size_t i, size_t j) { return j <= i; }

}  // namespace

TEST_CASE("encoder_layer: every intermediate by its name") {
  for (const TransformerLayerConfig& config : configs()) {
    Parameters parameters;
    const EncoderLayer layer(parameters, "layer", config);
    draw(parameters, 5);
    const Input x({2, 5, config.attention.d_model}, 1);
    AttentionOptions options;
    options.causal = Causal::kTopLeft;
    Cache cache;
    layer.forward(x.view(), options, true, cache, {});

    Named seen;
    const std::vector<float> values(parameters.values().begin(), parameters.values().end());
    const Weights weights{parameters, duals(values), {}, &seen};
    const MultiHeadAttentionConfig attention = attention_of(config, config.attention.rotary_base);
    const Numbers attended = sublayer(weights, "layer", 1, config, duals(x.values), [&](const Numbers& y) {
      return reference::multi_head_attention(weights, "layer.self_attn", attention, 2, y, y, y, in_the_past);
    });
    sublayer(weights, "layer", 2, config, attended,
             [&](const Numbers& y) { return feed_forward(weights, "layer", config, y); });
    compare_all(names({"self_attn"}, 2), cache, seen);
  }
}

TEST_CASE("decoder_layer: every intermediate by its name") {
  for (const TransformerLayerConfig& config : configs()) {
    Parameters parameters;
    const DecoderLayer layer(parameters, "layer", config);
    draw(parameters, 5);
    const Input x({2, 4, config.attention.d_model}, 1), memory({2, 6, config.attention.d_model}, 2);
    Cache cache;
    layer.forward(x.view(), memory.view(), {}, true, cache, {});

    Named seen;
    const std::vector<float> values(parameters.values().begin(), parameters.values().end());
    const Weights weights{parameters, duals(values), {}, &seen};
    const MultiHeadAttentionConfig self = attention_of(config, config.attention.rotary_base),
                                   cross = attention_of(config, 0);
    const Numbers all = duals(memory.values);
    const Numbers first = sublayer(weights, "layer", 1, config, duals(x.values), [&](const Numbers& y) {
      return reference::multi_head_attention(weights, "layer.self_attn", self, 2, y, y, y, in_the_past);
    });
    const Numbers second = sublayer(weights, "layer", 2, config, first, [&](const Numbers& y) {
      return reference::multi_head_attention(weights, "layer.multihead_attn", cross, 2, y, all, all,
                                             [](size_t, size_t, size_t) { return true; });
    });
    sublayer(weights, "layer", 3, config, second,
             [&](const Numbers& y) { return feed_forward(weights, "layer", config, y); });
    compare_all(names({"self_attn", "multihead_attn"}, 3), cache, seen);
  }
}
