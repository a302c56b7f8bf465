#include "cli/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace sqrtdk::cli {

void print(std::string_view text) {
  // A large text is partly written before the flush, which alone would say nothing of what failed then.
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
  throw OutputError(std::string("standard output: ") + std::strerror(errno));
}

}  // namespace sqrtdk::cli
