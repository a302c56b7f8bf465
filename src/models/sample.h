#pragma once
// The next token from a model's logits: the most likely one, or one that is drawn.
//   p = softmax(logits / temperature), of the top_k most likely tokens; of these, of the most likely whose
//   probabilities together reach top_p
// Tokens are ordered by their logits, of equals the first one first. Fan et al., "Hierarchical Neural Story
// Generation", 2018 (top k); Holtzman et al., "The Curious Case of Neural Text Degeneration", 2020 (top p).
#include <cstdint>

#include "tensor/tensor.h"

namespace sqrtdk {

struct Sampling {
  double temperature = 0;  // 0: the most likely token, whatever the others say
  int64_t top_k = 0;       // 0: all
  double top_p = 1;        // above 0; 1: all
  uint64_t seed = 0;
};

/// Throws ValueError where a value is out of its range.
void check_sampling(const char* op, const Sampling& sampling);

/// A token drawn from logits [vocab] for this place in the text; logits, sampling and position alone decide.
/// Sums are in double, in the order of tokens' logits where some are left out, else in that of tokens. Throws
/// ValueError where a logit is NaN or +inf, unless the temperature is 0.
int32_t sample(const char* op, ConstView logits, const Sampling& sampling, int64_t position);

}  // namespace sqrtdk
