#pragma once
// The command line, taken apart.
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk::cli {

/// Says in one line what is wrong and what is allowed.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Arguments {
  enum class Command { kHelp, kVersion, kList, kRun, kSchema } command = Command::kHelp;
  std::string id;                             // of the experiment to run
  std::optional<std::string> preset;          // whose settings take precedence over the defaults
  std::map<std::string, std::string> params;  // as given; "@file" not yet read
  bool json = false, help = false;
};

/// Throws UsageError.
Arguments parse_arguments(const std::vector<std::string>& words);

}  // namespace sqrtdk::cli
