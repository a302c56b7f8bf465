#include "models/language_model.h"

#include <cmath>

#include "base/errors.h"
#include "models/language_model_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

Unmasked unmasked_of(const LanguageModelConfig& config, const std::vector<int32_t>& lengths) {
  const bool causal = config.causal;
  return [=](size_t b, size_t i, size_t j) {
    return (!causal || j <= i) && (lengths.empty() || j < static_cast<size_t>(lengths[b]));
  };
}

// The whole model of the parameters in double.
Numbers exact(const Weights& weights, const LanguageModelConfig& config, const Tokens& tokens,
              const Unmasked& unmasked) {
  const auto d = static_cast<size_t>(config.layer.attention.d_model),
             n = static_cast<size_t>(tokens.shape[1]);
  const Numbers table = weights("embedding.weight"), learned = weights("positions.weight");
  Numbers x;
  for (size_t at = 0; at < tokens.ids.size(); ++at) {
    for (size_t c = 0; c < d; ++c) {
      const size_t even = c - c % 2;
      const double angle = static_cast<double>(at % n) *
                           std::pow(10000.0, -static_cast<double>(even) / static_cast<double>(d));
      Dual y = table[static_cast<size_t>(tokens.ids[at]) * d + c];
      if (config.scale_embedding) y = y * Dual(std::sqrt(static_cast<double>(d)));
      if (config.positions == Positions::kLearned) y = y + learned[at % n * d + c];
      if (config.positions == Positions::kSinusoidal) y = y + Dual(c % 2 ? std::cos(angle) : std::sin(angle));
      x.push_back(y);
    }
  }
  weights.drop("dropout", x);
  const double base = config.positions == Positions::kRotary ? 10000 : 0;
  const MultiHeadAttentionConfig attention = attention_of(config.layer, base);
  for (int64_t i = 0; i < config.n_layers; ++i) {
    const std::string name = "layers." + std::to_string(i);
    x = sublayer(weights, name, 1, config.layer, x, [&](const Numbers& y) {
      return reference::multi_head_attention(weights, name + ".self_attn", attention,
                                             static_cast<size_t>(tokens.shape[0]), y, y, y, unmasked);
    });
    x = sublayer(weights, name, 2, config.layer, x,
                 [&](const Numbers& y) { return feed_forward(weights, name, config.layer, y); });
  }
  if (config.final_norm) {
    x = norm(x, weights("norm.weight"), weights("norm.bias"), config.layer.norm, config.layer.epsilon);
  }
  const auto n_out = static_cast<size_t>(config.n_out != 0 ? config.n_out : config.vocab);
  return linear(x, weights("head.weight"), weights("head.bias"), d, n_out);
}

void check(const LanguageModelConfig& config, bool explain, const Mode& mode = {},
           const std::vector<int32_t>& lengths = {}) {
  Model model(config);
  const Tokens tokens(2, 4, config.vocab);
  AttentionOptions options;
  if (!lengths.empty()) options.lengths = {lengths.data(), {2}};
  LayerResult got;
  got.out = numbers(model.model.forward(tokens.view(), options, explain, model.cache, mode));
  const Input u({2, 4, model.model.config().n_out}, 4);
  model.model.backward(tokens.view(), u.view(), options, model.cache);
  std::map<std::string, std::vector<double>> dropped;
  if (mode.training && config.layer.attention.dropout > 0) {
    const auto add = [&](const std::string& name, int64_t size) {
      dropped[name] = factors(name, size, config.layer.attention.dropout, mode);
    };
    add("dropout", 8 * config.layer.attention.d_model);
    add("layers.0.self_attn.weights", 2 * config.layer.attention.n_heads * 4 * 4);
    add("layers.0.dropout1", 8 * config.layer.attention.d_model),
        add("layers.0.dropout2", 8 * config.layer.attention.d_model);
    add("layers.0.dropout", 8 * config.layer.d_ff);
  }
  const Unmasked unmasked = unmasked_of(config, lengths);
  check_layer(
      model.parameters, {}, got, u.values,
      [&](const Weights& weights, const std::vector<Numbers>&) {
        return exact(weights, config, tokens, unmasked);
      },
      dropped);
}

}  // namespace

