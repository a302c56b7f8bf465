// How far is each kernel, which computes with floats, from its formula in double?
#include <string>

#include "experiments/kernel_errors/kernel_checks.h"
#include "experiments/registry.h"
#include "lab/common_params.h"
#include "lab/progress.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "kernel_errors";

std::vector<const KernelCheck*> all_checks() {
  std::vector<const KernelCheck*> all;
  for (const auto checks : {attention_checks(), row_checks(), element_checks()}) {
    for (const KernelCheck& check : checks) all.push_back(&check);
  }
  return all;
}

const char* name_of(Pass pass) { return pass == Pass::kForward ? "forward" : "backward"; }

double work_each(const Params& params) {
  const auto n = static_cast<double>(params.integer("n")), d = static_cast<double>(params.integer("d"));
  return 5 * n * d + n * n * (d / 8 + 50);
}

double work(const Params& params) { return static_cast<double>(all_checks().size()) * work_each(params); }

Result run(const Params& params, const Progress& progress) {
  const KernelInputs inputs{.n = params.integer("n"), .d = params.integer("d"), .seed = params.seed("seed")};
  ProgressMeter meter(kId, progress, work(params));
  Result result;
  Figure figure{.name = "kernel_errors",
                .at = {},
                .kind = HeatMap{.z = "share_of_bound"},
                .x = "pass",
                .y = "operator",
                .y_max = 1};
  Grid& grid = figure.grid();
  grid.cols = {"forward", "backward"};
  for (const KernelCheck* check : all_checks()) {
    KernelErrors errors;
    check->run(inputs, errors);
    meter.add(work_each(params));
    const Labels at = {{"operator", check->name}, {"pass", name_of(check->pass)}};
    const double judged = check->by_element ? errors.last_places() : errors.relative();
    result.holds = result.holds && judged <= check->bound;
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
  result.verdict = result.holds ? "kernels_within_bounds" : "kernels_beyond_bounds";
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
    .work = work,
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
