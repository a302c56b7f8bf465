// W_Q and W_K in training, from Xavier and from equal ones: how far are they apart, and their gradients?
// Equal ones part at once, since softmax treats queries and keys differently; what parts them is the loss,
// not a small difference that feeds upon itself.
#include <algorithm>
#include <cmath>

#include "experiments/registry.h"
#include "experiments/training_race/training_work.h"
#include "lab/chance.h"
#include "lab/common_params.h"
#include "tensor/random.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "qk_symmetry_breaking";
constexpr int64_t kRecords = 20, kExamples = 32;
constexpr double kLearned = 0.95;

constexpr const char* kStarts[] = {"xavier", "equal", "nearly_equal"};
enum Start : size_t { kXavier, kEqual, kNearlyEqual };

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

/// Two matrices beside each other. The distance is relative to their root mean square length: sqrt(2) where
/// they are orthogonal and of one length.
struct Pair {
  double distance, cosine;
};
Pair compare(std::span<const float> a, std::span<const float> b) {
  double squares = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double apart = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    squares += apart * apart;
  }
  const double aa = dot(a, a), bb = dot(b, b);
  return {std::sqrt(2 * squares / (aa + bb)), dot(a, b) / std::sqrt(aa * bb)};
}

struct Moment {
  double step;
  Pair weights, gradients;
  double accuracy;
  bool loss_is_finite;
};

/// One training.
struct Parting {
  std::vector<Moment> moments;
  double query_sum, key_sum;  // sum_share of the gradients of q and of k, at the start
  const Moment& first() const { return moments.front(); }
  const Moment& last() const { return moments.back(); }
};

/// ‖sum of the rows' gradients‖ over the sum of their norms, of one sequence after the other.
double sum_share(ConstView drows) {
  const int64_t d = drows.shape[-1], n = drows.shape[-2];
  double sums = 0, norms = 0;
  for (int64_t sequence = 0; sequence < drows.shape.leading(2); ++sequence) {
    const float* const rows = drows.data + sequence * n * d;
    std::vector<double> total(static_cast<size_t>(d));
    for (int64_t i = 0; i < n; ++i) {
      double squares = 0;
      for (int64_t l = 0; l < d; ++l) {
        const double x = static_cast<double>(rows[i * d + l]);
        total[static_cast<size_t>(l)] += x;
        squares += x * x;
      }
      norms += std::sqrt(squares);
    }
    double squares = 0;
    for (const double x : total) squares += x * x;
    sums += std::sqrt(squares);
  }
  return sums / norms;
}

TrainerConfig config_of(const Params& params) {
  TrainerConfig config;
  config.task = {params.choice("task"), params.integer("length"), params.integer("symbols")};
  config.model.n_layers = 1;
  config.model.context = params.integer("length");
  config.model.layer.attention.d_model = params.integer("d_k");
  config.model.layer.d_ff = 2 * params.integer("d_k");
  config.model.layer.attention.scale = params.scales("scale").front().at(params.integer("d_k"));
  config.optimizer.kind = params.choice("optimizer") == "sgd" ? OptimizerKind::kSgd : OptimizerKind::kAdam;
  config.optimizer.learning_rate = params.real("learning_rate");
  config.optimizer.non_finite = NonFinite::kSkip;
  config.batch = 16;
  config.seed = params.seed("seed");
  return config;
}

/// An evaluation and gradients: forward, and twice as much backward.
double look_work(const TrainerConfig& config) {
  return static_cast<double>(2 * kExamples + 3 * kExamples) * forward_work(config);
}

/// W_Q and, behind it, W_K of the only layer, d_k² numbers each.
constexpr const char* kWeight = "layers.0.self_attn.in_proj_weight";

/// W_K becomes different by noise of `difference` times the root mean square of its elements.
void nudge(Trainer& trainer, double difference) {
  const int64_t d = trainer.config().model.layer.attention.d_model;
  const auto n = static_cast<size_t>(d * d);
  float* const w_k = trainer.parameters().value(trainer.parameters().find(kWeight)).data + n;
  std::vector<float> noise(n);
  philox_normal(trainer.config().seed, stream_of(kId), 0, noise.data(), d * d);
  const double rms = std::sqrt(dot({w_k, n}, {w_k, n}) / static_cast<double>(n));
  for (size_t i = 0; i < n; ++i) w_k[i] += static_cast<float>(difference * rms) * noise[i];
}

