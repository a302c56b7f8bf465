// A model of our own trainer, trained here or read from its checkpoint.
#include <cmath>

#include "base/errors.h"
#include "experiments/trained_without/trained_model.h"
#include "experiments/training_race/training_work.h"
#include "lab/heat_map.h"
#include "models/checkpoint.h"
#include "training/trainer.h"

namespace sqrtdk {
namespace {

constexpr const char* kCheckpoint = "checkpoint";
constexpr const char* kCharacters = "characters";

double se_of(double share, int64_t n) { return std::sqrt(share * (1 - share) / static_cast<double>(n)); }

class TrainedOnTask : public TrainedModel {
 public:
  TrainedOnTask(const TrainerConfig& config, ProgressMeter& meter, int64_t steps = 0)
      : trainer_(config),
        meter_(meter),
        steps_(steps),
        continues_(config.task.name == kCharacters),
        n_examples_(continues_ ? 64 : 500) {
    const Task& task = trainer_.task();
    source_.resize(static_cast<size_t>(task.n_source()));
    std::vector<int32_t> answer(static_cast<size_t>(task.n_answer()));
    task.sample(config.seed, stream_of("example"), 0, 1, source_.data(), answer.data());
    if (continues_) source_.front() = first_of(config.task.text);  // told from its beginning
  }
  Trainer& trainer() { return trainer_; }

  int64_t d_k() const override { return trainer_.config().model.layer.attention.d_head; }
  float own_scale() const override { return trainer_.first_scale(); }
  Performance at(float scale) override {
    const Evaluation found = trainer_.evaluate(n_examples_, scale);
    meter_.add(work());
    return {{{"token_accuracy", found.token_accuracy, se_of(found.token_accuracy, n_examples_)},
             {"sequence_accuracy", found.sequence_accuracy, se_of(found.sequence_accuracy, n_examples_)},
             {"loss", found.loss}},
            words(source_) + " -> " + words(trainer_.answer(source_, scale))};
  }
  double work() const override { return static_cast<double>(n_examples_) * forward_work(trainer_.config()); }
  double preparation_work() const override {
    return static_cast<double>(steps_) * step_work(trainer_.config());
  }
  void prepare() override {
    while (trainer_.steps() < steps_) {
      trainer_.step();
      meter_.add(step_work(trainer_.config()));
    }
  }
  std::optional<Figure> weights(float scale) override {
    trainer_.answer(source_, scale, true);
    const char* const name = "layers.0.self_attn.weights";
    if (!trainer_.cache().has(name)) return {};
    const ConstView weights = trainer_.cache().at(name);
    const int64_t n = weights.shape[-1];
    return heat_map("trained_weights", {}, {weights.data, {weights.shape[-2], n}},
                    {.x = "key", .y = "query", .z = "weight", .rows = names(n), .cols = names(n)});
  }

 private:
  int32_t first_of(const std::string& text) const {
    int32_t token = 0;
    while (!text.starts_with(trainer_.task().text(token))) ++token;
    return token;
  }
  std::string words(std::span<const int32_t> tokens) const {
    std::string text;
    for (const int32_t token : tokens) {
      if (!continues_ && !text.empty()) text += ' ';
      const std::string written = trainer_.task().text(token);
      text += written == "\n" ? " " : written;
    }
    return text;
  }
  std::vector<std::string> names(int64_t n) const {
    std::vector<std::string> names;
    for (const int32_t token : source_) names.push_back(trainer_.task().text(token));
    if (static_cast<int64_t>(names.size()) != n) names.clear();
    return names;
  }

  Trainer trainer_;
  ProgressMeter& meter_;
  int64_t steps_;
  bool continues_;  // a text, character by character
  int64_t n_examples_;
  std::vector<int32_t> source_;
};

TrainerConfig config_of(const TaskTraining& training) {
  TrainerConfig config;
  config.task = training.task;
  if (training.task.name == kCharacters) config.topology = Topology::kDecoder;
  config.model.n_layers = training.n_layers;
  config.model.layer.attention.d_model = training.d_k;
  config.model.layer.d_ff = 2 * training.d_k;
  config.model.layer.attention.scale = training.scale;
  config.model.context = training.task.length;
  config.optimizer.learning_rate = training.learning_rate;
  config.seed = training.seed;
  return config;
}

}  // namespace

std::unique_ptr<TrainedModel> untrained_model(const TaskTraining& training, ProgressMeter& meter) {
  return std::make_unique<TrainedOnTask>(config_of(training), meter, training.steps);
}

std::unique_ptr<TrainedModel> read_trainer(std::span<const uint8_t> file, std::string_view op,
                                           ProgressMeter& meter) {
  SafeTensors contents = read_safetensors(file, op, kCheckpoint);
  const TrainerConfig config = checkpoint_config(contents, op, kCheckpoint);
  std::erase_if(contents.tensors,
                [](const NamedTensor& tensor) { return tensor.name.starts_with("optimizer."); });
  if (config.model.layer.attention.learned_scale) {
    throw FormatError(ErrorCode::kUnsupported, op, kCheckpoint, "one scale of the config", "learned scales");
  }
  auto model = std::make_unique<TrainedOnTask>(config, meter);
  load_state(model->trainer().parameters(), contents.tensors, {}, op, kCheckpoint);
  return model;
}

}  // namespace sqrtdk
