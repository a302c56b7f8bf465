#pragma once
// A language model with drawn parameters, and tokens for it.
#include "layers/layer_case.h"
#include "models/language_model.h"

namespace sqrtdk::reference {

struct Tokens {
  Shape shape;
  std::vector<int32_t> ids;
  Tokens(int64_t batch, int64_t n, int64_t vocab, uint64_t seed = 17) : shape{batch, n} {
    Draws draws(seed);
    for (int64_t i = 0; i < batch * n; ++i) {
      ids.push_back(static_cast<int32_t>(draws.bits() % static_cast<uint64_t>(vocab)));
    }
  }
  IndexView view() const { return {ids.data(), shape}; }
  /// Positions first .. first + n of every sequence.
  Tokens part(int64_t first, int64_t n) const {
    Tokens tokens(0, 0, 1);
    tokens.shape = {shape[0], n};
    for (int64_t b = 0; b < shape[0]; ++b) {
      const auto begin = ids.begin() + b * shape[1] + first;
      tokens.ids.insert(tokens.ids.end(), begin, begin + n);
    }
    return tokens;
  }
};

struct Model {
  explicit Model(const LanguageModelConfig& config, const std::string& name = "")
      : model(parameters, name, config) {
    draw(parameters, 5);
  }
  std::vector<float> forward(const Tokens& tokens, const AttentionOptions& options = {}) {
    return numbers(model.forward(tokens.view(), options, false, cache, {}));
  }
  std::vector<float> decode(const Tokens& tokens, KeyValueCache& past, const AttentionOptions& options = {}) {
    return numbers(model.decode(tokens.view(), options, past, cache));
  }
  Parameters parameters;
  Cache cache;
  LanguageModel model;
};

}  // namespace sqrtdk::reference
