#pragma once
// A model that learns its scale, from three different ones: where does it go, and does it help?
#include <string>

#include "lab/experiment.h"
#include "lab/progress.h"

namespace sqrtdk {

/// One layer with one head, on sequences of 8 tokens.
struct LearnedScaleTraining {
  std::string task;
  int64_t d_k, steps;  // no steps: nothing is trained
  double learning_rate;
  uint64_t seed;
};
double learned_scale_work(const LearnedScaleTraining& training);

/// From no scale, 1/sqrt(d) and 1/d: adds the scale times sqrt(d) and the accuracy over steps, and the
/// accuracies at the end, with the scale learned and with the same scale kept.
void train_learned_scales(Result& result, const LearnedScaleTraining& training, ProgressMeter& meter);

}  // namespace sqrtdk
