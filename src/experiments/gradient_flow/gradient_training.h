#pragma once
// A model learns to sort with each scale: what reaches the queries of its attention on the way?
#include "lab/experiment.h"
#include "lab/progress.h"

namespace sqrtdk {

/// One layer with one head, as the race's models are otherwise.
struct GradientTraining {
  int64_t d_k, steps;  // no steps: nothing is trained
  uint64_t seed;
};

/// The work for one scale.
double gradient_training_work(const GradientTraining& training);

/// Adds figures over the steps, numbers of the first and the last, and judges what happened: unscaled, the
/// median of ‖∂L/∂q‖ falls and rows saturate; with 1/sqrt(d) neither.
void train_for_gradients(Result& result, const GradientTraining& training, const std::vector<Scale>& scales,
                         ProgressMeter& meter);

}  // namespace sqrtdk
