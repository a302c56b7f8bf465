#include "models/generate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/errors.h"
#include "kernels/cross_entropy.h"

namespace sqrtdk {
namespace {

/// -inf is a token that never comes.
void check_logits(const char* op, ConstView logits) {
  const float* const end = logits.data + logits.shape.size();
  const float* const broken = std::find_if(
      logits.data, end, [](float x) { return std::isnan(x) || x == std::numeric_limits<float>::infinity(); });
  if (broken == end) return;
  throw ValueError(ErrorCode::kNotFinite, op, "logits", "numbers below infinity",
                   std::isnan(*broken) ? "NaN" : "infinity");
}

}  // namespace

std::vector<int32_t> generate(const LanguageModel& model, std::span<const int32_t> prompt,
                              const GenerateOptions& options, KeyValueCache& past, Cache& cache) {
  const char* op = "generate";
  check_sampling(op, options.sampling);
  const auto n_prompt = static_cast<int64_t>(prompt.size());
  const int64_t room = std::min(past.capacity(), model.config().context) - past.length();
  if (n_prompt < 1 || n_prompt > room) throw_out_of_range(op, "prompt", 1, room, n_prompt);
  // The last token made is not decoded.
  const int64_t most = room - n_prompt + 1;
  if (options.n_tokens < 0 || options.n_tokens > most) {
    throw_out_of_range(op, "n_tokens", 0, most, options.n_tokens);
  }
  std::vector<int32_t> tokens;
  if (options.n_tokens == 0) return tokens;
  tokens.reserve(static_cast<size_t>(options.n_tokens));
  ConstView logits = model.decode({prompt.data(), {1, n_prompt}}, options.attention, past, cache);
  while (true) {
    check_logits(op, logits);
    const int32_t token = sample(op, logits, options.sampling, past.length());
    if (options.stop == token) return tokens;
    tokens.push_back(token);
    if (options.on_token) options.on_token(token);
    if (static_cast<int64_t>(tokens.size()) == options.n_tokens) return tokens;
    logits = model.decode({&tokens.back(), {1, 1}}, options.attention, past, cache);
  }
}

Likelihood negative_log_likelihood(const LanguageModel& model, std::span<const int32_t> ids,
                                   const AttentionOptions& attention, Cache& cache) {
  const auto n = static_cast<int64_t>(ids.size());
  const int64_t most = model.config().context + 1;
  if (n < 2 || n > most) throw_out_of_range("negative_log_likelihood", "ids", 2, most, n);
  if (ids.back() < 0) {
    throw_out_of_range("negative_log_likelihood", "ids", 0, model.config().vocab - 1, ids.back());
  }
  const View logits = model.forward({ids.data(), {1, n - 1}}, attention, false, cache, {});
  Likelihood result;
  result.losses.resize(static_cast<size_t>(n - 1));
  CrossEntropyOptions options;
  options.ignore_index = -1;
  result.mean = cross_entropy_forward(logits, {ids.data() + 1, {1, n - 1}}, options, logits,
                                      {result.losses.data(), {1, n - 1}});
  return result;
}

}  // namespace sqrtdk
