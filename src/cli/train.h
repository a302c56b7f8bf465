#pragma once
// sqrtdk train: a small transformer learns a task, with the trainer of the page.
#include <string>
#include <vector>

namespace sqrtdk::cli {

/// The words after "train". Prints the result, and how far it is to stderr. Returns the command's exit
/// status: 128 and the signal's number where SIGINT, SIGTERM or SIGHUP stopped it. Throws OutputError,
/// UsageError and the library's errors.
int train(const std::vector<std::string>& words);

}  // namespace sqrtdk::cli
