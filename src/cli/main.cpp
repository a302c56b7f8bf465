// The native command: the same experiments, parameters and numbers as the page.
#include <unistd.h>

#include <cstdio>
#include <new>
#include <string_view>

#include "base/errors.h"
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/generate.h"
#include "cli/output.h"
#include "cli/print.h"
#include "cli/schema.h"
#include "cli/train.h"
#include "lab/experiment.h"

namespace sqrtdk::cli {
namespace {

bool show_progress(double done) {
  std::fprintf(stderr, "\r%3.0f %%", 100 * done);
  return true;
}

std::string run_text_or_json(const Arguments& arguments) {
  const Experiment& experiment = find_experiment(arguments.id);
  if (arguments.help) return help_text(experiment);
  auto params = arguments.params;
  if (arguments.preset) {
    const Preset& preset = find_preset(experiment, *arguments.preset);
    params.insert(preset.texts.begin(), preset.texts.end());  // what is given takes precedence
  }
  for (const Param& param : experiment.params) {
    const auto given = params.find(param.name);
    if (given == params.end() || !given->second.starts_with('@')) continue;
    const std::string path = given->second.substr(1);
    if (std::holds_alternative<MatrixParam>(param.kind)) {
      given->second = read_matrix_file(path, experiment.id, param.name);
    } else if (const auto* const file = std::get_if<FileParam>(&param.kind)) {
      given->second = read_file_base64(path, experiment.id, param.name, file->max_bytes);
    } else if (std::holds_alternative<TextParam>(param.kind)) {
      given->second = read_file(path, experiment.id, param.name);
    }
  }
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const Run run = run_experiment(arguments.id, params, terminal ? show_progress : Progress());
  if (terminal) std::fputs("\r     \r", stderr);
  return arguments.json ? run_json(run) + "\n" : run_text(run);
}

std::string output(const Arguments& arguments) {
  switch (arguments.command) {
    case Arguments::Command::kHelp:
      return help_text();
    case Arguments::Command::kVersion:
      return "sqrtdk " SQRTDK_VERSION "\n";  // of package.json
    case Arguments::Command::kList:
      return arguments.json ? describe_all_json() + "\n" : list_text();
    case Arguments::Command::kRun:
      return run_text_or_json(arguments);
    case Arguments::Command::kSchema:
      return schema_json() + "\n";
  }
  return "";
}

int fail(const char* message, int status = 2) {
  std::fprintf(stderr, "sqrtdk: %s\n", message);
  return status;
}

}  // namespace
}  // namespace sqrtdk::cli

int main(int argc, char** argv) {
  using namespace sqrtdk;
  try {
    if (argc > 1 && std::string_view(argv[1]) == "generate") return cli::generate({argv + 2, argv + argc});
    if (argc > 1 && std::string_view(argv[1]) == "train") return cli::train({argv + 2, argv + argc});
    cli::print(cli::output(cli::parse_arguments({argv + 1, argv + argc})));
    return 0;
  } catch (const Error& error) {
    return cli::fail(error.what());
  } catch (const cli::UsageError& error) {
    return cli::fail(error.what());
  } catch (const cli::OutputError& error) {
    return cli::fail(error.what(), 1);
  } catch (const std::bad_alloc&) {
    return cli::fail("out of memory");
  }
}
