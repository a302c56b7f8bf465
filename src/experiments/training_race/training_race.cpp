// One model, data and seeds, trained with each scale: who learns, and how soon? All five articles say that
// training needs the scale. It depends on the initial values, the head dimension and the task.
#include <algorithm>

#include "experiments/registry.h"
#include "experiments/rhyme.h"
#include "experiments/training_race/race_result.h"
#include "experiments/training_race/training_work.h"
#include "lab/common_params.h"
#include "training/config_fields.h"
#include "training/run.h"
#include "training/tasks.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "training_race";

struct Cost {
  double step, record;
};

Cost cost_of(const TrainerConfig& config, const Params& params) {
  // An evaluation and gradients: forward, and twice as much backward.
  const int64_t sequences = params.integer("examples") + 3 * kRaceHeadExamples;
  return {step_work(config), static_cast<double>(sequences) * forward_work(config)};
}

std::vector<std::vector<double>> rows_of(const Params& params, const Racer& racer, int64_t seed,
                                         const std::vector<RateChange>& changes, ProgressMeter& meter) {
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
  const int64_t steps = params.integer("steps");
  for (const auto& [step, rate] : changes) {
    sqrtdk::run(trainer, std::min(step, steps) - trainer.steps(), options);
    trainer.set_learning_rate(rate);
  }
  sqrtdk::run(trainer, steps - trainer.steps(), options);
  return rows;
}

Result run(const Params& params, ProgressMeter& meter) {
  const std::vector<Racer> racers = racers_of(params);
  const std::vector<RateChange> changes = rate_changes_of(params);
  const int64_t steps = params.integer("steps"), n_records = 1 + steps / record_every_of(params);
  double total = 0;
  for (const Racer& racer : racers) {
    const Cost cost = cost_of(race_config(params, racer, 0), params);
    total += static_cast<double>(steps) * cost.step + static_cast<double>(n_records) * cost.record;
  }
  meter.begin(static_cast<double>(params.integers("seeds").size()) * total);
  RaceRows rows;
  for (const Racer& racer : racers) {
    rows.emplace_back();
    for (const int64_t seed : params.integers("seeds")) {
      rows.back().push_back(rows_of(params, racer, seed, changes, meter));
    }
  }
  return race_result(params, rows);
}

// What no racer or seed stands for has the name and the text of a field of a trainer's config.
constexpr const char* kScales[] = {"learned", "cosine"};
constexpr Condition kIfCharacters[] = {{"task", "characters"}};
constexpr Condition kUnlessCharacters[] = {{"task", "characters", false}};
constexpr const char* kFalseTrue[] = {"false", "true"};

constexpr Param kParams[] = {
    choice_param("task", "sort", kTaskNames),
    scale_param("none,1/sqrt(d),1/d", 6, kScales),
    int_list_param("n_heads", "1", 1, 64, 4),
    int_param("d_model", "64", 2, 512),
    choice_param("init", "xavier_uniform", Choices<InitScheme>::kNames),
    real_param("learning_rate", "0.003", 0, 1),
    int_param("steps", "240", 1, 100000),
    int_list_param("seeds", "0,1,2", 0, 1e9, 8),
    in_group("task", int_param("length", "6", 1, 256)),
    in_group("task", int_param("symbols", "8", 2, 256)),
    in_group("task", shown_when(kIfCharacters, text_param("text", kRhyme, 1 << 20))),
    in_group("task", int_param("batch", "8", 1, 512)),
    in_group("model",
             shown_when(kUnlessCharacters, choice_param("topology", "encoder", Choices<Topology>::kNames))),
    in_group("model", int_param("n_layers", "2", 1, 8)),
    in_group("model", int_param("d_head", "0", 0, 512)),
    in_group("model", int_param("d_ff", "0", 0, 2048)),
    in_group("model", choice_param("positions", "learned", Choices<Positions>::kNames)),
    in_group("model", choice_param("norm", "layer", Choices<NormKind>::kNames)),
    in_group("model", choice_param("norm_first", "true", kFalseTrue)),
    in_group("model", choice_param("qk_norm", "false", kFalseTrue)),
    in_group("model", real_param("softcap", "0", 0, 1000)),
    in_group("model", choice_param("feed_forward", "relu", Choices<FeedForwardKind>::kNames)),
    in_group("model", choice_param("tied", "false", kFalseTrue)),
    in_group("model", choice_param("tied_kv", "false", kFalseTrue)),
    in_group("model", real_param("dropout", "0", 0, 0.9)),
    in_group("start", real_param("init_std", "0.02", 0, 10)),
    in_group("start", choice_param("init_equal_qk", "false", kFalseTrue)),
    in_group("optimizer", choice_param("optimizer", "adam", Choices<OptimizerKind>::kNames)),
    in_group("optimizer", text_param("rate_changes", "", 1000)),
    in_group("optimizer", real_param("momentum", "0", 0, 1)),
    in_group("optimizer", real_param("weight_decay", "0", 0, 1)),
    in_group("optimizer", int_param("warmup_steps", "0", 0, 100000)),
    in_group("optimizer", int_param("total_steps", "0", 0, 100000)),
    in_group("optimizer", real_param("max_gradient_norm", "0", 0, 1000)),
    in_group("optimizer", real_param("label_smoothing", "0", 0, 1)),
    in_group("records", int_param("record_every", "20", 1, 10000)),
    in_group("records", int_param("examples", "128", 1, 4096))};

