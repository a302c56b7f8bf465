#pragma once
// One training whose scale is in the formula, or folded into W_Q or both W_Q and W_K.
#include "experiments/training_race/training_work.h"
#include "lab/experiment.h"

namespace sqrtdk::experiments {

/// Where the scale is; corrected: with steps that undo what the place does to them.
struct ScalePlace {
  const char* name;
  double query_power, key_power;  // W_Q and W_K begin times d to these
  bool corrected;
};

struct FoldedLook {
  double step, loss, accuracy, change;
};

/// One training.
struct FoldedCourse {
  std::vector<FoldedLook> looks;  // on examples of their own
  std::vector<double> losses;     // of each step's batch
  std::vector<float> values;      // at the end, W_Q and W_K without the factors
  double first_change = 0;        // of W_Q, by the first step
};

/// Settings that all trainings share.
TrainerConfig folded_config(const Params& params);

/// The work of one.
double folded_work(const Params& params);

FoldedCourse train_folded(const Params& params, const ScalePlace& place, ProgressMeter& meter);

}  // namespace sqrtdk::experiments
