#pragma once
// Standard output. What does not arrive (a full disk, a closed descriptor) is an error, never silence; a
// reader that has gone, as in `| head`, ends the process by SIGPIPE as it ends any other.
#include <stdexcept>
#include <string_view>

namespace sqrtdk::cli {

/// What could not be written to standard output, and why.
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Writes the text and flushes it. Throws OutputError unless all of it arrives.
void print(std::string_view text);

}  // namespace sqrtdk::cli
