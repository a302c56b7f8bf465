#include "experiments/scale_in_the_weights/folded_training.h"

#include <cmath>

namespace sqrtdk::experiments {
namespace {

constexpr int64_t kRecords = 20, kExamples = 64;

double factor_of(double power, int64_t d) {
  const double root = std::sqrt(static_cast<double>(d));
  return power == 0 ? 1 : 1 / (power == -0.5 ? root : std::sqrt(root));
}

/// Settings of the optimizer for a matrix that is `factor` times as large and has gradients 1/factor times as
/// large, so that its steps are `factor` times as large.
StepFactors correction(OptimizerKind kind, double factor, bool rate_only) {
  const double square = factor * factor;
  StepFactors factors;
  if (kind == OptimizerKind::kSgd) factors.learning_rate = square;
  if (kind == OptimizerKind::kAdam || kind == OptimizerKind::kAdamW) factors.learning_rate = factor;
  if (rate_only) return factors;
  factors.weight_decay = kind == OptimizerKind::kAdafactor ? 1 : 1 / factors.learning_rate;
  factors.epsilon = kind == OptimizerKind::kAdafactor ? 1 / square : 1 / factor;
  factors.least_size = factor;
  return factors;
}

/// Rows of W_Q or W_K with their biases, of every layer.
struct Projection {
  ParameterGroup weight, bias;
};

std::vector<Projection> projections(const Parameters& parameters, bool of_queries) {
  std::vector<Projection> found;
  for (const AttentionParameters& attention : parameters.attentions()) {
    const Rows& rows = of_queries ? attention.w_q : attention.w_k;
    std::string name = parameters.list()[static_cast<size_t>(rows.parameter)].name;
    name.replace(name.rfind("weight"), 6, "bias");
    found.push_back(
        {{rows.parameter, rows.first, attention.n_q}, {parameters.find(name), rows.first, attention.n_q}});
  }
  return found;
}

std::span<float> rows_of(Parameters& parameters, const ParameterGroup& group) {
  const View value = parameters.value(group.parameter);
  const int64_t n_cols = value.shape.rank() > 1 ? value.shape[1] : 1;
  return {value.data + group.first_row * n_cols, static_cast<size_t>(group.n_rows * n_cols)};
}

void multiply(Parameters& parameters, const std::vector<Projection>& all, double factor) {
  for (const Projection& each : all) {
    for (const ParameterGroup& group : {each.weight, each.bias}) {
      for (float& x : rows_of(parameters, group)) x *= static_cast<float>(factor);
    }
  }
}

double norm(std::span<const float> x) {
  double squares = 0;
  for (const float each : x) squares += static_cast<double>(each) * static_cast<double>(each);
  return std::sqrt(squares);
}

/// ‖W_Q now - W_Q before‖ / ‖W_Q before‖ of the first layer.
double relative_change(std::span<const float> now, const std::vector<float>& before) {
  std::vector<float> apart(before.size());
  for (size_t i = 0; i < apart.size(); ++i) apart[i] = now[i] - before[i];
  return norm(apart) / norm(before);
}

OptimizerKind kind_of(const std::string& name) {
  if (name == "adamw") return OptimizerKind::kAdamW;
  if (name == "adafactor") return OptimizerKind::kAdafactor;
  return name == "adam" ? OptimizerKind::kAdam : OptimizerKind::kSgd;
}

}  // namespace

TrainerConfig folded_config(const Params& params) {
  const std::string& optimizer = params.choice("optimizer");
  TrainerConfig config;
  config.task = {"sort", 12, 16};
  config.model.layer.attention.d_model = params.integer("d_k");
  config.model.layer.d_ff = 2 * params.integer("d_k");
  config.optimizer.kind = kind_of(optimizer);
  config.optimizer.learning_rate = params.real("learning_rate");
  config.optimizer.momentum = optimizer == "momentum" ? 0.9 : 0;
  config.optimizer.weight_decay = optimizer == "adamw" ? params.real("weight_decay") : 0;
  config.optimizer.non_finite = NonFinite::kSkip;
  config.seed = params.seed("seed");
  return config;
}

namespace {

FoldedLook look_at(Trainer& trainer, double change, ProgressMeter& meter) {
  const Evaluation evaluation = trainer.evaluate(kExamples);
  meter.add(static_cast<double>(kExamples) * forward_work(trainer.config()));
  return {static_cast<double>(trainer.steps()), evaluation.loss, evaluation.token_accuracy, change};
}

}  // namespace

double folded_work(const Params& params) {
  const TrainerConfig config = folded_config(params);
  const int64_t steps = params.integer("steps");
  const auto n_looks = static_cast<double>(Looks(steps, kRecords).count());
  return static_cast<double>(steps) * step_work(config) +
         n_looks * static_cast<double>(kExamples) * forward_work(config);
}

FoldedCourse train_folded(const Params& params, const ScalePlace& place, ProgressMeter& meter) {
  const int64_t d = params.integer("d_k"), steps = params.integer("steps");
  TrainerConfig config = folded_config(params);
  const bool folded = place.query_power != 0;
  config.model.layer.attention.scale = folded ? 1.0f : default_scale(d);
  Trainer trainer(config);
  Parameters& parameters = trainer.parameters();
  const double factors[] = {factor_of(place.query_power, d), factor_of(place.key_power, d)};
  std::vector<ParameterGroup> groups;
  for (const bool of_queries : {true, false}) {
    const double factor = factors[of_queries ? 0 : 1];
    const std::vector<Projection> all = projections(parameters, of_queries);
    multiply(parameters, all, factor);
    for (Projection each : all) {
      if (place.corrected) {
        each.weight.factors = each.bias.factors =
            correction(config.optimizer.kind, factor, params.choice("correction") == "rate_only");
      }
      groups.insert(groups.end(), {each.weight, each.bias});
    }
  }
  trainer.set_groups(std::move(groups));

  const ParameterGroup queries = projections(parameters, true).front().weight;
  const std::span<const float> w_q = rows_of(parameters, queries);
  const std::vector<float> before(w_q.begin(), w_q.end());
  const Looks looks(steps, kRecords);
  FoldedCourse course;
  course.looks.push_back(look_at(trainer, 0, meter));
  while (trainer.steps() < steps) {
    course.losses.push_back(trainer.step().loss);
    meter.add(step_work(config));
    const double change = relative_change(w_q, before);
    if (trainer.steps() == 1) course.first_change = change;
    if (looks.after(trainer.steps())) course.looks.push_back(look_at(trainer, change, meter));
  }
  for (const bool of_queries : {true, false}) {
    multiply(parameters, projections(parameters, of_queries), 1 / factors[of_queries ? 0 : 1]);
  }
  const std::span<const float> values = std::as_const(parameters).values();
  course.values.assign(values.begin(), values.end());
  return course;
}

}  // namespace sqrtdk::experiments
