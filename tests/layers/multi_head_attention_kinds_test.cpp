// Norms of queries and keys, cosine attention, and a learned scale.
#include <cmath>

#include "base/errors.h"
#include "kernels/attention/cosine_attention.h"
#include "layers/multi_head_attention_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

MultiHeadAttentionConfig config_with(bool qk_norm, bool cosine, bool learned_scale) {
  MultiHeadAttentionConfig config{8, 2};
  config.qk_norm = qk_norm, config.cosine = cosine, config.learned_scale = learned_scale;
  return config;
}

}  // namespace

TEST_CASE(
    "multi_head_attention: norms of queries and keys agree with the reference, with their gains' gradients") {
  MultiHeadAttentionConfig config = config_with(true, false, false);
  check_both_kinds(config);
  config.norm_epsilon = 0.5f, config.rotary_base = 50, config.n_kv_heads = 1;
  check_both_kinds(config);
  config.rotary_pairs = RotaryPairs::kInterleaved, config.softcap = 0.9f;
  check_both_kinds(config);
}

TEST_CASE("multi_head_attention: a learned scale agrees with the reference, whatever its value") {
  const MultiHeadAttentionConfig config = config_with(false, false, true);
  for (const float scale : {0.7f, -0.3f, 1e-3f, 0.0f}) {
    CAPTURE(scale);
    check_both_kinds(config, scale);
  }
  check_both_kinds(config_with(true, false, true), 0.8f);
  check_both_kinds(config_with(false, true, true), 1.8f);
  check_both_kinds(config_with(false, true, true), 0.0f);
  MultiHeadAttentionConfig dropped = config;
  dropped.dropout = 0.3f, dropped.softcap = 1.1f;
  check_both_kinds(dropped, 0.9f, {true, 3, 1});
}

TEST_CASE("multi_head_attention: cosine attention agrees with the reference and with the kernel") {
  MultiHeadAttentionConfig config = config_with(false, true, false);
  check_both_kinds(config);
  config.scale = 5.0f, config.rotary_base = 50;
  check_both_kinds(config);

  config = config_with(false, true, false);
  config.scale = 3.0f;
  AttentionModel model(config);
  const Input x({2, 5, 8}, 1);
  model.attention.forward(x.view(), x.view(), x.view(), {}, true, model.cache, {});
  const Cache& cache = model.cache;
  const View q = cache.at("attn.q_split"), k = cache.at("attn.k_split"), v = cache.at("attn.v");
  Cache own;
  const View scores = own.make("scores", {2, 2, 5, 5}), weights = own.make("weights", {2, 2, 5, 5}),
             out = own.make("out", {2, 2, 5, 4});
  cosine_attention_forward(q, k, v, 3.0f, {}, scores, weights, out,
                           own.scratch(cosine_attention_scratch(q, k)));
  CHECK(compare(numbers(cache.at("attn.scores")), widen(numbers(scores))).absolute <= 2e-6);
  CHECK(compare(numbers(cache.at("attn.weights")), widen(numbers(weights))).absolute <= 1e-6);
  CHECK(compare(numbers(cache.at("attn.heads")), widen(numbers(out))).absolute <= 4e-6);
  for (int64_t i = 0; i < scores.shape.size(); ++i) {
    CHECK(std::fabs(cache.at("attn.scores").data[i]) <= 3.0001);
  }
}

TEST_CASE("multi_head_attention: cosine attention does not see how long queries and keys are") {
  const Input x({1, 6, 8}, 1);
  MultiHeadAttentionConfig config = config_with(false, true, false);
  config.bias = false;
  AttentionModel model(config);
  const std::vector<float> before = self_attention(model, x.view());
  const View w = model.parameters.value(model.parameters.find("attn.in_proj_weight"));
  for (int64_t i = 0; i < 8 * 8; ++i) w.data[i] = w.data[i] * 4;  // of q
  CHECK(compare(self_attention(model, x.view()), widen(before)).absolute <= 1e-6);
  for (int64_t i = 8 * 8; i < 2 * 8 * 8; ++i) w.data[i] = 0;  // no keys have a direction: all weigh the same
  self_attention(model, x.view(), true);
  for (int64_t j = 0; j < 6; ++j) CHECK(model.cache.at("attn.weights").data[5 * 6 + j] == 1 / 6.0f);
}

TEST_CASE(
    "multi_head_attention: a learned scale has the bits of that scale given, and gives way to the caller's") {
  AttentionModel learned(config_with(false, false, true)), fixed(config_with(false, false, false));
  const std::vector<float> values(learned.parameters.values().begin(), learned.parameters.values().end());
  std::copy(values.begin(), values.end() - 1, fixed.parameters.values().begin());
  const float scale = learned.scale().data[0];
  const Input x({2, 40, 8}, 1), u({2, 40, 8}, 2);
  AttentionOptions given = causal(), other = causal();
  given.scale = scale, other.scale = 0.25f;
  for (const bool explain : {true, false}) {
    const auto run = [&](AttentionModel& model, const AttentionOptions& options) {
      return numbers(
          model.attention.forward(x.view(), x.view(), x.view(), options, explain, model.cache, {}));
    };
    const auto back = [&](AttentionModel& model, const AttentionOptions& options) {
      model.parameters.clear_gradients();
      return numbers(model.attention.self_backward(u.view(), options, model.cache));
    };
    const int index = learned.parameters.find("attn.scale");
    CHECK(same_bits(run(learned, causal()), run(fixed, given)));
    CHECK(same_bits(back(learned, causal()), back(fixed, given)));
    CHECK(learned.parameters.gradient(index).data[0] != 0);
    CHECK(same_bits(run(learned, other), run(fixed, other)));
    CHECK(same_bits(back(learned, other), back(fixed, other)));
    CHECK(learned.parameters.gradient(index).data[0] == 0);
  }
}

TEST_CASE(
    "multi_head_attention: NaN where nothing is attended leaves the gradient of a learned scale as it is") {
  const std::vector<int32_t> lengths{3, 0};
  AttentionOptions options;
  options.lengths = {lengths.data(), {2}};
  for (const bool explain : {true, false}) {
    AttentionModel model(config_with(false, false, true));
    Input x({2, 5, 8}, 1), memory({2, 5, 8}, 2);
    const Input u({2, 5, 8}, 3);
    const auto gradient = [&] {
      model.parameters.clear_gradients();
      model.attention.forward(x.view(), memory.view(), memory.view(), options, explain, model.cache, {});
      model.attention.backward(u.view(), options, model.cache);
      return numbers(model.parameters.gradient(model.parameters.find("attn.scale")));
    };
    const std::vector<float> before = gradient();
    memory.values[4 * 8] = NAN;  // a padded key
    x.values[7 * 8] = NAN;       // a query without keys
    CHECK(same_bits(gradient(), before));
    CHECK(std::isfinite(before[0]));
  }
}

TEST_CASE("multi_head_attention: the names of gains and scale; no norm beside cosine attention") {
  const auto last = [](const MultiHeadAttentionConfig& config, size_t count) {
    return listed(AttentionModel(config).parameters.list().last(count));
  };
  CHECK(last(config_with(true, false, true), 3) ==
        "attn.q_norm.weight(4,) attn.k_norm.weight(4,) attn.scale(1,) ");
  CHECK(last(config_with(false, true, false), 1) == "attn.out_proj.bias(8,) ");
  CHECK_THROWS_AS(last(config_with(true, true, false), 1), ValueError);
}
