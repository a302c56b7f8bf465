#pragma once
// Many steps of a trainer, and what is to be seen of them on the way.
#include <functional>

#include "training/attention_gradients.h"
#include "training/trainer.h"

namespace sqrtdk {

struct Record {
  int64_t step;                                 // how many there were
  double loss, learning_rate, gradient_norm;    // of the last of them; NaN before the first
  Evaluation evaluation;                        // after it
  std::vector<GradientNorm> layers;             // as the optimizer saw them; NaN before the first
  std::vector<HeadRecord> heads;                // after it
  std::vector<ScoreGradients> score_gradients;  // after it
};

/// A record as a row of numbers: step, loss, learning_rate, gradient_norm, evaluation_loss, token_accuracy,
/// sequence_accuracy, gradient_norm.<layer> .., then for each attention of TaskModel::attentions
/// dscores_mean.<attention> .., dscores_median.<attention> .., and for each of its heads
/// entropy.<attention>.<head> .., saturated.<attention>.<head> ..
std::vector<std::string> record_columns(const Trainer& trainer);
std::vector<std::string> record_columns(const TrainerConfig& config);  // without making a trainer
std::vector<double> record_row(const Record& record);

struct RunOptions {
  int64_t record_every = 0;    // steps; 0: no records
  int64_t examples = 256;      // of the evaluation
  int64_t head_examples = 32;  // the first of them: heads and score gradients are taken of these
  /// During the call, the heads' weights are in the trainer's cache.
  std::function<void(const Record&)> on_record = {};
  /// After each step and its record; false ends the run there.
  std::function<bool(const StepResult&)> on_step = {};
};

/// The record of the trainer as it is; `last` is what its last step returned, and the layers' norms are that
/// step's.
Record record(Trainer& trainer, const std::optional<StepResult>& last, const RunOptions& options);

/// n more steps. There is a record before the first step of all, and after each whose number is a multiple of
/// record_every: records and weights are the same in however many pieces a trainer runs. Throws ValueError
/// for invalid options, Cancelled where on_step says so, and what Trainer::step throws; the
/// trainer is then as its last whole step left it, and can go on.
void run(Trainer& trainer, int64_t n, const RunOptions& options);

}  // namespace sqrtdk
