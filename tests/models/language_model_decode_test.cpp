// decode with a key/value cache against forward: the same bits.
#include <cmath>

#include "base/errors.h"
#include "models/language_model_case.h"
#include "reference/allocations.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

// One of each kind of position, norm, network and head.
std::vector<LanguageModelConfig> configs() {
  LanguageModelConfig plain{11, 40, 2, {{16, 4}, 24}};
  plain.layer.attention.softcap = 3;
  LanguageModelConfig gpt{13, 40, 3, {{12, 3}, 48}};
  gpt.positions = Positions::kLearned, gpt.tied = false, gpt.head_bias = true, gpt.scale_embedding = true;
  gpt.layer.norm_first = true, gpt.layer.feed_forward = FeedForwardKind::kGeluTanh;
  LanguageModelConfig llama{11, 40, 2, {{32, 4}, 20}};
  llama.positions = Positions::kRotary;
  llama.layer.norm_first = true, llama.layer.norm = NormKind::kRms, llama.layer.attention.bias = false;
  llama.layer.feed_forward = FeedForwardKind::kSwiglu, llama.layer.attention.n_kv_heads = 2;
  llama.layer.attention.rotary_pairs = RotaryPairs::kInterleaved;
  LanguageModelConfig halves = llama;
  halves.layer.attention.rotary_pairs = RotaryPairs::kHalves, halves.layer.attention.d_head = 6,
  halves.layer.attention.n_kv_heads = 1;
  LanguageModelConfig none{5, 40, 1, {{7, 7}, 3}};
  none.positions = Positions::kNone, none.final_norm = false;
  LanguageModelConfig qk_normalized = llama, cosine = gpt;
  qk_normalized.layer.attention.qk_norm = true;
  cosine.layer.attention.cosine = true, cosine.layer.attention.learned_scale = true;
  return {plain, gpt, llama, halves, none, qk_normalized, cosine};
}

// Decodes steps.size() pieces and compares the logits after each with forward's of the whole.
void check(Model& model, const Tokens& tokens, const std::vector<int64_t>& steps,
           const AttentionOptions& options = {}) {
  const int64_t batch = tokens.shape[0], n = tokens.shape[1], n_out = model.model.config().n_out;
  const std::vector<float> all = model.forward(tokens, options);
  KeyValueCache past = model.model.make_cache(batch);
  for (const int64_t step : steps) {
    const int64_t first = past.length();
    const std::vector<float> logits = model.decode(tokens.part(first, step), past, options);
    REQUIRE(past.length() == first + step);
    REQUIRE(logits.size() == static_cast<size_t>(batch * n_out));
    for (int64_t b = 0; b < batch; ++b) {
      CAPTURE(first);
      const auto at = all.begin() + (b * n + first + step - 1) * n_out;
      REQUIRE(same_bits({logits.begin() + b * n_out, logits.begin() + (b + 1) * n_out}, {at, at + n_out}));
    }
  }
}

}  // namespace

TEST_CASE("language_model: so it is with weights of fewer bits, which change the logits a little") {
  for (const LanguageModelConfig& config : configs()) {
    Model model(config);
    const Tokens tokens(2, 9, config.vocab);
    const std::vector<float> exact = model.forward(tokens);
    for (const WeightFormat format : {WeightFormat::kBf16, WeightFormat::kInt8}) {
      model.parameters.pack(format);
      check(model, tokens, {4, 1, 1, 3});
      const std::vector<float> logits = model.forward(tokens);
      double error = 0, largest = 0;
      for (size_t i = 0; i < logits.size(); ++i) {
        error = std::max(error, std::fabs(static_cast<double>(logits[i]) - exact[i]));
        largest = std::max(largest, std::fabs(static_cast<double>(exact[i])));
      }
      CHECK(error > 0);
      CHECK(error < 0.1 * largest);
    }
  }
}

TEST_CASE("language_model: decoded token by token, every position has forward's bits") {
  for (const LanguageModelConfig& config : configs()) {
    for (const int64_t batch : {1, 3}) {
      Model model(config);
      CAPTURE(config.layer.attention.d_model);
      check(model, Tokens(batch, 40, config.vocab), std::vector<int64_t>(40, 1));
      const std::vector<float> unpacked = model.forward(Tokens(batch, 40, config.vocab));
      model.parameters.pack();
      check(model, Tokens(batch, 40, config.vocab), std::vector<int64_t>(40, 1));
      CHECK(same_bits(model.forward(Tokens(batch, 40, config.vocab)), unpacked));
    }
  }
}

TEST_CASE("language_model: prompts of every length and several tokens at a time") {
  for (const LanguageModelConfig& config : configs()) {
    Model model(config);
    CAPTURE(config.layer.attention.d_model);
    for (int64_t prompt = 1; prompt <= 40; prompt += 3) {
      std::vector<int64_t> steps{prompt};
      for (int64_t left = 40 - prompt, step = 1; left > 0; left -= step, step = std::min(step + 2, left)) {
        steps.push_back(step);
      }
      check(model, Tokens(prompt % 2 + 1, 40, config.vocab), steps);
    }
  }
}

