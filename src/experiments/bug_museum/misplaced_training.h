#pragma once
// A model of one layer learns to sort with its factor 1/sqrt(d_k) in any of the places of misplaced_scale.h.
#include "experiments/bug_museum/misplaced_scale.h"
#include "lab/experiment.h"
#include "lab/progress.h"

namespace sqrtdk {

struct MisplacedTraining {
  int64_t d_model, n_heads, steps;
  uint64_t seed;
};

/// The work for one place.
double misplaced_training_work(const MisplacedTraining& training);

/// What is seen of the model after a number of steps, on examples that it does not learn from.
struct MisplacedRecord {
  int64_t step;
  double loss, token_accuracy;
  double saturated;  // share of rows of softmax's weights with one above 0.99
};
/// About ten records, the first before the first step. The model but for its attention, its task and its
/// start are those of Trainer.
std::vector<MisplacedRecord> train_misplaced(const MisplacedTraining& training, const ScaleFactors& factors,
                                             ProgressMeter& meter);

}  // namespace sqrtdk
