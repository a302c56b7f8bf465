#include <new>

#include "experiments/experiment.h"
#include "experiments/text.h"
#include "tensor/errors.h"

// A WebAssembly module may hold some of them.
#ifdef SQRTDK_WITHOUT_FIGURES
#define SQRTDK_IN_figures(experiment)
#else
#define SQRTDK_IN_figures(experiment) experiment,
#endif
#ifdef SQRTDK_WITHOUT_LAYERS
#define SQRTDK_IN_layers(experiment)
#else
#define SQRTDK_IN_layers(experiment) experiment,
#endif

namespace sqrtdk {

const std::vector<const Experiment*>& all_experiments() {
  static const std::vector<const Experiment*> all = {
#define EXPERIMENT(id, module) SQRTDK_IN_##module(&experiments::id)
#include "experiments/experiments.inc"
#undef EXPERIMENT
  };
  return all;
}

const Experiment& find_experiment(const std::string& id) {
  std::string known;
  for (const Experiment* experiment : all_experiments()) {
    if (experiment->id == id) return *experiment;
    known.append(known.empty() ? "" : ", ").append(experiment->id);
  }
  throw ValueError(ErrorCode::kUnknownName, "find_experiment", "experiment", known, clipped(id));
}

const Preset& find_preset(const Experiment& experiment, const std::string& name) {
  std::string known;
  for (const Preset& preset : experiment.presets) {
    if (preset.name == name) return preset;
    known.append(known.empty() ? "" : ", ").append(preset.name);
  }
  throw ValueError(ErrorCode::kUnknownName, experiment.id, "preset", known.empty() ? "none" : known,
                   clipped(name));
}

Run run_experiment(const std::string& id, const std::map<std::string, std::string>& params,
                   const Progress& progress) {
  const Experiment& experiment = find_experiment(id);
  try {
    Run run{&experiment, Params::parse(id, experiment.params, params), {}};
    run.result = experiment.run(run.params, progress);
    return run;
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(ErrorCode::kOutOfMemory, id, "", "", "too many");
  }
}

}  // namespace sqrtdk
