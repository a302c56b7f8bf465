#pragma once
// A language model that learns a task, step by step: the same config gives the same bits, wherever and in
// however many pieces it runs.
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "formats/safetensors.h"
#include "layers/initialize.h"
#include "training/attention_gradients.h"
#include "training/optimizer.h"
#include "training/records.h"
#include "training/schedule.h"
#include "training/task_model.h"

namespace sqrtdk {

/// A trainer's model unless told otherwise: 2 layers, pre-LN, d_model 64, one head, learned positions, d_ff
/// 2 d_model.
LanguageModelConfig small_model();

/// How it begins: Xavier, with W_Q, W_K and W_V a matrix each, so that q and k have variance 1.
constexpr Initialization kUnitVarianceQk{.scheme = InitScheme::kXavierUniform, .split_in_proj = true};

struct TrainerConfig {
  TaskConfig task;
  Topology topology = Topology::kEncoder;
  LanguageModelConfig model = small_model();
  Initialization initialization = kUnitVarianceQk;
  OptimizerConfig optimizer;
  Schedule schedule;
  double max_gradient_norm = 0;  // 0: gradients are not clipped
  float label_smoothing = 0;
  int64_t batch = 32;
  uint64_t seed = 0;
};

struct StepResult {
  int64_t step;                               // how many there are, with this one
  double loss, learning_rate, gradient_norm;  // before clipping
  bool updated;  // false where a gradient was not finite and the optimizer skips such steps
};

struct Evaluation {
  double loss, token_accuracy, sequence_accuracy;
};

class Trainer {
 public:
  static constexpr int64_t kMaxBatch = 4096;  // examples at once

  /// Throws ValueError for an invalid configuration, and OutOfMemory.
  explicit Trainer(const TrainerConfig& config);
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// One batch: forward, backward, optimizer. Where it throws (a gradient is not finite), nothing is
  /// changed.
  StepResult step();

  /// On the first n examples of a stream of their own, of what the task holds out; with `scale` instead of
  /// the config's. A sequence is right when all tokens of its answer are. The decoder is shown the answer's
  /// tokens so far.
  Evaluation evaluate(int64_t n, std::optional<float> scale = {});

  /// What the model answers to a source of n_source tokens: see TaskModel. With `explain`, the attention
  /// weights of every layer stay in cache().
  std::vector<int32_t> answer(std::span<const int32_t> source, std::optional<float> scale = {},
                              bool explain = false);

  /// The record of each head over the first n examples of the evaluation; their weights stay in cache().
  std::vector<HeadRecord> look_at_heads(int64_t n, std::optional<float> scale = {});
  /// The map of each head for one example of the evaluation; the decoder is shown the right answer's tokens.
  std::vector<AttentionMap> attention_maps(int64_t example, std::optional<float> scale = {});
  /// Examples first .. first + n - 1 of the evaluation, answered as `answer` does.
  std::vector<AnswerText> answers(int64_t n, std::optional<float> scale = {}, int64_t first = 0);

  /// The parameters' gradients become those of the task's loss over the first n examples of the evaluation,
  /// as in training but without dropout; no step is made, and the next one has the same bits as without.
  /// cache() holds what MultiHeadAttention::backward leaves, dscores too. Returns the loss.
  double compute_gradients(int64_t n);
  /// Compute gradients as compute_gradients does; return each attention's of its rows or its projections.
  std::vector<RowGradients> row_gradients(int64_t n);
  std::vector<ProjectionGradients> projection_gradients(int64_t n);

  /// The learning rate of all further steps, at the schedule's peak. It is part of config() and of
  /// checkpoints. Throws ValueError for a number that is negative or not finite.
  void set_learning_rate(double learning_rate);

  /// Before the first step: rows of parameters whose steps differ. They are no part of config() or of
  /// checkpoints; a trainer that restores one gets them anew.
  void set_groups(std::vector<ParameterGroup> groups) { optimizer_->set_groups(std::move(groups)); }

  /// The norms of the last step's gradients, as the optimizer saw them; NaN before the first step and after
  /// restore.
  std::vector<GradientNorm> layer_gradient_norms() const;
  uint64_t weight_hash() const { return hash_of(parameters_.values()); }

  /// A safetensors file: the parameters under their names, "optimizer.<i>" for its moments, and the config
  /// and the numbers of steps as metadata.
  std::vector<uint8_t> save() const;
  /// The trainer goes on bit-identically, as if it had made these steps itself; the learning rate becomes the
  /// checkpoint's. Throws FormatError where the file is no checkpoint or one of another config, and then
  /// nothing is changed.
  void restore(std::span<const uint8_t> checkpoint);

  const TrainerConfig& config() const { return config_; }  // with defaults resolved
  /// Scores are multiplied by it where no scale is learned; learned ones begin with it.
  float first_scale() const;
  const Task& task() const { return *task_; }
  const TaskModel& model() const { return *model_; }
  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }
  const Optimizer& optimizer() const { return *optimizer_; }
  const Cache& cache() const { return cache_; }
  int64_t steps() const { return steps_; }

 private:
  enum class Part { kTraining, kEvaluation };
  void draw(Part part, int64_t first, int64_t n);
  double backward(bool explain, const Mode& mode);
  std::vector<GradientNorm> unknown_norms() const;  // of each layer, while no step was made

  std::unique_ptr<Task> task_;
  TrainerConfig config_;
  Parameters parameters_;
  std::optional<TaskModel> model_;
  std::optional<Optimizer> optimizer_;
  Cache cache_;
  std::vector<int32_t> source_, answer_;
  int64_t steps_ = 0;
  bool gradients_of_step_ = false;        // what lies in the parameters' gradients
  std::vector<GradientNorm> step_norms_;  // what lay there, where it is another's
};

/// The config of a checkpoint: what a trainer needs that shall restore it. Throws FormatError, also where the
/// file has not as many numbers as a model of this config: nothing of its size is made before that is known.
TrainerConfig checkpoint_config(std::span<const uint8_t> checkpoint);
TrainerConfig checkpoint_config(const SafeTensors& file, std::string_view op, std::string_view argument);

}  // namespace sqrtdk
