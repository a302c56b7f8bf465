// sqrtdk_conformance: runs reference cases, folders with case.json and .npy files, through the kernels.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>

#include "conformance/report.h"

namespace {

namespace fs = std::filesystem;
using sqrtdk::conformance::Outcome;

constexpr const char* kUsage =
    "usage: sqrtdk_conformance [--verbose | --json] DIR...\n"
    "DIR: a case (a folder with case.json), or a folder of cases at any depth.\n"
    "Exit status: 0 when every case passed or was skipped, 1 when one failed or a DIR holds none, 2 for "
    "wrong usage.\n";

void run_folder(const fs::path& folder, std::vector<Outcome>& outcomes) {
  std::vector<fs::path> cases;
  std::string reason = "holds no case";
  try {
    const fs::path normal = folder.lexically_normal();
    cases = sqrtdk::conformance::find_cases(normal.has_filename() ? normal : normal.parent_path());
  } catch (const std::exception& error) {
    reason = error.what();
  }
  for (const fs::path& each : cases) outcomes.push_back(sqrtdk::conformance::run_case(each));
  if (cases.empty()) outcomes.push_back({Outcome::Status::kFailed, folder.string(), "", reason, {}});
}

int run(int argc, char** argv) {
  bool verbose = false, json = false;
  std::vector<fs::path> folders;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--help") == 0) return std::fputs(kUsage, stdout), 0;
    if (std::strcmp(argv[i], "--verbose") == 0) {
      verbose = true;
    } else if (std::strcmp(argv[i], "--json") == 0) {
      json = true;
    } else if (argv[i][0] == '-') {
      return std::fprintf(stderr, "sqrtdk_conformance: no option %s\n%s", argv[i], kUsage), 2;
    } else {
      folders.emplace_back(argv[i]);
    }
  }
  if (folders.empty()) return std::fputs(kUsage, stderr), 2;

  std::vector<Outcome> outcomes;
  for (const fs::path& folder : folders) run_folder(folder, outcomes);
  if (json) {
    sqrtdk::conformance::print_json(outcomes);
  } else {
    sqrtdk::conformance::print_text(outcomes, verbose);
  }
  const bool failed = std::any_of(outcomes.begin(), outcomes.end(), [](const Outcome& outcome) {
    return outcome.status == Outcome::Status::kFailed;
  });
  return failed ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {  // a name that is no text, no memory
    std::fprintf(stderr, "sqrtdk_conformance: %s\n", error.what());
    return 1;
  }
}
