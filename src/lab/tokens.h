#pragma once
// A reader's sentence as tokens, and a vector for each word.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/common_params.h"

namespace sqrtdk {

inline constexpr Param kTextParam = text_param("text", "The cat sat on the mat", 240);

/// Words between blanks; each Chinese or Japanese character and each mark of punctuation is a token of its
/// own. Throws ValueError for no token, or more than `most`, in the parameter `name` of `op`.
std::vector<std::string> tokens_of(const char* op, const char* name, std::string_view text, size_t most);

/// The stream of random numbers of a word: the same for "The" and "the" (ASCII letters alone).
uint64_t stream_of_word(std::string_view token);

/// x [d], standard normal components: the same word has the same vector wherever it stands.
void word_vector(uint64_t seed, std::string_view token, float* x, int64_t d);

/// The sum of the words' vectors divided by sqrt(number of words), so that components keep the variance 1.
void text_vector(uint64_t seed, const std::vector<std::string>& tokens, float* x, int64_t d);

}  // namespace sqrtdk
