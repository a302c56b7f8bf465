// One task learned with keys and values of one matrix, W_K = W_V, and of two: what that costs, and
// whether the gradients that come through the keys and through the values contradict each other.
#include <algorithm>
#include <cmath>

#include "experiments/registry.h"
#include "experiments/training_race/training_work.h"
#include "lab/common_params.h"
#include "lab/statistics.h"
#include "training/gradients.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "kv_tying";
constexpr int64_t kMoments = 8, kExamples = 64, kGradientExamples = 32;
constexpr double kConflict = -0.5;  // a cosine below

/// The gradients dw_k and dw_v of one layer.
struct Paths {
  double cosine, norm_ratio;  // ‖dw_k‖ / ‖dw_v‖
};

struct Moment {
  int64_t step;
  Evaluation evaluation;
  std::vector<Paths> layers;
};

struct TrainingRun {
  bool tied;
  std::vector<Moment> moments;
};

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

/// An evaluation and gradients: forward, and twice as much backward.
double look_work(const TrainerConfig& config) {
  return static_cast<double>(kExamples + 3 * kGradientExamples) * forward_work(config);
}

Moment moment_of(Trainer& trainer, ProgressMeter& meter) {
  Moment moment{trainer.steps(), trainer.evaluate(kExamples), {}};
  for (const auto& [attention, dw_q, dw_k, dw_v] : trainer.projection_gradients(kGradientExamples)) {
    const double of_k = norm_of(dw_k), of_v = norm_of(dw_v);
    moment.layers.push_back({dot(dw_k, dw_v) / (of_k * of_v), of_k / of_v});
  }
  meter.add(look_work(trainer.config()));
  return moment;
}

TrainingRun train(const TrainerConfig& config, int64_t steps, ProgressMeter& meter) {
  Trainer trainer(config);
  TrainingRun run{config.model.layer.attention.tied_kv, {moment_of(trainer, meter)}};
  for (int64_t i = 1; i <= kMoments; ++i) {
    const int64_t until = steps * i / kMoments;
    if (until == trainer.steps()) continue;
    while (trainer.steps() < until) {
      trainer.step();
      meter.add(step_work(trainer.config()));
    }
    run.moments.push_back(moment_of(trainer, meter));
  }
  return run;
}

TrainerConfig config_of(const Params& params) {
  const int64_t d_model = params.integer("d_model"), n_heads = params.integer("n_heads");
  check_heads(kId, d_model, n_heads);
  TrainerConfig config;
  config.task = {params.choice("task"), params.integer("length"), params.integer("symbols")};
  config.model.n_layers = params.integer("n_layers");
  config.model.layer.attention.d_model = d_model;
  config.model.layer.attention.n_heads = n_heads;
  config.model.layer.d_ff = 2 * d_model;
  config.model.layer.attention.scale = parse_scale(kId, params.choice("trained_with")).at(d_model / n_heads);
  config.model.context = make_task(config.task)->n_source();
  config.optimizer.learning_rate = params.real("learning_rate");
  config.optimizer.non_finite = NonFinite::kSkip;
  config.batch = 16;
  return config;
}

/// The runs that are tied, or those that are not, at each moment.
class Variant {
 public:
  Variant(const std::vector<TrainingRun>& runs, bool tied) : tied_(tied) {
    for (const TrainingRun& run : runs) {
      if (run.tied == tied) runs_.push_back(&run);
    }
  }
  const std::vector<const TrainingRun*>& runs() const { return runs_; }
  Labels at() const { return {{"key_value", tied_ ? "tied" : "separate"}}; }

  /// Mean, least and most of value(moment) over the runs.
  template <class Value>
  Series over_steps(const Value& value) const {
    Series series{.name = tied_ ? "tied" : "separate", .role = tied_ ? Role::kUnscaled : Role::kScaled};
    for (size_t i = 0; i < runs_.front()->moments.size(); ++i) {
      Moments over;
      double low = kNone, high = kNone;
      for (const TrainingRun* run : runs_) {
        const double x = value(run->moments[i]);
        over.add(x);
        low = std::fmin(low, x), high = std::fmax(high, x);
      }
      series.add(runs_.front()->moments[i].step, over.mean());
      series.low.push_back(low), series.high.push_back(high);
    }
    return series;
  }

 private:
  bool tied_;
  std::vector<const TrainingRun*> runs_;
};

double mean_accuracy(const TrainingRun& run) {
  Moments over;
  for (const Moment& moment : run.moments) over.add(moment.evaluation.token_accuracy);
  return over.mean();
}

Labels at_layer(Labels at, size_t layer) {
  at.add({"layer", layer + 1});
  return at;
}

void add_figures(Result& result, const Variant& separate, const Variant& tied) {
  const auto add = [&](const char* name, const Labels& at, const char* y, double y_max, const auto& value) {
    result.add(Figure{.name = name,
                      .at = at,
                      .x = "steps",
                      .y = y,
                      .y_max = y_max,
                      .series = {separate.over_steps(value), tied.over_steps(value)}});
  };
  add("accuracy_over_steps", {}, "right_tokens", 1,
      [](const Moment& moment) { return moment.evaluation.token_accuracy; });
  for (size_t layer = 0; layer < tied.runs().front()->moments.front().layers.size(); ++layer) {
    add("path_cosine", at_layer({}, layer), "cosine", kNone,
        [&](const Moment& moment) { return moment.layers[layer].cosine; });
    add("path_norm_ratio", at_layer({}, layer), "norm_ratio", kNone,
        [&](const Moment& moment) { return moment.layers[layer].norm_ratio; });
    result.figures.back().log_y = true;
  }
}

