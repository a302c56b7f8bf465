// Multi-head attention with a scale for each head.
#include "base/errors.h"
#include "layers/multi_head_attention_case.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

const std::vector<float> kScales{0.5f, -1.25f, 0.0f, 2.0f};

MultiHeadAttentionConfig config_with(bool cosine, std::optional<float> scale = {}) {
  MultiHeadAttentionConfig config{8, 4};
  config.cosine = cosine, config.scale = scale;
  return config;
}

struct Run {
  std::vector<float> out, weights, dx, gradients;
};

Run run_of(const MultiHeadAttentionConfig& config, const AttentionOptions& options, bool explain) {
  AttentionModel model(config);
  const Input x({2, 9, 8}, 1), u({2, 9, 8}, 2);
  Run run;
  run.out = model.run(x.view(), x.view(), x.view(), options, explain);
  if (explain) run.weights = numbers(model.cache.at("attn.weights"));
  run.dx = numbers(model.attention.self_backward(u.view(), options, model.cache));
  run.gradients = {model.parameters.gradients().begin(), model.parameters.gradients().end()};
  return run;
}

bool same(const Run& a, const Run& b) {
  return same_bits(a.out, b.out) && same_bits(a.weights, b.weights) && same_bits(a.dx, b.dx) &&
         same_bits(a.gradients, b.gradients);
}

AttentionOptions with(const std::vector<float>& scales) {
  AttentionOptions options = causal();
  options.head_scales = scales;
  return options;
}

}  // namespace

TEST_CASE("multi_head_attention: scales of heads go before the config's, and equal ones are one scale") {
  const std::vector<float> equal(4, 0.3f);
  for (const bool explain : {true, false}) {
    for (const bool cosine : {false, true}) {
      const Run own = run_of(config_with(cosine), with(kScales), explain);
      CHECK(same(run_of(config_with(cosine, 7.0f), with(kScales), explain), own));
      CHECK_FALSE(same(run_of(config_with(cosine), causal(), explain), own));
      AttentionOptions one = causal();
      one.scale = 0.3f;
      CHECK(
          same(run_of(config_with(cosine), with(equal), explain), run_of(config_with(cosine), one, explain)));
    }
  }
}

TEST_CASE("multi_head_attention: each head's weights are those of its scale alone") {
  const Run each = run_of(config_with(false), with(kScales), true);
  for (size_t head = 0; head < 4; ++head) {
    AttentionOptions one = causal();
    one.scale = kScales[head];
    const Run alone = run_of(config_with(false), one, true);
    for (size_t b = 0; b < 2; ++b) {
      const auto begin = static_cast<std::ptrdiff_t>((b * 4 + head) * 81);
      const auto of = [&](const Run& run) {
        return std::vector<float>(run.weights.begin() + begin, run.weights.begin() + begin + 81);
      };
      CHECK(same_bits(of(each), of(alone)));
    }
  }
}

TEST_CASE("multi_head_attention: gradients with a scale for each head are those of the forward pass") {
  AttentionModel model(config_with(false));
  const AttentionOptions options = with(kScales);
  Input x({1, 6, 8}, 1);
  const Input u({1, 6, 8}, 2), direction({1, 6, 8}, 3);
  Input moved = x;  // which the cache looks at until the backward pass
  const auto value = [&](float step) {
    moved = x;
    for (size_t i = 0; i < moved.values.size(); ++i) moved.values[i] += step * direction.values[i];
    return dot(widen(model.run(moved.view(), moved.view(), moved.view(), options, false)), widen(u.values));
  };
  const double difference = (value(0.01f) - value(-0.01f)) / 0.02;
  value(0);
  const std::vector<float> dx = numbers(model.attention.self_backward(u.view(), options, model.cache));
  CHECK(dot(widen(dx), widen(direction.values)) == doctest::Approx(difference).epsilon(2e-3).scale(1));
}

TEST_CASE("multi_head_attention: a learned scale gives way to those of the call, and gets no gradient") {
  MultiHeadAttentionConfig config{8, 4};
  config.learned_scale = true;
  AttentionModel model(config);
  const Input x({1, 5, 8}, 1), u({1, 5, 8}, 2);
  model.run(x.view(), x.view(), x.view(), with(kScales), false);
  model.attention.self_backward(u.view(), with(kScales), model.cache);
  CHECK(model.parameters.gradient(model.parameters.find("attn.scale")).data[0] == 0);
}

TEST_CASE("multi_head_attention: there are as many scales as heads") {
  for (const bool cosine : {false, true}) {
    AttentionModel model(config_with(cosine));
    const Input x({1, 5, 8}, 1);
    for (const bool explain : {true, false}) {
      const auto run = [&] { model.run(x.view(), x.view(), x.view(), with({1, 2, 3, 4, 5}), explain); };
      CHECK(thrown_by<ShapeError>(run).argument == "scale");
    }
    KeyValueCache past(1, 1, 4, 8, 2);
    const std::vector<float> three{1, 2, 3};
    AttentionOptions options;
    options.head_scales = three;
    const auto cached = [&] {
      model.attention.forward_cached(x.view(), past.layer(0), options, model.cache);
    };
    CHECK(thrown_by<ShapeError>(cached).argument == "scale");
  }
}
