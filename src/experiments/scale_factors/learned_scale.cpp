#include "experiments/scale_factors/learned_scale.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/training_race/training_work.h"

namespace sqrtdk {
namespace {

constexpr const char* kStarts[] = {"none", "1/sqrt(d)", "1/d"};
constexpr int64_t kRecords = 20, kExamples = 64;

TrainerConfig config_of(const LearnedScaleTraining& training) {
  TrainerConfig config;
  config.task = {training.task, 8, 16};
  config.model.n_layers = 1;
  config.model.context = 8;
  config.model.layer.attention.d_model = training.d_k;
  config.model.layer.d_ff = 2 * training.d_k;
  config.optimizer.learning_rate = training.learning_rate;
  config.optimizer.non_finite = NonFinite::kSkip;
  config.batch = 16;
  config.seed = training.seed;
  return config;
}

double look_work(const TrainerConfig& config) {
  return static_cast<double>(kExamples) * forward_work(config);
}

struct Curves {
  Series scale, accuracy;  // over steps; the scale times sqrt(d)
};

Curves train(const LearnedScaleTraining& training, const Scale& start, bool learned, ProgressMeter& meter) {
  TrainerConfig config = config_of(training);
  config.model.layer.attention.scale = start.at(training.d_k);
  config.model.layer.attention.learned_scale = learned;
  Trainer trainer(config);
  const Parameters& parameters = std::as_const(trainer).parameters();
  const int index = parameters.attentions().front().scale;
  Curves curves{.scale = {.name = start.name, .role = role_of(start)},
                .accuracy = {.name = start.name, .role = role_of(start)}};
  const auto look = [&] {
    const float scale = learned ? *parameters.value(index).data : start.at(training.d_k);
    const int64_t step = trainer.steps();
    curves.scale.add(step, static_cast<double>(scale) * std::sqrt(static_cast<double>(training.d_k)));
    curves.accuracy.add(step, trainer.evaluate(kExamples).token_accuracy);
    meter.add(look_work(trainer.config()));
  };
  const Looks looks(training.steps, kRecords);
  look();
  while (trainer.steps() < training.steps) {
    trainer.step();
    meter.add(step_work(trainer.config()));
    if (looks.after(trainer.steps())) look();
  }
  return curves;
}

}  // namespace

double learned_scale_work(const LearnedScaleTraining& training) {
  if (training.steps == 0) return 0;
  const TrainerConfig config = config_of(training);
  const auto n_trainings = static_cast<double>(2 * std::size(kStarts));  // learned, and kept
  const auto n_looks = static_cast<double>(Looks(training.steps, kRecords).count());
  return n_trainings *
         (static_cast<double>(training.steps) * step_work(config) + n_looks * look_work(config));
}

void train_learned_scales(Result& result, const LearnedScaleTraining& training, ProgressMeter& meter) {
  if (training.steps == 0) return;
  Figure scale{.name = "learned_scale", .at = {}, .x = "step", .y = "scale_times_root", .log_y = true};
  Figure accuracy{
      .name = "accuracy_with_learned_scale", .at = {}, .x = "step", .y = "right_tokens", .y_max = 1};
  for (const char* name : kStarts) {
    const Scale start = parse_scale("scale_factors", name);
    for (const bool learned : {true, false}) {
      Curves curves = train(training, start, learned, meter);
      const Labels at = {{"scale", start.name}, {"learned", learned ? "yes" : "no"}};
      result.add("token_accuracy", at, curves.accuracy.y.back());
      if (!learned) continue;
      result.add("learned_scale", {{"scale", name}}, curves.scale.y.back());
      scale.series.push_back(std::move(curves.scale));
      accuracy.series.push_back(std::move(curves.accuracy));
    }
  }
  result.add(std::move(scale));
  result.add(std::move(accuracy));
}

}  // namespace sqrtdk