TEST_CASE("language_model agrees with the reference in double, with every parameter's gradient") {
  LanguageModelConfig config{5, 6, 1, {{4, 2}, 6}};
  config.layer.feed_forward = FeedForwardKind::kGelu;
  for (const bool tied : {true, false}) {
    for (const Positions positions : {Positions::kNone, Positions::kSinusoidal, Positions::kLearned}) {
      CAPTURE(tied);
      CAPTURE(static_cast<int>(positions));
      config.tied = tied, config.positions = positions;
      config.scale_embedding = positions == Positions::kSinusoidal;
      config.head_bias = positions == Positions::kLearned, config.final_norm = config.head_bias;
      check(config, tied);
    }
  }
}

TEST_CASE("language_model: two layers with rotary positions, RMS norm first, grouped heads, no bias") {
  LanguageModelConfig config{5, 6, 2, {{8, 4}, 6}};
  config.positions = Positions::kRotary;
  config.layer.norm_first = true, config.layer.norm = NormKind::kRms, config.layer.attention.bias = false;
  config.layer.attention.n_kv_heads = 2, config.layer.attention.scale = 0.9f,
  config.layer.attention.softcap = 2;
  check(config, false);
}

TEST_CASE("language_model: encoder-only with padding and an output of its own") {
  LanguageModelConfig config{5, 6, 1, {{4, 2}, 6}};
  config.causal = false, config.tied = false, config.n_out = 3, config.head_bias = true;
  check(config, false);
  check(config, true, {}, {3, 4});
  check(config, false, {}, {1, 2});
}

TEST_CASE("language_model: dropout after the positions and in the layers") {
  LanguageModelConfig config{5, 6, 1, {{4, 2}, 6}};
  config.layer.attention.dropout = 0.3f, config.positions = Positions::kLearned,
  config.scale_embedding = true;
  check(config, false, {true, 21, 3});
  check(config, true, {false, 21, 3});
}

TEST_CASE("language_model: a tied gradient is the sum of the embedding's and the head's") {
  LanguageModelConfig config{7, 9, 1, {{8, 2}, 12}};
  Model tied(config);
  config.tied = false;
  Model separate(config);
  for (const Parameter& parameter : separate.parameters.list()) {
    const View from = tied.parameters.value(tied.parameters.find(parameter.name));
    std::copy_n(from.data, from.shape.size(),
                separate.parameters.value(separate.parameters.find(parameter.name)).data);
  }
  CHECK(tied.parameters.find("head.weight") == tied.parameters.find("embedding.weight"));
  CHECK(tied.parameters.list().size() + 1 == separate.parameters.list().size());
  const Tokens tokens(2, 9, 7);
  const Input u({2, 9, 7}, 4);
  for (Model* model : {&tied, &separate}) {
    model->forward(tokens);
    model->model.backward(tokens.view(), u.view(), {}, model->cache);
  }
  const auto gradient = [](Model& model, const char* name) {
    return numbers(model.parameters.gradient(model.parameters.find(name)));
  };
  std::vector<double> sum = widen(gradient(separate, "embedding.weight"));
  const std::vector<float> head = gradient(separate, "head.weight");
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += head[i];
  CHECK(compare(gradient(tied, "embedding.weight"), sum).absolute <= 1e-5 * (1 + max_abs(sum)));
  CHECK(max_abs(widen(head)) > 0.1);
}

TEST_CASE("language_model: names, and what is left to read") {
  LanguageModelConfig config{7, 9, 2, {{8, 2}, 12}};
  config.positions = Positions::kLearned, config.head_bias = true;
  Model model(config, "gpt");
  for (const char* name : {"gpt.embedding.weight", "gpt.positions.weight", "gpt.norm.bias", "gpt.head.weight",
                           "gpt.layers.1.self_attn.in_proj_weight", "gpt.head.bias"}) {
    CAPTURE(name);
    CHECK(model.parameters.find(name) >= 0);
  }
  CHECK(model.parameters.shape(model.parameters.find("gpt.positions.weight")) == Shape{9, 8});
  const Tokens tokens(2, 5, 7);
  CHECK(model.model.forward(tokens.view(), {}, true, model.cache, {}).shape == Shape{2, 5, 7});
  CHECK(model.cache.at("gpt.x").shape == Shape{2, 5, 8});
  CHECK(model.cache.at("gpt.layers.1.self_attn.weights").shape == Shape{2, 2, 5, 5});
  CHECK(model.model.config().n_out == 7);
  CHECK(model.model.config().layer.attention.n_kv_heads == 2);
  CHECK(model.model.config().layer.attention.d_head == 4);
}

