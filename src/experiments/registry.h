#pragma once
// Every registered experiment by its name.
#include "lab/experiment.h"

namespace sqrtdk::experiments {
#define EXPERIMENT(id, module) extern const Experiment id;
#include "experiments/experiments.inc"
#undef EXPERIMENT
}  // namespace sqrtdk::experiments