Moment look_at(Trainer& trainer, ProgressMeter& meter) {
  const Parameters& parameters = trainer.parameters();
  const int64_t d = trainer.config().model.layer.attention.d_model;
  const auto n = static_cast<size_t>(d * d);
  const float* const w = parameters.value(parameters.find(kWeight)).data;
  const Evaluation evaluation = trainer.evaluate(2 * kExamples);
  const ProjectionGradients gradients = trainer.projection_gradients(kExamples).front();
  meter.add(look_work(trainer.config()));
  return {static_cast<double>(trainer.steps()), compare({w, n}, {w + n, n}),
          compare(gradients.dw_q, gradients.dw_k), evaluation.token_accuracy, std::isfinite(evaluation.loss)};
}

Parting train(const Params& params, Start start, ProgressMeter& meter) {
  TrainerConfig config = config_of(params);
  config.initialization.equal_qk = start != kXavier;
  Trainer trainer(config);
  if (start == kNearlyEqual) nudge(trainer, params.real("difference"));
  const int64_t steps = params.integer("steps");
  const Looks looks(steps, kRecords);
  Parting parting{.moments = {look_at(trainer, meter)},
                  .query_sum = sum_share(trainer.cache().at("layers.0.self_attn.dq")),
                  .key_sum = sum_share(trainer.cache().at("layers.0.self_attn.dk"))};
  while (trainer.steps() < steps) {
    trainer.step();
    meter.add(step_work(trainer.config()));
    if (looks.after(trainer.steps())) parting.moments.push_back(look_at(trainer, meter));
  }
  return parting;
}

void add_scalars(Result& result, const char* start, const Moment& moment) {
  const Labels at = {{"start", start}, {"step", static_cast<int64_t>(moment.step)}};
  result.add("qk_distance", at, moment.weights.distance);
  result.add("qk_cosine", at, moment.weights.cosine);
  result.add("qk_gradient_distance", at, moment.gradients.distance);
  result.add("qk_gradient_cosine", at, moment.gradients.cosine);
  result.add("token_accuracy", at, moment.accuracy);
}

