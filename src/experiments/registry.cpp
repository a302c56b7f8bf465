#include "experiments/registry.h"

#include <new>

#include "base/errors.h"
#include "base/text.h"

// A WebAssembly module may hold some of them.
#ifdef SQRTDK_WITHOUT_FIRST
#define SQRTDK_IF_first(...)
#else
#define SQRTDK_IF_first(...) __VA_ARGS__
#endif
#ifdef SQRTDK_WITHOUT_EXPERIMENTS
#define SQRTDK_IF_experiments(...)
#else
#define SQRTDK_IF_experiments(...) __VA_ARGS__
#endif

namespace sqrtdk {

const std::vector<const Experiment*>& all_experiments() {
  static const std::vector<const Experiment*> all = {
#define EXPERIMENT(id, module) SQRTDK_IF_##module(&experiments::id, )
#include "experiments/experiments.inc"
#undef EXPERIMENT
  };
  return all;
}

const Experiment& find_experiment(const std::string& id) {
  std::vector<const char*> known;
  for (const Experiment* experiment : all_experiments()) {
    if (experiment->id == id) return *experiment;
    known.push_back(experiment->id);
  }
  throw ValueError(ErrorCode::kUnknownName, "find_experiment", "experiment", joined(known), clipped(id));
}

const char* module_of(const Experiment& experiment) {
#define EXPERIMENT(id, module) SQRTDK_IF_##module(if (&experiment == &experiments::id) return #module;)
#include "experiments/experiments.inc"
#undef EXPERIMENT
  return "";
}

const Preset& find_preset(const Experiment& experiment, const std::string& name) {
  std::vector<const char*> known;
  for (const Preset& preset : experiment.presets) {
    if (preset.name == name) return preset;
    known.push_back(preset.name);
  }
  throw ValueError(ErrorCode::kUnknownName, experiment.id, "preset", known.empty() ? "none" : joined(known),
                   clipped(name));
}

namespace {

Run checked(const std::string& id, const std::map<std::string, std::string>& params) {
  const Experiment& experiment = find_experiment(id);
  return {&experiment, Params::parse(id, experiment.params, params), {}};
}

void fill(Run& run, ProgressMeter& meter) {
  try {
    run.result = run.experiment->run(run.params, meter);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(ErrorCode::kOutOfMemory, run.experiment->id, "", "", "too many");
  }
}

}  // namespace

Run run_experiment(const std::string& id, const std::map<std::string, std::string>& params,
                   const Progress& progress) {
  Run run = checked(id, params);
  ProgressMeter meter(id, progress);
  fill(run, meter);
  meter.end();
  return run;
}

/// A run that is cancelled as soon as it begins.
double estimated_work(const std::string& id, const std::map<std::string, std::string>& params) {
  Run run = checked(id, params);
  ProgressMeter meter(id, [](double) { return false; });
  try {
    fill(run, meter);
  } catch (const Cancelled&) {
  }
  return meter.total();
}

}  // namespace sqrtdk
