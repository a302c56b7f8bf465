#include "models/generate.h"

#include <cmath>

#include "base/errors.h"
#include "models/language_model_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

using Ids = std::vector<int32_t>;

LanguageModelConfig config() {
  LanguageModelConfig config{11, 20, 2, {{16, 4}, 24}};
  config.layer.norm_first = true, config.tied = false;
  return config;
}

// The likeliest token after `ids`, by a whole forward pass.
int32_t next(Model& model, const Ids& ids, const AttentionOptions& options = {}) {
  Tokens tokens(1, 0, 1);
  tokens.ids = ids, tokens.shape = {1, static_cast<int64_t>(ids.size())};
  const std::vector<float> logits = model.forward(tokens, options);
  return static_cast<int32_t>(std::max_element(logits.end() - 11, logits.end()) - (logits.end() - 11));
}

}  // namespace

TEST_CASE("generate: greedy is the likeliest token after the whole text so far, at any scale") {
  Model model(config());
  KeyValueCache past = model.model.make_cache(1);
  std::vector<Ids> all;
  for (const std::optional<float> scale : {std::optional<float>(), {3.0f}, {0.0f}}) {
    GenerateOptions options{14};
    options.attention.scale = scale;
    past.clear();
    const Ids prompt{3, 1, 4, 1};
    const Ids made = generate_greedy(model.model, prompt, options, past, model.cache);
    REQUIRE(made.size() == 14);
    Ids text = prompt;
    for (const int32_t id : made) {
      CHECK(id == next(model, text, options.attention));
      text.push_back(id);
    }
    CHECK(past.length() == 17);  // all but the last
    all.push_back(made);
  }
  CHECK(all[0] != all[1]);
}

TEST_CASE("generate: goes on where the past ends, stops at a token, and tells of each") {
  Model model(config());
  KeyValueCache past = model.model.make_cache(1);
  const Ids prompt{3, 1, 4};
  const Ids whole = generate_greedy(model.model, prompt, {12}, past, model.cache);
  past.clear();
  Ids parts = generate_greedy(model.model, prompt, {5}, past, model.cache);
  const Ids more = generate_greedy(model.model, std::span(&parts.back(), 1), {7}, past, model.cache);
  parts.insert(parts.end(), more.begin(), more.end());
  CHECK(parts == whole);

  const auto stop = std::find(whole.begin() + 1, whole.end(), whole.back());
  Ids told;
  GenerateOptions options{12};
  options.stop = *stop;
  options.on_token = [&](int32_t id) { told.push_back(id); };
  past.clear();
  const Ids stopped = generate_greedy(model.model, prompt, options, past, model.cache);
  CHECK(stopped == Ids(whole.begin(), std::find(whole.begin(), whole.end(), *stop)));
  CHECK(told == stopped);
}

TEST_CASE("generate: what has no room is refused before anything is decoded") {
  Model model(config());
  KeyValueCache past = model.model.make_cache(1, 10);
  const Ids prompt{3, 1, 4};
  CHECK_THROWS_AS(generate_greedy(model.model, {}, {3}, past, model.cache), ValueError);
  CHECK_THROWS_AS(generate_greedy(model.model, prompt, {-1}, past, model.cache), ValueError);
  CHECK_THROWS_AS(generate_greedy(model.model, prompt, {9}, past, model.cache), ValueError);
  CHECK_THROWS_AS(generate_greedy(model.model, Ids(11, 1), {1}, past, model.cache), ValueError);
  CHECK(past.length() == 0);
  CHECK(generate_greedy(model.model, prompt, {0}, past, model.cache).empty());
  CHECK(generate_greedy(model.model, prompt, {8}, past, model.cache).size() == 8);
  CHECK(past.length() == 10);
}

TEST_CASE("generate: the negative log-likelihood is that of softmax, token by token") {
  Model model(config());
  const Tokens tokens(1, 21, 11);
  for (const float scale : {0.5f, 1.0f}) {
    AttentionOptions options;
    options.scale = scale;
    const Likelihood got = negative_log_likelihood(model.model, tokens.ids, options, model.cache);
    const std::vector<float> logits = model.forward(tokens.part(0, 20), options);
    REQUIRE(got.losses.size() == 20);
    double mean = 0;
    for (size_t i = 0; i < 20; ++i) {
      double sum = 0;
      for (size_t j = 0; j < 11; ++j) sum += std::exp(static_cast<double>(logits[i * 11 + j]));
      const double loss = std::log(sum) - logits[i * 11 + static_cast<size_t>(tokens.ids[i + 1])];
      CHECK(std::fabs(got.losses[i] - loss) <= 2e-6 * (1 + loss));
      mean += loss / 20;
    }
    CHECK(std::fabs(got.mean - mean) <= 1e-6 * mean);
  }
  CHECK_THROWS_AS(negative_log_likelihood(model.model, Ids{1}, {}, model.cache), ValueError);
  CHECK_THROWS_AS(negative_log_likelihood(model.model, Ids(22, 1), {}, model.cache), ValueError);
  CHECK_THROWS_AS(negative_log_likelihood(model.model, Ids{1, 11}, {}, model.cache), ValueError);
  CHECK_THROWS_AS(negative_log_likelihood(model.model, Ids{1, -1}, {}, model.cache), ValueError);
}
