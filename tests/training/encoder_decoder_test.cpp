#include "training/encoder_decoder.h"

#include <doctest/doctest.h>

#include <cmath>
#include <utility>

#include "base/errors.h"
#include "layers/initialize.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "training/trainer.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

LanguageModelConfig config_of(Positions positions, bool scale_embedding) {
  LanguageModelConfig config = small_model();
  config.vocab = 7, config.context = 5, config.n_layers = 2;
  config.layer.attention.d_model = 8, config.layer.attention.n_heads = 2, config.layer.d_ff = 12;
  config.layer.feed_forward = FeedForwardKind::kGelu;  // no kinks
  config.positions = positions;
  config.scale_embedding = scale_embedding;
  return config;
}

struct Model {
  explicit Model(const LanguageModelConfig& config) : model(parameters, config) {
    parameters.allocate();
    initialize(parameters, {}, 4);
  }
  View forward(std::optional<float> scale = {}) {
    return model.forward({source.data(), {2, 5}}, {target.data(), {2, 4}}, scale, false, cache, mode);
  }
  // <u, logits>
  double loss(const std::vector<float>& u) {
    const View logits = forward();
    double sum = 0;
    for (size_t i = 0; i < u.size(); ++i) sum += static_cast<double>(u[i]) * logits.data[i];
    return sum;
  }
  Parameters parameters;
  Cache cache;
  EncoderDecoder model;
  Mode mode;
  std::vector<int32_t> source{1, 2, 3, 0, 6, 5, 5, 4, 1, 0}, target{6, 1, 2, 3, 6, 0, 0, 5};
};

}  // namespace

TEST_CASE("an encoder-decoder's gradients are those of its logits, for every parameter") {
  for (const Positions positions :
       {Positions::kLearned, Positions::kSinusoidal, Positions::kRotary, Positions::kNone}) {
    for (const bool scale_embedding : {false, true}) {
      LanguageModelConfig config = config_of(positions, scale_embedding);
      config.layer.attention.dropout = 0.2f;
      Model model(config);
      model.mode.training = positions == Positions::kLearned;
      Draws draws(3);
      const std::vector<float> u = draws.normals(2 * 4 * 7);
      model.loss(u);
      model.parameters.clear_gradients();
      model.model.backward({model.source.data(), {2, 5}}, {model.target.data(), {2, 4}},
                           {u.data(), {2, 4, 7}}, {}, model.cache);
      for (const Parameter& parameter : model.parameters.list()) {
        CAPTURE(parameter.name);
        const auto first = static_cast<size_t>(parameter.offset),
                   n = static_cast<size_t>(parameter.shape.size());
        const std::vector<float> direction = draws.normals(parameter.shape.size());
        const std::vector<float> values(model.parameters.values().begin(), model.parameters.values().end());
        double expected = 0, norm = 0;
        for (size_t i = 0; i < n; ++i) {
          expected += static_cast<double>(model.parameters.gradients()[first + i]) * direction[i];
          norm += std::fabs(static_cast<double>(model.parameters.gradients()[first + i]) * direction[i]);
        }
        const auto moved = [&](double step) {
          for (size_t i = 0; i < n; ++i) {
            model.parameters.values()[first + i] =
                static_cast<float>(values[first + i] + step * direction[i]);
          }
          const double loss = model.loss(u);
          std::copy(values.begin(), values.end(), model.parameters.values().begin());
          return loss;
        };
        constexpr double kStep = 4e-3;
        const double measured =
            (8 * (moved(kStep / 2) - moved(-kStep / 2)) - (moved(kStep) - moved(-kStep))) / (6 * kStep);
        CHECK(std::fabs(measured - expected) < 0.01 * norm + 3e-3);
      }
    }
  }
}