TEST_CASE("language_model: invalid configurations are refused") {
  const LanguageModelConfig good{5, 6, 1, {{4, 2}, 6}};
  const auto refused = [&](auto change) {
    LanguageModelConfig config = good;
    change(config);
    Parameters parameters;
    CHECK_THROWS_AS(LanguageModel(parameters, "", config), ValueError);
  };
  for (const int64_t size : {int64_t{0}, int64_t{-1}, int64_t{1} << 40}) {
    refused([&](auto& c) { c.vocab = size; });
    refused([&](auto& c) { c.context = size; });
    refused([&](auto& c) { c.n_layers = size; });
    refused([&](auto& c) { c.layer.attention.d_model = size; });
    refused([&](auto& c) { c.layer.attention.n_heads = size; });
    refused([&](auto& c) { c.layer.d_ff = size; });
  }
  refused([](auto& c) { c.n_out = -1, c.tied = false; });
  refused([](auto& c) { c.n_out = 3; });  // tied
  refused([](auto& c) { c.layer.attention.n_heads = 3; });
  refused([](auto& c) { c.layer.attention.n_kv_heads = 3; });
  refused([](auto& c) { c.layer.attention.rotary_base = 10000; });  // without rotary positions
  refused([](auto& c) { c.positions = Positions::kRotary, c.layer.attention.rotary_base = 0.5; });
  refused(
      [](auto& c) { c.positions = Positions::kRotary, c.layer.attention.n_heads = 4; });  // heads of size 1
  refused([](auto& c) { c.layer.attention.dropout = 1; });
}

TEST_CASE("language_model: ids and gradients of a wrong shape, and ids that are no token") {
  Model model({5, 6, 1, {{4, 2}, 6}});
  CHECK_THROWS_AS(model.forward(Tokens(1, 7, 5)), ValueError);
  Tokens tokens(1, 4, 5);
  tokens.shape = {4};
  CHECK_THROWS_AS(model.forward(tokens), ShapeError);
  tokens.shape = {1, 4};
  model.forward(tokens);
  const Input u({1, 4, 6}, 1);
  CHECK_THROWS_AS(model.model.backward(tokens.view(), u.view(), {}, model.cache), ShapeError);
  for (const int32_t id : {-1, 5}) {
    tokens.ids[2] = id;
    CHECK_THROWS_AS(model.forward(tokens), ValueError);
  }
  CHECK(model.forward(Tokens(0, 4, 5)).empty());
  CHECK(model.forward(Tokens(2, 0, 5)).empty());
}

TEST_CASE("language_model: a sequence alone has the bits that it has in a batch; the future changes none") {
  for (const bool causal : {true, false}) {
    LanguageModelConfig config{11, 20, 2, {{16, 4}, 24}};
    config.causal = causal;
    Model model(config);
    Tokens tokens(3, 13, 11);
    const std::vector<float> all = model.forward(tokens);
    const int64_t size = 13 * 11;
    for (int64_t b = 0; b < 3; ++b) {
      Tokens alone(1, 13, 11);
      std::copy_n(tokens.ids.begin() + b * 13, 13, alone.ids.begin());
      CHECK(same_bits(model.forward(alone), {all.begin() + b * size, all.begin() + (b + 1) * size}));
    }
    for (size_t i = 8; i < 13; ++i) tokens.ids[i] = (tokens.ids[i] + 1) % 11;  // of the first sequence
    const std::vector<float> after = model.forward(tokens);
    CHECK(causal == same_bits({all.begin(), all.begin() + 8 * 11}, {after.begin(), after.begin() + 8 * 11}));
    CHECK(same_bits({all.begin() + size, all.end()}, {after.begin() + size, after.end()}));
  }
}

TEST_CASE("language_model: 50 training steps take no more memory than one") {
  LanguageModelConfig config{11, 20, 2, {{16, 4}, 24}};
  config.layer.attention.dropout = 0.1f;
  Model model(config);
  const Tokens tokens(3, 13, 11);
  const Input u({3, 13, 11}, 4);
  check_memory(50, [&](uint64_t step) {
    model.model.forward(tokens.view(), {}, false, model.cache, {true, 1, step});
    model.model.backward(tokens.view(), u.view(), {}, model.cache);
  });
  CHECK(all_finite(model.parameters.gradients()));
}
