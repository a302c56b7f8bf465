#include "cli/arguments.h"

#include <utility>

#include "base/text.h"

namespace sqrtdk::cli {
namespace {

constexpr const char* kCommands = "expected one of list, run, generate, train, schema, --help, --version";

void parse_list(const std::vector<std::string>& words, Arguments& arguments) {
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "--json") {
      arguments.json = true;
    } else if (words[i] == "--help") {
      arguments.command = Arguments::Command::kHelp;
    } else {
      throw UsageError("list: unknown option " + clipped(words[i]) + ", expected --json");
    }
  }
}

void parse_run(const std::vector<std::string>& words, Arguments& arguments) {
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--json") {
      arguments.json = true;
    } else if (word == "--help") {
      arguments.help = true;
    } else if (word.starts_with("--")) {
      const size_t equals = word.find('=');
      const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
      if (equals == std::string::npos && i + 1 == words.size()) {
        throw UsageError("run: --" + clipped(name) + " needs a value: --" + clipped(name) + " VALUE");
      }
      const std::string value = equals == std::string::npos ? words[++i] : word.substr(equals + 1);
      const bool fresh = name == "preset" ? !std::exchange(arguments.preset, value)
                                          : arguments.params.emplace(name, value).second;
      if (!fresh) {
        throw UsageError("run: --" + clipped(name) + " is given twice, expected once");
      }
    } else if (arguments.id.empty() && !word.empty()) {
      arguments.id = word;
    } else {
      throw UsageError("run: unexpected " + clipped(word) + ", expected --name value");
    }
  }
  if (!arguments.id.empty()) return;
  if (!arguments.help) throw UsageError("run: which experiment? expected run ID; `sqrtdk list` names them");
  arguments.command = Arguments::Command::kHelp;
}

}  // namespace

Arguments parse_arguments(const std::vector<std::string>& words) {
  Arguments arguments;
  if (words.empty()) throw UsageError(std::string("no command, ") + kCommands);
  const std::string& command = words[0];
  if (command == "--help" || command == "-h" || command == "help") return arguments;
  if (command == "--version") {
    arguments.command = Arguments::Command::kVersion;
  } else if (command == "list") {
    arguments.command = Arguments::Command::kList;
    parse_list(words, arguments);
  } else if (command == "run") {
    arguments.command = Arguments::Command::kRun;
    parse_run(words, arguments);
  } else if (command == "schema") {
    arguments.command = Arguments::Command::kSchema;
    if (words.size() > 1 && words != std::vector<std::string>{"schema", "--json"}) {
      throw UsageError("schema: unexpected " + clipped(words.back()) + ", expected --json");
    }
  } else {
    throw UsageError("unknown command " + clipped(command) + ", " + kCommands);
  }
  return arguments;
}

}  // namespace sqrtdk::cli