TEST_CASE("encoder and decoder see the whole source, and the decoder nothing of the target's future") {
  Model model(config_of(Positions::kLearned, false));
  const auto logits = [&] {
    const View out = model.forward();
    return std::vector<float>(out.data, out.data + 2 * 4 * 7);
  };
  const std::vector<float> before = logits();
  model.target[2] = 4;
  const std::vector<float> after = logits();
  CHECK(same_bits({before.begin(), before.begin() + 14}, {after.begin(), after.begin() + 14}));
  CHECK_FALSE(
      same_bits({before.begin() + 14, before.begin() + 21}, {after.begin() + 14, after.begin() + 21}));
  CHECK(same_bits({before.begin() + 28, before.end()}, {after.begin() + 28, after.end()}));
  model.target[2] = 2;
  const auto first_of_memory = [&] {
    const View memory = model.model.encode({model.source.data(), {2, 5}}, {}, false, model.cache, {});
    return std::vector<float>(memory.data, memory.data + 8);
  };
  const std::vector<float> memory = first_of_memory();
  for (size_t i = 0; i < 5; ++i) {
    const int32_t kept = std::exchange(model.source[i], (model.source[i] + 1) % 7);
    const std::vector<float> other = logits();
    CHECK_FALSE(same_bits({before.begin(), before.begin() + 7}, {other.begin(), other.begin() + 7}));
    CHECK_FALSE(same_bits(memory, first_of_memory()));
    model.source[i] = kept;
  }
}

TEST_CASE("a source that is encoded once can be decoded many times: the same bits as each time anew") {
  Model model(config_of(Positions::kLearned, false)), anew(config_of(Positions::kLearned, false));
  const IndexView source(model.source.data(), {2, 5});
  for (const std::optional<float> scale : {std::optional<float>(), std::optional<float>(0.3f)}) {
    const View memory = model.model.encode(source, scale, true, model.cache, {});
    for (const int64_t n : {1, 2, 4, 3}) {
      const IndexView target(model.target.data(), {2, n});
      const View got = model.model.decode(memory, target, scale, true, model.cache, {});
      const View expected = anew.model.forward(source, target, scale, true, anew.cache, {});
      CHECK(same_bits({got.data, got.data + got.shape.size()},
                      {expected.data, expected.data + expected.shape.size()}));
    }
  }
}

TEST_CASE("a scale replaces the config's in all three attentions") {
  Model model(config_of(Positions::kLearned, false));
  const auto logits = [&](std::optional<float> scale) {
    const View out = model.forward(scale);
    return std::vector<float>(out.data, out.data + 2 * 4 * 7);
  };
  CHECK(same_bits(logits({}), logits(0.5f)));  // 1/sqrt(4)
  LanguageModelConfig config = config_of(Positions::kLearned, false);
  config.layer.attention.scale = 2.0f;
  Model doubled(config);
  const View out = doubled.forward();
  CHECK(same_bits(logits(2.0f), {out.data, out.data + 2 * 4 * 7}));
  CHECK_FALSE(same_bits(logits(2.0f), logits({})));
}

TEST_CASE("an encoder-decoder's config is completed, and refused where it is invalid") {
  const LanguageModelConfig config = config_of(Positions::kRotary, false);
  const Model model(config);
  CHECK(model.model.config().layer.attention.d_head == 4);
  CHECK(model.model.config().layer.attention.n_kv_heads == 2);
  CHECK(model.model.config().layer.attention.rotary_base == 10000);
  const auto refused = [&](auto change) {
    LanguageModelConfig wrong = config;
    change(wrong);
    Parameters parameters;
    CHECK_THROWS_AS(EncoderDecoder(parameters, wrong), ValueError);
  };
  constexpr int64_t kHuge = int64_t{1} << 62;
  refused([](LanguageModelConfig& c) { c.n_layers = kHuge; });
  refused([](LanguageModelConfig& c) { c.vocab = 0; });
  refused([](LanguageModelConfig& c) { c.layer.attention.d_model = kHuge; });
  refused([](LanguageModelConfig& c) { c.layer.d_ff = kHuge; });
  refused([](LanguageModelConfig& c) { c.layer.attention.n_heads = 0; });
  refused([](LanguageModelConfig& c) { c.layer.attention.d_head = kHuge; });
  refused([](LanguageModelConfig& c) { c.layer.attention.n_kv_heads = kHuge; });
  refused(
      [](LanguageModelConfig& c) { c.positions = Positions::kNone, c.layer.attention.rotary_base = 100; });
}
