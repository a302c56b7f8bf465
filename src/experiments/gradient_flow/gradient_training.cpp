#include "experiments/gradient_flow/gradient_training.h"

#include <algorithm>

#include "experiments/training_race/training_work.h"
#include "lab/statistics.h"

namespace sqrtdk {
namespace {

constexpr int64_t kRecords = 5, kExamples = 16, kBatch = 4;

TrainerConfig config_of(const GradientTraining& training, const Scale& scale) {
  TrainerConfig config;
  config.task = {"sort", 12, 16};
  config.model.n_layers = 1;
  config.model.layer.attention.d_model = training.d_k;
  config.model.layer.d_ff = 2 * training.d_k;
  config.model.layer.attention.scale = scale.at(training.d_k);
  config.optimizer.non_finite = NonFinite::kSkip;
  config.batch = kBatch;
  config.seed = training.seed;
  return config;
}

/// An evaluation and gradients of the rows: forward, and twice as much backward.
double look_work(const TrainerConfig& config) {
  return static_cast<double>(kExamples + 3 * kExamples) * forward_work(config);
}

/// Rows of the attention at one time of the training.
struct Moment {
  double step;
  Scalar q, scores;
  double saturated;
  Evaluation evaluation;
};

/// The loss is a mean over all tokens of the examples: times their number, a row's gradient is that of the
/// sum, whatever the number of examples.
Scalar of_rows(std::vector<double> norms, int64_t n_tokens) {
  for (double& x : norms) x *= static_cast<double>(n_tokens);
  Scalar scalar = summary("", {}, std::move(norms));
  scalar.se = kNone;  // the rows of an example are not independent
  return scalar;
}

Moment look_at(Trainer& trainer, ProgressMeter& meter) {
  const int64_t n_tokens = kExamples * trainer.task().n_answer();
  const RowGradients rows = trainer.row_gradients(kExamples).front();
  const double saturated = head_records(trainer.cache(), trainer.model().attentions()).front().saturated;
  const Evaluation evaluation = trainer.evaluate(kExamples);
  meter.add(look_work(trainer.config()));
  return {static_cast<double>(trainer.steps()), of_rows(rows.q, n_tokens), of_rows(rows.scores, n_tokens),
          saturated, evaluation};
}

std::vector<Moment> train(const GradientTraining& training, const Scale& scale, ProgressMeter& meter) {
  Trainer trainer(config_of(training, scale));
  const Looks looks(training.steps, kRecords);
  std::vector<Moment> moments = {look_at(trainer, meter)};
  while (trainer.steps() < training.steps) {
    trainer.step();
    meter.add(step_work(trainer.config()));
    if (looks.after(trainer.steps())) moments.push_back(look_at(trainer, meter));
  }
  return moments;
}

void add_scalars(Result& result, const Moment& moment, const GradientTraining& training, const Scale& scale) {
  const Labels at = {{"d_k", training.d_k}, {"scale", scale}, {"step", static_cast<int64_t>(moment.step)}};
  for (const auto& [name, norms] :
       {std::pair{"row_grad_norm_wrt_q", &moment.q}, std::pair{"row_grad_norm_wrt_scores", &moment.scores}}) {
    Scalar& scalar = result.add(*norms);
    scalar.name = name;
    scalar.at = at;
  }
  result.add("saturated_rows", at, moment.saturated);
  result.add("token_accuracy", at, moment.evaluation.token_accuracy);
}

/// A series per scale.
Figure over_steps(const char* name, const char* y, double (*value)(const Moment&),
                  const std::vector<std::vector<Moment>>& runs, const std::vector<Scale>& scales) {
  Figure figure{.name = name, .at = {}, .x = "step", .y = y};
  for (size_t i = 0; i < runs.size(); ++i) {
    Series series{.name = scales[i].name, .role = role_of(scales[i])};
    for (const Moment& moment : runs[i]) {
      series.add(moment.step, value(moment));
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

}  // namespace

double gradient_training_work(const GradientTraining& training) {
  if (training.steps == 0) return 0;
  const TrainerConfig config = config_of(training, parse_scale("gradient_flow", "none"));
  const Looks looks(training.steps, kRecords);
  return static_cast<double>(training.steps) * step_work(config) +
         static_cast<double>(looks.count()) * look_work(config);
}

void train_for_gradients(Result& result, const GradientTraining& training, const std::vector<Scale>& scales,
                         ProgressMeter& meter) {
  if (training.steps == 0) return;
  std::vector<std::vector<Moment>> runs;
  bool agree = true;
  for (const Scale& scale : scales) {
    runs.push_back(train(training, scale, meter));
    const std::vector<Moment>& run = runs.back();
    add_scalars(result, run.front(), training, scale);
    add_scalars(result, run.back(), training, scale);
    const bool long_enough = training.steps >= 30 && training.d_k >= 128;
    const double change = run.back().q.p50 / run.front().q.p50;
    if (!long_enough) continue;
    if (scale.name == "none") {
      agree = agree && change < 0.8 && run.back().saturated > run.front().saturated;
    } else if (scale.name == "1/sqrt(d)") {
      agree = agree && change > 0.8 && run.back().saturated < 0.1;
    }
  }
  if (!agree) {
    result.holds = Holds::kNo;
    result.verdict = "gradient_flow_differs";
  }
  const std::pair<const char*, double (*)(const Moment&)> curves[] = {
      {"training_median", [](const Moment& moment) { return moment.q.p50; }},
      {"training_mean", [](const Moment& moment) { return moment.q.value; }},
      {"training_saturated", [](const Moment& moment) { return moment.saturated; }}};
  for (const auto& [name, value] : curves) {
    const bool share = value == curves[2].second;
    Figure& figure =
        result.add(over_steps(name, share ? "frac_max_gt_0.99" : "gradient_norm", value, runs, scales));
    figure.log_y = !share;
    if (share) figure.y_max = 1;
  }
}

}  // namespace sqrtdk
