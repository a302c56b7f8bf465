#pragma once
// sqrtdk generate: a trained model of a llama2.c file continues a text, at any scale of its scores.
#include <string>
#include <vector>

namespace sqrtdk::cli {

/// The words after "generate". Prints the text as it is made, and tokens per second to stderr. Returns the
/// command's exit status; throws UsageError and the library's errors.
int generate(const std::vector<std::string>& words);

}  // namespace sqrtdk::cli
