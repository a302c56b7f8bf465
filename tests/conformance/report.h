#pragma once
// Running cases and saying what came of them.
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/compare.h"

namespace sqrtdk::conformance {

struct Line {
  std::string output, form;
  Comparison comparison;
};

struct Outcome {
  enum class Status { kPassed, kFailed, kSkipped };
  Status status = Status::kPassed;
  std::string name, op;
  std::string reason;       // of a failure before any comparison, or of a skip
  std::vector<Line> lines;  // of each output, in each form
};

/// Never throws: what goes wrong is the outcome.
Outcome run_case(const std::filesystem::path& folder);

void print_text(const std::vector<Outcome>& outcomes, bool verbose);
void print_json(const std::vector<Outcome>& outcomes);

}  // namespace sqrtdk::conformance