TEST_CASE("language_model: decode at another scale and softcap than the config's") {
  Model model(configs()[2]);
  const Tokens tokens(2, 12, 11);
  AttentionOptions options;
  const std::vector<float> usual = model.forward(tokens);
  for (const float scale : {1.0f, 0.125f, 0.0f, -0.5f}) {
    options.scale = scale, options.softcap = scale == 1 ? 2.0f : 0.0f;
    check(model, tokens, {4, 1, 7}, options);
    CHECK_FALSE(same_bits(usual, model.forward(tokens, options)));
  }
  options = {};
  options.scale = 1 / std::sqrt(8.0f);
  CHECK(same_bits(usual, model.forward(tokens, options)));
}

TEST_CASE("language_model: one cache and one model for several sequences, in turn and after clear") {
  Model model(configs()[1]);
  const Tokens a(1, 20, 13, 1), b(2, 15, 13, 2);
  const std::vector<float> all_a = model.forward(a), all_b = model.forward(b);
  KeyValueCache past_a = model.model.make_cache(1), past_b = model.model.make_cache(2, 15);
  for (int turn = 0; turn < 2; ++turn) {
    for (int64_t i = 0; i < 15; ++i) {
      const std::vector<float> of_a = model.decode(a.part(i, 1), past_a);
      const std::vector<float> of_b = model.decode(b.part(i, 1), past_b);
      REQUIRE(same_bits(of_a, {all_a.begin() + i * 13, all_a.begin() + (i + 1) * 13}));
      REQUIRE(same_bits({of_b.begin() + 13, of_b.end()},
                        {all_b.begin() + 15 * 13 + i * 13, all_b.begin() + 15 * 13 + (i + 1) * 13}));
    }
    past_a.clear(), past_b.clear();
  }
}

TEST_CASE("language_model: a decode that is refused appends nothing") {
  Model model(configs()[0]);
  const Tokens tokens(2, 40, 11);
  const std::vector<float> all = model.forward(tokens);
  KeyValueCache past = model.model.make_cache(2, 6), other = model.model.make_cache(1);
  model.decode(tokens.part(0, 4), past);
  Tokens wrong = tokens.part(4, 2);
  CHECK_THROWS_AS(model.decode(tokens.part(4, 3), past), ValueError);  // beyond the capacity
  CHECK_THROWS_AS(model.decode(tokens.part(4, 0), past), ValueError);
  CHECK_THROWS_AS(model.decode(wrong, other), ValueError);  // another batch
  wrong.ids[1] = 11;
  CHECK_THROWS_AS(model.decode(wrong, past), ValueError);
  wrong = tokens.part(4, 2), wrong.shape = {4};
  CHECK_THROWS_AS(model.decode(wrong, past), ShapeError);
  AttentionOptions masked;
  const std::vector<int32_t> lengths{5, 6};
  masked.lengths = {lengths.data(), {2}};
  CHECK_THROWS_AS(model.decode(tokens.part(4, 2), past, masked), ValueError);
  CHECK(past.length() == 4);
  const std::vector<float> logits = model.decode(tokens.part(4, 2), past);
  CHECK(same_bits({logits.begin(), logits.begin() + 11}, {all.begin() + 5 * 11, all.begin() + 6 * 11}));
  CHECK(past.length() == 6);

  KeyValueCache whole = model.model.make_cache(2), wide(2, 2, 4, 50, 4), deep(3, 2, 4, 40, 4);
  model.decode(tokens, whole);
  CHECK_THROWS_AS(model.decode(tokens.part(0, 1), whole), ValueError);  // beyond the context
  model.decode(tokens, wide);
  CHECK_THROWS_AS(model.decode(tokens.part(0, 1), wide), ValueError);
  CHECK_THROWS_AS(model.decode(tokens.part(0, 1), deep), ValueError);  // of another model
  Model rotary(configs()[2]);  // which has a context without a table of positions
  KeyValueCache roomy(2, 2, 2, 50, 8);
  rotary.decode(tokens, roomy);
  CHECK_THROWS_AS(rotary.decode(tokens.part(0, 1), roomy), ValueError);
  LanguageModelConfig encoder = configs()[0];
  encoder.causal = false;
  Model both_ways(encoder);
  CHECK_THROWS_AS(both_ways.decode(tokens.part(0, 1), wide), ValueError);
  CHECK_THROWS_AS(model.model.make_cache(0), ValueError);
  CHECK_THROWS_AS(model.model.make_cache(1, -1), ValueError);
}

TEST_CASE("language_model: decode takes no memory per token") {
  for (const LanguageModelConfig& config : configs()) {
    Model model(config);
    CAPTURE(config.layer.attention.d_model);
    const Tokens tokens(1, 40, config.vocab);
    KeyValueCache past = model.model.make_cache(1);
    model.parameters.pack();
    model.model.decode({tokens.ids.data(), {1, 1}}, {}, past, model.cache);
    const PeakMemory memory;
    for (int64_t i = 1; i < 40; ++i) {
      model.model.decode({tokens.ids.data() + i, {1, 1}}, {}, past, model.cache);
    }
    CHECK(memory.bytes() == 0);
  }
}
