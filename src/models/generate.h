#pragma once
// What a decoder-only model does with tokens: it continues them, and says how likely they are. The scale of
// the scores in `attention` (AttentionOptions::scale or head_scales; none: the config's) lets the same
// weights run at any.
#include <functional>
#include <span>

#include "models/language_model.h"
#include "models/sample.h"

namespace sqrtdk {

struct GenerateOptions {
  int64_t n_tokens;                            // at most so many are made
  AttentionOptions attention = {};             // scale and softcap
  Sampling sampling = {};                      // without it the most likely token at each step
  std::optional<int32_t> stop = {};            // a token after which nothing comes, itself not returned
  std::function<void(int32_t)> on_token = {};  // told of each as it is made; may throw to end it
};

/// The tokens after the prompt, each as `sampling` says. The prompt and the tokens but the last go into
/// `past`, which the caller clears; a token's position is the number of those before it. Throws ValueError
/// for an empty prompt, where prompt and tokens exceed the past's room, where a logit is NaN or +inf, and as
/// check_sampling.
std::vector<int32_t> generate(const LanguageModel& model, std::span<const int32_t> prompt,
                              const GenerateOptions& options, KeyValueCache& past, Cache& cache);

struct Likelihood {
  std::vector<float> losses;  // -log p(token | those before), of every token but the first
  double mean = 0;
};

/// Throws ValueError for fewer than 2 tokens, and for more than one beyond the context.
Likelihood negative_log_likelihood(const LanguageModel& model, std::span<const int32_t> ids,
                                   const AttentionOptions& attention, Cache& cache);

}  // namespace sqrtdk