/// What the cosines of a layer were: at the start, on average, and farthest from 0.
void add_cosines(Result& result, const Variant& group, size_t layer) {
  Moments start, all;
  double least = 1, most = -1;
  for (const TrainingRun* run : group.runs()) {
    Moments of_run;
    start.add(run->moments.front().layers[layer].cosine);
    for (const Moment& moment : run->moments) {
      const double cosine = moment.layers[layer].cosine;
      of_run.add(cosine);
      least = std::min(least, cosine), most = std::max(most, cosine);
    }
    all.add(of_run.mean());
  }
  const Labels at = at_layer(group.at(), layer);
  result.add("cosine_at_start", at, start.estimate(), 0);
  result.add("cosine_mean", at, all.estimate());
  result.add("cosine_least", at, least);
  result.add("cosine_most", at, most);
}

void add_scalars(Result& result, const Variant& group) {
  Moments last, whole;
  for (const TrainingRun* run : group.runs()) {
    last.add(run->moments.back().evaluation.token_accuracy);
    whole.add(mean_accuracy(*run));
  }
  const Labels at = group.at();
  result.add("token_accuracy", at, last.estimate());
  result.add("accuracy_while_learning", at, whole.estimate());
}

/// At no moment and in no layer do the two paths into W_KV clearly point against each other.
void judge(Result& result, const Variant& tied) {
  bool finite = true, conflict = false;
  for (const TrainingRun* run : tied.runs()) {
    for (const Moment& moment : run->moments) {
      for (const Paths& paths : moment.layers) {
        finite = finite && std::isfinite(paths.cosine);
        conflict = conflict || paths.cosine < kConflict;
      }
    }
  }
  if (!finite && !conflict) return result.cannot_be_judged("kv_paths_without_gradient");
  result.judge(!conflict, "kv_paths_do_not_conflict", "kv_paths_conflict");
}

/// The seed of a run. Those of neighbouring seeds are far apart (multiples of the golden ratio, Knuth 6.4),
/// so that no run of one is a run of the other.
uint64_t seed_of_run(uint64_t seed, int64_t run) {
  return seed * 0x9E3779B97F4A7C15 + static_cast<uint64_t>(run);
}

Result run(const Params& params, ProgressMeter& meter) {
  TrainerConfig config = config_of(params);
  const int64_t n_runs = params.integer("runs"), steps = params.integer("steps");
  const int64_t looks = 1 + std::min(kMoments, steps);
  meter.begin(static_cast<double>(2 * n_runs) * (static_cast<double>(steps) * step_work(config) +
                                                 static_cast<double>(looks) * look_work(config)));
  std::vector<TrainingRun> runs;
  Moments cost;
  for (int64_t i = 0; i < n_runs; ++i) {
    config.seed = seed_of_run(params.seed("seed"), i);
    for (const bool tied : {false, true}) {
      config.model.layer.attention.tied_kv = tied;
      runs.push_back(train(config, steps, meter));
    }
    cost.add(mean_accuracy(runs.back()) - mean_accuracy(runs[runs.size() - 2]));
  }
  const Variant separate(runs, false), tied(runs, true);
  Result result;
  for (const Variant* group : {&separate, &tied}) add_scalars(result, *group);
  result.add("tied_less_separate", {}, cost.estimate());
  for (const Variant* group : {&tied, &separate}) {
    for (size_t layer = 0; layer < runs.front().moments.front().layers.size(); ++layer) {
      add_cosines(result, *group, layer);
    }
  }
  add_figures(result, separate, tied);
  judge(result, tied);
  return result;
}

constexpr const char* kTasks[] = {"sort", "reverse", "recall", "coreference"};
constexpr Param kParams[] = {choice_param("task", "sort", kTasks),
                             folded(int_param("length", "6", 2, 16)),
                             folded(int_param("symbols", "8", 2, 32)),
                             folded(int_param("steps", "120", 1, 5000)),
                             int_param("runs", "3", 1, 32),
                             int_param("d_model", "32", 4, 128),
                             int_param("n_heads", "1", 1, 8),
                             folded(int_param("n_layers", "1", 1, 4)),
                             folded(real_param("learning_rate", "0.006", 1e-5, 0.1)),
                             kTrainedWithParam,
                             kSeedParam};

}  // namespace

const Experiment kv_tying = {
    .id = kId,
    .question = "Do keys and values of one matrix get in each other’s way?",
    .source = "article 4, section 4.2",
    .group = Group::kRest,
    .chapter = 13,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"kv_paths_do_not_conflict", "kv_paths_conflict", "kv_paths_without_gradient"},
              .scalars = {"token_accuracy", "accuracy_while_learning", "tied_less_separate",
                          "cosine_at_start", "cosine_mean", "cosine_least", "cosine_most"},
              .labels = {"key_value", "layer"},
              .figures = {"accuracy_over_steps", "path_cosine", "path_norm_ratio"},
              .axes = {"steps", "right_tokens", "cosine", "norm_ratio"},
              .series = {"separate", "tied"}},
};

}  // namespace sqrtdk::experiments
