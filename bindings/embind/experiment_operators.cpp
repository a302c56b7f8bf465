#include "lab/experiment.h"
#include "operators.h"

namespace sqrtdk::border {
namespace {

double work(std::string_view request) {
  const Request read(request);
  return estimated_work(read.id, read.params);
}

std::string run(std::string_view request, bool reports) {
  const Request read(request);
  return run_json(run_experiment(
      read.id, read.params, reports ? Progress([](double share) { return report(share); }) : Progress()));
}

}  // namespace

std::span<const Operator> experiment_operators() {
  static constexpr Operator kOperators[] = {
      op<describe_all_json>("describe_all", ""),
      op<work>("experiment_work", "request"),
      op<run>("run_experiment", "request reports"),
  };
  return kOperators;
}

}  // namespace sqrtdk::border