/// A series per start.
Figure over_steps(const char* name, const char* y, const std::vector<Parting>& partings,
                  double (*value)(const Moment&)) {
  Figure figure{.name = name, .at = {}, .x = "step", .y = y};
  for (size_t i = 0; i < partings.size(); ++i) {
    Series series{.name = kStarts[i]};
    for (const Moment& moment : partings[i].moments) {
      series.add(moment.step, value(moment));
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

/// How far the distances of two trainings are ever apart.
double apart(const Parting& a, const Parting& b) {
  double largest = 0;
  for (size_t i = 0; i < a.moments.size(); ++i) {
    largest = std::max(largest, std::fabs(a.moments[i].weights.distance - b.moments[i].weights.distance));
  }
  return largest;
}

/// The share of the final distance that was added after the first moment from which on the task is learned; 0
/// where it is not.
double added_after(const Parting& parting) {
  const Moment* learned = nullptr;
  for (const Moment& moment : parting.moments) {
    if (moment.accuracy < kLearned) learned = nullptr;
    if (moment.accuracy >= kLearned && learned == nullptr) learned = &moment;
  }
  if (learned == nullptr) return 0;
  return (parting.last().weights.distance - learned->weights.distance) / parting.last().weights.distance;
}

bool finite(const Pair& pair) { return std::isfinite(pair.distance) && std::isfinite(pair.cosine); }

/// From Xavier, W_Q and W_K are orthogonal and stay so, but for the chance of as few dimensions. Equal ones
/// have different gradients at once and part; whether there was a small difference before does not matter;
/// and once the task is learned, they part no further.
void judge(Result& result, const std::vector<Parting>& partings, double difference, double d_k) {
  const Parting &xavier = partings[kXavier], &equal = partings[kEqual], &nearly = partings[kNearlyEqual];
  const auto any = [&](auto&& is_so) {
    return std::any_of(partings.begin(), partings.end(), [&](const Parting& each) {
      return std::any_of(each.moments.begin(), each.moments.end(), is_so);
    });
  };
  if (any([](const Moment& m) { return !finite(m.weights) || !m.loss_is_finite; })) {
    return result.cannot_be_judged("training_diverged");
  }
  if (any([](const Moment& m) { return !finite(m.gradients); })) {
    return result.cannot_be_judged("qk_without_gradient");
  }
  const bool orthogonal = std::fabs(xavier.first().weights.cosine) < Chance(2).z() / d_k &&
                          std::fabs(xavier.last().weights.cosine) < 0.2 + Chance(2).z() / d_k;
  const bool parts = equal.first().gradients.distance > 0.3 && equal.last().weights.distance > 0;
  const bool same_curve = apart(equal, nearly) < 0.2 * equal.last().weights.distance + 2 * difference;
  const bool learned = equal.last().accuracy >= kLearned;
  const bool settles = std::fabs(added_after(equal)) < 0.3;
  result.judge(orthogonal && parts && same_curve && settles,
               learned ? "qk_parted_by_the_loss" : "qk_parting_goes_on", "qk_parting_differs");
}

Result run(const Params& params, ProgressMeter& meter) {
  const TrainerConfig config = config_of(params);
  const int64_t steps = params.integer("steps");
  const auto n_looks = static_cast<double>(Looks(steps, kRecords).count());
  meter.begin(static_cast<double>(std::size(kStarts)) *
              (static_cast<double>(steps) * step_work(config) + n_looks * look_work(config)));
  Result result;
  std::vector<Parting> partings;
  for (const Start start : {kXavier, kEqual, kNearlyEqual}) {
    partings.push_back(train(params, start, meter));
    add_scalars(result, kStarts[start], partings.back().first());
    add_scalars(result, kStarts[start], partings.back().last());
  }
  const double difference = params.real("difference");
  result.add("gradient_sum_of_queries", {}, partings[kXavier].query_sum);
  result.add("gradient_sum_of_keys", {}, partings[kXavier].key_sum);
  result.add("curves_apart", {}, apart(partings[kEqual], partings[kNearlyEqual]));
  result.add("distance_after_learning", {}, added_after(partings[kEqual]));
  result.figures = {
      over_steps("qk_distance", "qk_distance", partings, [](const Moment& m) { return m.weights.distance; }),
      over_steps("qk_cosine", "cosine", partings, [](const Moment& m) { return m.weights.cosine; }),
      over_steps("qk_gradient_cosine", "cosine", partings,
                 [](const Moment& m) { return m.gradients.cosine; }),
      over_steps("accuracy_over_steps", "right_tokens", partings,
                 [](const Moment& m) { return m.accuracy; })};
  result.figures.back().y_max = 1;
  judge(result, partings, difference, static_cast<double>(params.integer("d_k")));
  return result;
}

constexpr const char* kTasks[] = {"reverse", "sort", "copy"};
constexpr const char* kOptimizers[] = {"adam", "sgd"};
constexpr Param kParams[] = {choice_param("task", "reverse", kTasks),
                             int_param("d_k", "32", 4, 128),
                             folded(int_param("steps", "200", 1, 5000)),
                             folded(real_param("learning_rate", "0.005", 1e-5, 1)),
                             real_param("difference", "0.0001", 0, 0.1),
                             choice_param("optimizer", "adam", kOptimizers),
                             scale_param("1/sqrt(d)", 1),
                             folded(int_param("length", "6", 2, 16)),
                             folded(int_param("symbols", "16", 2, 32)),
                             kSeedParam};

}  // namespace

const Experiment qk_symmetry_breaking = {
    .id = kId,
    .question = "What makes the matrices of queries and keys differ?",
    .source = "article 4, section 4.1",
    .group = Group::kRest,
    .chapter = 13,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"qk_parted_by_the_loss", "qk_parting_goes_on", "qk_parting_differs",
                           "qk_without_gradient", "training_diverged"},
              .scalars = {"qk_distance", "qk_cosine", "qk_gradient_distance", "qk_gradient_cosine",
                          "token_accuracy", "gradient_sum_of_queries", "gradient_sum_of_keys", "curves_apart",
                          "distance_after_learning"},
              .labels = {"start", "step"},
              .figures = {"qk_distance", "qk_cosine", "qk_gradient_cosine", "accuracy_over_steps"},
              .axes = {"step", "qk_distance", "cosine", "right_tokens"},
              .series = {"xavier", "equal", "nearly_equal"}},
};

}  // namespace sqrtdk::experiments
