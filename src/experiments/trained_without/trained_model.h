#pragma once
// Trained models that are run at scales other than their own.
#include <algorithm>
#include <cmath>
#include <memory>

#include "lab/experiment.h"
#include "training/task.h"

namespace sqrtdk {

/// What a model does at one scale.
struct Performance {
  struct Measure {
    const char* name;
    double value;
    double se = kNone;
  };
  std::vector<Measure> measures;  // the first is a share of right tokens, by which scales are judged
  std::string text{};             // an answer, for the printed lines
  double value() const { return measures.front().value; }
  bool finite() const {
    return std::all_of(measures.begin(), measures.end(),
                       [](const Measure& measure) { return std::isfinite(measure.value); });
  }
};

class TrainedModel {
 public:
  virtual ~TrainedModel() = default;
  virtual int64_t d_k() const = 0;          // of one head
  virtual float own_scale() const = 0;      // of its training
  virtual Performance at(float scale) = 0;  // tells the meter
  virtual double work() const = 0;          // of `at`, at most
  /// What is to be done first: training, or the text that is compared.
  virtual double preparation_work() const { return 0; }
  virtual void prepare() {}
  /// The first head's weights for its example, as a heat map; none where there is no example.
  virtual std::optional<Figure> weights(float scale) = 0;
};

/// A model of one head that is to be trained on a task: sorting, or the characters of a rhyme.
struct TaskTraining {
  TaskConfig task;
  int64_t d_k, n_layers, steps;
  double learning_rate;
  float scale;  // of the training
  uint64_t seed;
};
std::unique_ptr<TrainedModel> untrained_model(const TaskTraining& training, ProgressMeter& meter);

/// The reader's own: a checkpoint of our trainer (safetensors), a nano-GPT that sorts (JSON) or a model of
/// llama2.c, of which `n_tokens` tokens are asked; its tokenizer's file may be empty. Throws FormatError.
std::unique_ptr<TrainedModel> read_trained_model(std::span<const uint8_t> file,
                                                 std::span<const uint8_t> tokenizer, int64_t n_tokens,
                                                 std::string_view op, ProgressMeter& meter);

/// One for each kind of file.
std::unique_ptr<TrainedModel> read_trainer(std::span<const uint8_t> file, std::string_view op,
                                           ProgressMeter& meter);
std::unique_ptr<TrainedModel> read_sorting_gpt(std::span<const uint8_t> file, std::string_view op,
                                               ProgressMeter& meter);
std::unique_ptr<TrainedModel> read_storyteller(std::span<const uint8_t> file,
                                               std::span<const uint8_t> tokenizer, int64_t n_tokens,
                                               std::string_view op, ProgressMeter& meter);

}  // namespace sqrtdk
