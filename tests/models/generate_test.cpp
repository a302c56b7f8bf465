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
    const Ids made = generate(model.model, prompt, options, past, model.cache);
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

TEST_CASE("generate: logits that are no numbers are an error, not a token") {
  Model model(config());
  KeyValueCache past = model.model.make_cache(1);
  GenerateOptions options{3};
  options.attention.scale = 1e38f;
  bool any = false;
  options.on_token = [&](int32_t) { any = true; };
  try {
    generate(model.model, Ids{3, 1, 4, 1}, options, past, model.cache);
    FAIL("made tokens");
  } catch (const ValueError& error) {
    CHECK(error.code == ErrorCode::kNotFinite);
    CHECK(error.op == "generate");
    CHECK(error.argument == "logits");
    CHECK(error.got == "NaN");
  }
  CHECK(!any);
}

TEST_CASE("generate: goes on where the past ends, stops at a token, and tells of each") {
  Model model(config());
  KeyValueCache past = model.model.make_cache(1);
  const Ids prompt{3, 1, 4};
  const Ids whole = generate(model.model, prompt, {12}, past, model.cache);
  past.clear();
  Ids parts = generate(model.model, prompt, {5}, past, model.cache);
  const Ids more = generate(model.model, std::span(&parts.back(), 1), {7}, past, model.cache);
  parts.insert(parts.end(), more.begin(), more.end());
  CHECK(parts == whole);

  const auto stop = std::find(whole.begin() + 1, whole.end(), whole.back());
  Ids told;
  GenerateOptions options{12};
  options.stop = *stop;
  options.on_token = [&](int32_t id) { told.push_back(id); };
  past.clear();
  const Ids stopped = generate(model.model, prompt, options, past, model.cache);
  CHECK(stopped == Ids(whole.begin(), std::find(whole.begin(), whole.end(), *stop)));
  CHECK(told == stopped);
}

TEST_CASE("generate: draws depend on the seed and the place in the text, however it is made") {
  Model model(config());
  KeyValueCache past = model.model.make_cache(1);
  const Ids prompt{3, 1, 4};
  const auto made = [&](const Sampling& sampling) {
    past.clear();
    GenerateOptions options{14};
    options.sampling = sampling;
    return generate(model.model, prompt, options, past, model.cache);
  };
  const Sampling sampling{1.5, 0, 0.98, 5};
  const Ids whole = made(sampling);
  CHECK(made(sampling) == whole);
  CHECK(made({1.5, 0, 0.98, 6}) != whole);
  CHECK(made({0.75, 1, 1, 5}) == made({}));

  past.clear();
  GenerateOptions few{6};
  few.sampling = sampling;
  Ids parts = generate(model.model, prompt, few, past, model.cache);
  few.n_tokens = 8;
  const Ids more = generate(model.model, std::span(&parts.back(), 1), few, past, model.cache);
  parts.insert(parts.end(), more.begin(), more.end());
  CHECK(parts == whole);
  // Each is what is drawn from the logits of the text before it.
  Ids text = prompt;
  for (const int32_t id : whole) {
    Tokens tokens(1, 0, 1);
    tokens.ids = text, tokens.shape = {1, static_cast<int64_t>(text.size())};
    const std::vector<float> logits = model.forward(tokens);
    CHECK(id == sample("op", {logits.data() + logits.size() - 11, {11}}, sampling, std::ssize(text)));
    text.push_back(id);
  }

  GenerateOptions wrong{3};
  wrong.sampling.top_p = 0;
  past.clear();
  CHECK_THROWS_AS(generate(model.model, prompt, wrong, past, model.cache), ValueError);
  CHECK(past.length() == 0);
}

TEST_CASE("generate: a scale for each head") {
  Model model(config());
  KeyValueCache past = model.model.make_cache(1);
  const float scales[] = {0.5f, 0.5f, 0.5f, 0.5f}, others[] = {3, 0, 0.5f, -2};
  const auto made = [&](const AttentionOptions& attention) {
    past.clear();
    return generate(model.model, Ids{3, 1, 4, 1}, {12, attention}, past, model.cache);
  };
  AttentionOptions each;
  each.head_scales = scales;
  CHECK(made(each) == made({}));  // 1/sqrt(4)
  each.head_scales = others;
  Ids text{3, 1, 4, 1};
  for (const int32_t id : made(each)) {
    CHECK(id == next(model, text, each));
    text.push_back(id);
  }
}

TEST_CASE("generate: what has no room is refused before anything is decoded") {
  Model model(config());
  KeyValueCache past = model.model.make_cache(1, 10);
  const Ids prompt{3, 1, 4};
  CHECK_THROWS_AS(generate(model.model, {}, {3}, past, model.cache), ValueError);
  CHECK_THROWS_AS(generate(model.model, prompt, {-1}, past, model.cache), ValueError);
  CHECK_THROWS_AS(generate(model.model, prompt, {9}, past, model.cache), ValueError);
  CHECK_THROWS_AS(generate(model.model, Ids(11, 1), {1}, past, model.cache), ValueError);
  CHECK(past.length() == 0);
  CHECK(generate(model.model, prompt, {0}, past, model.cache).empty());
  CHECK(generate(model.model, prompt, {8}, past, model.cache).size() == 8);
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
