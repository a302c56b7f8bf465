// How far is each kernel, which computes with floats, from its formula in double?
#include <string>

#include "experiments/kernel_errors/kernel_checks.h"
#include "experiments/registry.h"
#include "lab/common_params.h"
#include "lab/work.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "kernel_errors";

struct Planned {
  const KernelCheck* check;
  double work;
};

/// Those of attention go over all pairs of rows, the others over the rows.
std::vector<Planned> all_checks(const KernelInputs& inputs) {
  const int64_t n_pairs = inputs.n * inputs.n, n_numbers = inputs.n * inputs.d;
  const double of_pairs = loop_work(4 * n_pairs * inputs.d) + function_work(4 * n_pairs);
  const double of_rows = function_work(4 * n_numbers);
  std::vector<Planned> all;
  for (const KernelCheck& check : attention_checks()) all.push_back({&check, of_pairs});
  for (const auto checks : {row_checks(), element_checks()}) {
    for (const KernelCheck& check : checks) all.push_back({&check, of_rows});
  }
  return all;
}

const char* name_of(Pass pass) { return pass == Pass::kForward ? "forward" : "backward"; }

Result run(const Params& params, ProgressMeter& meter) {
  const KernelInputs inputs{.n = params.integer("n"), .d = params.integer("d"), .seed = params.seed("seed")};
  const std::vector<Planned> checks = all_checks(inputs);
  double total = 0;
  for (const Planned& each : checks) total += each.work;
  meter.begin(total);
  Result result;
  bool within = true;
  Figure figure{.name = "kernel_errors",
                .at = {},
                .kind = HeatMap{.z = "share_of_bound"},
                .x = "pass",
                .y = "operator",
                .y_max = 1};
  Grid& grid = figure.grid();
  grid.cols = {"forward", "backward"};
  for (const auto& [check, work] : checks) {
    KernelErrors errors;
    check->run(inputs, errors);
    meter.add(work);
    const Labels at = {{"operator", check->name}, {"pass", name_of(check->pass)}};
    const double judged = check->by_element ? errors.last_places() : errors.relative();
    within = within && judged <= check->bound;
    result.add("largest_error", at, errors.absolute());
    result.add("relative_error", at, errors.relative());
    if (check->by_element) {
      result.add("last_places", at, errors.last_places());
    }
    result.add(check->by_element ? "bound_last_places" : "bound_relative", at, check->bound);
    if (check->pass == Pass::kForward) {
      grid.rows.emplace_back(check->name);
      grid.values.insert(grid.values.end(), {kNone, kNone});
    }
    const double share = check->bound > 0 ? judged / check->bound : judged;
    grid.values[grid.values.size() - (check->pass == Pass::kForward ? 2 : 1)] = share;
  }
  grid.n_rows = static_cast<int64_t>(grid.rows.size());
  grid.n_cols = 2;
  result.add(std::move(figure));
  result.judge(within, "kernels_within_bounds", "kernels_beyond_bounds");
  return result;
}

constexpr Param kParams[] = {int_param("n", "48", 8, 128), int_param("d", "64", 16, 128), kSeedParam};

}  // namespace

const Experiment kernel_errors = {
    .id = kId,
    .question = "How far are these numbers from exact ones, and are they the same everywhere?",
    .source = "articles 1 to 5: every formula that this page computes",
    .group = Group::kRest,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"kernels_within_bounds", "kernels_beyond_bounds"},
              .scalars = {"largest_error", "relative_error", "bound_relative", "last_places",
                          "bound_last_places"},
              .labels = {"operator", "pass"},
              .figures = {"kernel_errors"},
              .axes = {"pass", "operator", "share_of_bound"},
              .values = {"attention", "forward", "backward", "cross_entropy", "rotary", "relu", "gelu",
                         "gelu_tanh"}},
};

}  // namespace sqrtdk::experiments