// Races worth seeing. Each has the defaults of what it does not name.
using Setting = std::pair<const char*, const char*>[];

constexpr Setting kHeadline = {{"length", "12"},           {"symbols", "16"}, {"batch", "32"},
                               {"learning_rate", "0.001"}, {"steps", "500"},  {"record_every", "25"},
                               {"examples", "256"}};
constexpr Setting kDoseResponse = {{"scale", "none,1/sqrt(d)"},
                                   {"n_heads", "1,2,4,16"},
                                   {"d_model", "128"},
                                   {"length", "8"},
                                   {"batch", "16"},
                                   {"learning_rate", "0.001"},
                                   {"steps", "400"}};
constexpr Setting kCounterExample = {{"task", "recall"},         {"length", "4"},       {"symbols", "4"},
                                     {"n_heads", "8"},           {"batch", "32"},       {"steps", "700"},
                                     {"learning_rate", "0.001"}, {"record_every", "25"}};
constexpr Setting kInverseHurts = {{"task", "recall"},         {"length", "4"},       {"symbols", "4"},
                                   {"n_heads", "2"},           {"batch", "32"},       {"steps", "800"},
                                   {"learning_rate", "0.001"}, {"record_every", "25"}};
constexpr Setting kInitialization = {{"init", "normal"}, {"batch", "16"}, {"learning_rate", "0.001"}};
constexpr Setting kDates = {{"task", "dates"}, {"topology", "encoder_decoder"},
                            {"batch", "16"},   {"learning_rate", "0.002"},
                            {"steps", "500"},  {"record_every", "25"}};
constexpr Setting kOwnText = {
    {"task", "characters"}, {"length", "32"}, {"steps", "300"}, {"learning_rate", "0.002"}};
constexpr Setting kModularAddition = {{"task", "modular_addition"},
                                      {"symbols", "23"},
                                      {"d_model", "128"},
                                      {"batch", "32"},
                                      {"steps", "1500"},
                                      {"learning_rate", "0.001"},
                                      {"record_every", "50"}};

constexpr Preset kPresets[] = {{"headline", kHeadline},
                               {"dose_response", kDoseResponse},
                               {"counter_example", kCounterExample},
                               {"inverse_hurts", kInverseHurts},
                               {"initialization", kInitialization},
                               {"dates", kDates},
                               {"own_text", kOwnText},
                               {"modular_addition", kModularAddition}};

}  // namespace

const Experiment training_race = {
    .id = kId,
    .question = "Who learns without the scale, and how soon?",
    .source = "articles 1 to 5: the scale keeps training stable",
    .group = Group::kBreaks,
    .chapter = 8,
    .params = kParams,
    .run = run,
    .presets = kPresets,
    .words = {.verdicts = {"race_under_way", "race_nothing_compared", "race_nothing_learnt",
                           "race_unscaled_never", "race_unscaled_needs_narrow_heads", "race_unscaled_slower",
                           "race_unscaled_faster", "race_unscaled_less_right", "race_unscaled_more_right",
                           "race_undecided", "race_too_few_seeds", "race_diverged"},
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
