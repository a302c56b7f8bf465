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

/// A run with its checked parameters, filled by `compute`; whatever memory is missing, the error names the
/// experiment.
template <class Compute>
Run filled(const std::string& id, const std::map<std::string, std::string>& params, Compute compute) {
  try {
    const Experiment& experiment = find_experiment(id);
    Run run{&experiment, Params::parse(id, experiment.params, params), {}};
    compute(run);
    return run;
  } catch (const OutOfMemory& error) {
    throw OutOfMemory(error.code, id, error.argument, error.expected, error.got);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(ErrorCode::kOutOfMemory, id, "", "", "too many");
  }
}

}  // namespace

Run run_experiment(const std::string& id, const std::map<std::string, std::string>& params,
                   const Progress& progress) {
  return filled(id, params, [&](Run& run) {
    ProgressMeter meter(id, progress);
    run.result = run.experiment->run(run.params, meter);
    meter.end();
  });
}

/// A run that is cancelled as soon as it begins: caught here and not in what `filled` calls, from where
/// WebKit lets it out.
double estimated_work(const std::string& id, const std::map<std::string, std::string>& params) {
  ProgressMeter meter(id, [](double) { return false; });
  try {
    filled(id, params, [&](Run& run) { run.result = run.experiment->run(run.params, meter); });
  } catch (const Cancelled&) {
  }
  return meter.total();
}

}  // namespace sqrtdk
