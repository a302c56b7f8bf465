// One model, data and seeds, trained with each scale: who learns, and how soon? All five articles say that
// training needs the scale. It depends on the initial values, the head dimension and the task.
#include <cmath>

#include "experiments/registry.h"
#include "experiments/training_race/race_params.h"
#include "experiments/training_race/race_presets.h"
#include "experiments/training_race/race_result.h"
#include "experiments/training_race/training_work.h"
#include "lab/common_params.h"
#include "lab/progress.h"
#include "training/run.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "training_race";

struct Cost {
  double step, record;
};

Cost cost_of(const TrainerConfig& config, const Params& params) {
  const int64_t sequences = params.integer("examples") + 4 * kRaceHeadExamples;
  return {step_work(config), static_cast<double>(sequences) * forward_work(config)};
}

double work(const Params& params) {
  double total = 0;
  const auto steps = static_cast<double>(params.integer("steps"));
  const auto records = 1 + std::floor(steps / static_cast<double>(record_every_of(params)));
  for (const Racer& racer : racers_of(params)) {
    const Cost cost = cost_of(race_config(params, racer, 0), params);
    total +=
        static_cast<double>(params.integers("seeds").size()) * (steps * cost.step + records * cost.record);
  }
  return total;
}

std::vector<std::vector<double>> rows_of(const Params& params, const Racer& racer, int64_t seed,
                                         ProgressMeter& meter) {
  Trainer trainer(race_config(params, racer, static_cast<uint64_t>(seed)));
  const Cost cost = cost_of(trainer.config(), params);
  std::vector<std::vector<double>> rows;
  RunOptions options{record_every_of(params), params.integer("examples"), kRaceHeadExamples};
  options.on_record = [&](const Record& record) {
    rows.push_back(record_row(record));
    meter.add(cost.record);
  };
  options.on_step = [&](const StepResult&) {
    meter.add(cost.step);
    return true;
  };
  sqrtdk::run(trainer, params.integer("steps"), options);
  return rows;
}

Result run(const Params& params, const Progress& progress) {
  ProgressMeter meter(kId, progress, work(params));
  RaceRows rows;
  for (const Racer& racer : racers_of(params)) {
    rows.emplace_back();
    for (const int64_t seed : params.integers("seeds")) {
      rows.back().push_back(rows_of(params, racer, seed, meter));
    }
  }
  return race_result(params, rows);
}

}  // namespace

const Experiment training_race = {
    .id = kId,
    .question = "Who learns without the scale, and how soon?",
    .source = "articles 1 to 5: the scale keeps training stable",
    .group = Group::kBreaks,
    .chapter = 8,
    .params = kRaceParams,
    .run = run,
    .work = work,
    .presets = kRacePresets,
    .words = {.verdicts = {"race_under_way", "race_nothing_compared", "race_nothing_learnt",
                           "race_unscaled_never", "race_unscaled_needs_narrow_heads", "race_unscaled_slower",
                           "race_unscaled_faster", "race_unscaled_less_right", "race_unscaled_more_right",
                           "race_undecided"},
              .scalars = {"steps_to_90", "token_accuracy", "sequence_accuracy", "loss"},
              .labels = {"scale", "n_heads", "layer", "seed", "stack", "attention"},
              .figures = {"race_accuracy", "race_loss", "gradient_norm_over_steps", "score_gradient_mean",
                          "score_gradient_median", "entropy_over_steps", "saturated_over_steps",
                          "steps_over_d_k", "accuracy_over_d_k"},
              .axes = {"step", "right_tokens", "loss", "layer_gradient", "score_gradient_mean",
                       "score_gradient_median", "entropy_nats", "frac_max_gt_0.99", "d_k", "steps_to_90"},
              .series = {"none", "1/sqrt(d)", "1/d", "chance", "learned"},
              .values = {"cross"}},
};

}  // namespace sqrtdk::experiments
