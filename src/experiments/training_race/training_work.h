#pragma once
// What training costs: the work of a pass and of a step, and the memory of a trainer.
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

/// When a training is looked at: before its first step, about so many times evenly, and after its last.
class Looks {
 public:
  Looks(int64_t steps, int64_t about);
  bool after(int64_t step) const { return step % every_ == 0 || step == steps_; }
  int64_t count() const;

 private:
  int64_t steps_, every_;
};

/// The memory of a trainer that trains and looks at the heads of so many examples: parameters, gradients,
/// moments, and what its cache keeps.
double training_bytes(const TrainerConfig& config, int64_t head_examples);

}  // namespace sqrtdk
