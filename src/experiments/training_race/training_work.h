#pragma once
// What training costs: the time of a pass in random draws that take as long, for progress and for
// Experiment::work, and the memory of a trainer.
#include "training/trainer.h"

namespace sqrtdk {

/// As Trainer::config() has it, without making a trainer. Throws ValueError for an invalid configuration.
TrainerConfig completed(TrainerConfig config);

/// Multiplications of one forward pass over one sequence, each with its addition: of all matrices, of scores
/// and of weighted values, masked ones too.
double forward_products(const TrainerConfig& config);

/// One forward pass over one sequence.
double forward_work(const TrainerConfig& config);

/// One step: forward, and twice as much backward.
double step_work(const TrainerConfig& config);

/// The memory of a trainer that trains and looks at the heads of so many examples: parameters, gradients,
/// moments, and what its cache keeps.
double training_bytes(const TrainerConfig& config, int64_t head_examples);

}  // namespace sqrtdk
