#include "conformance/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "conformance/operators.h"

namespace sqrtdk::conformance {
namespace {

using Status = Outcome::Status;

const char* name_of(Status status) {
  return status == Status::kPassed ? "passed" : status == Status::kFailed ? "failed" : "skipped";
}

int64_t count(const std::vector<Outcome>& outcomes, Status status) {
  return std::count_if(outcomes.begin(), outcomes.end(),
                       [&](const Outcome& each) { return each.status == status; });
}

void run(const std::filesystem::path& folder, Outcome& outcome) {
  Case reference = read_case(folder);
  outcome.op = reference.op;
  const Operator run_operator = find_operator(reference.suite, reference.op);
  if (!run_operator) throw Skip("not an operator of this build");
  Results results(reference);
  run_operator(reference, results);
  if (reference.outputs.empty()) throw std::runtime_error("case.json: no outputs");
  for (const Tensor& expected : reference.outputs) {
    bool computed = false;
    for (const Result& result : results.all()) {
      if (result.expected != &expected) continue;
      computed = true;
      outcome.lines.push_back(
          {expected.name, result.form, compare(result.dims, result.values, expected, reference.tolerance)});
    }
    if (!computed) throw std::runtime_error("output " + expected.name + " is not computed");
  }
  const auto passed = [](const Line& line) { return line.comparison.passed; };
  if (!std::all_of(outcome.lines.begin(), outcome.lines.end(), passed)) outcome.status = Status::kFailed;
}

std::string where(const Outcome& outcome, const Line& line) {
  return outcome.name + " " + line.output + (line.form.empty() ? "" : " (" + line.form + ")");
}

}  // namespace

Outcome run_case(const std::filesystem::path& folder) {
  Outcome outcome;
  outcome.name = folder.filename().string();
  try {
    run(folder, outcome);
  } catch (const Skip& skip) {
    outcome.status = Status::kSkipped, outcome.reason = skip.what();
  } catch (const std::exception& error) {
    outcome.status = Status::kFailed, outcome.reason = error.what();
  }
  return outcome;
}

void print_text(const std::vector<Outcome>& outcomes, bool verbose) {
  std::map<std::pair<std::string, std::string>, int> skips;  // by operator and reason
  for (const Outcome& outcome : outcomes) {
    for (const Line& line : outcome.lines) {
      if (!verbose && line.comparison.passed) continue;
      std::printf("%s %s: %s\n", line.comparison.passed ? "pass" : "FAIL", where(outcome, line).c_str(),
                  line.comparison.text.c_str());
    }
    if (outcome.status == Status::kSkipped) {
      ++skips[{outcome.op, outcome.reason}];
      if (verbose)
        std::printf("skip %s: %s: %s\n", outcome.name.c_str(), outcome.op.c_str(), outcome.reason.c_str());
    } else if (!outcome.reason.empty()) {
      std::printf("FAIL %s: %s\n", outcome.name.c_str(), outcome.reason.c_str());
    }
  }
  for (const auto& [skip, times] : skips) {
    std::printf("skipped %d %s: %s\n", times, skip.first.c_str(), skip.second.c_str());
  }
  std::printf("%lld passed, %lld failed, %lld skipped\n",
              static_cast<long long>(count(outcomes, Status::kPassed)),
              static_cast<long long>(count(outcomes, Status::kFailed)),
              static_cast<long long>(count(outcomes, Status::kSkipped)));
}

void print_json(const std::vector<Outcome>& outcomes) {
  using nlohmann::json;
  json cases = json::array();
  for (const Outcome& outcome : outcomes) {
    json outputs = json::array();
    for (const Line& line : outcome.lines) {
      const Comparison& comparison = line.comparison;  // an infinite error is null
      outputs.push_back({{"output", line.output},
                         {"form", line.form},
                         {"passed", comparison.passed},
                         {"error", comparison.error},
                         {"bound", comparison.bound},
                         {"torch_ratio", comparison.torch_ratio},
                         {"text", comparison.text}});
    }
    cases.push_back({{"name", outcome.name},
                     {"op", outcome.op},
                     {"status", name_of(outcome.status)},
                     {"reason", outcome.reason},
                     {"outputs", outputs}});
  }
  const json all = {{"passed", count(outcomes, Status::kPassed)},
                    {"failed", count(outcomes, Status::kFailed)},
                    {"skipped", count(outcomes, Status::kSkipped)},
                    {"cases", cases}};
  std::puts(all.dump(1, ' ', false, json::error_handler_t::replace).c_str());
}

}  // namespace sqrtdk::conformance
