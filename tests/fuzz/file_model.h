#pragma once
// A model with the weights of a file that was read, and what it makes of two tokens.
#include "fuzz/fuzz.h"
#include "models/language_model.h"
#include "reference/compare.h"

namespace sqrtdk::fuzz {

inline std::vector<float> last_row(ConstView logits) {
  const int64_t n = logits.shape[-1];
  return {logits.data + logits.shape.size() - n, logits.data + logits.shape.size()};
}

/// `load` gives the parameters the file's weights. Both ways to the logits after the last token have the same
/// bits.
template <class Load>
void run_model(const LanguageModelConfig& config, Load load) {
  Parameters parameters;
  const LanguageModel model(parameters, "", config);
  if (parameters.size() > 1 << 14) return;
  parameters.allocate();
  load(parameters);
  Cache cache;
  const int32_t ids[] = {0, static_cast<int32_t>(config.vocab - 1)};
  const IndexView tokens(ids, {1, std::min<int64_t>(2, config.context)});
  const std::vector<float> whole = last_row(model.forward(tokens, {}, false, cache, {}));
  KeyValueCache past = model.make_cache(1);
  CHECK(reference::same_bits(last_row(model.decode(tokens, {}, past, cache)), whole));
}

}  // namespace sqrtdk::fuzz
