#pragma once
// What training costs, in random draws that take as long: for progress and for Experiment::work.
#include "training/trainer.h"

namespace sqrtdk {

/// One forward pass over one sequence.
inline double forward_work(const TrainerConfig& config) {
  const LanguageModelConfig& model = config.model;
  const auto d = static_cast<double>(model.layer.d_model), d_ff = static_cast<double>(model.layer.d_ff);
  return static_cast<double>(model.context * model.n_layers) * (4 * d * d + 2 * d * d_ff) / 120;
}

/// One step: forward, and twice as much backward.
inline double step_work(const TrainerConfig& config) {
  return 3 * static_cast<double>(config.batch) * forward_work(config);
}

}  // namespace sqrtdk
