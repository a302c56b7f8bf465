#include "experiments/training_race/race_result.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/decimal.h"
#include "base/errors.h"
#include "base/sort.h"
#include "base/text.h"
#include "experiments/training_race/race_curves.h"
#include "experiments/training_race/race_verdict.h"
#include "lab/statistics.h"
#include "training/run.h"

namespace sqrtdk {
namespace {

constexpr double kGoal = 0.9;  // of the tokens
constexpr const char* kAccuracy = "token_accuracy";
constexpr struct {
  const char *scalar, *column;
} kAtTheEnd[] = {
    {kAccuracy, kAccuracy}, {"sequence_accuracy", "sequence_accuracy"}, {"loss", "evaluation_loss"}};

struct Entry {
  Racer racer;
  RaceCurves curves;
  RaceFinish finish;
};

void check_count(size_t got, size_t expected, const char* what) {
  if (got == expected) return;
  throw ShapeError(ErrorCode::kWrongShape, "race_result", "rows", to_text(expected) + " " + what,
                   to_text(got));
}

/// The median over seeds; infinity where half of them, or more, are.
double median(std::vector<double> values) {
  heap_sort(values);
  const size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

double finite_or_none(double x) { return std::isfinite(x) ? x : kNone; }

/// Whether a seed's loss is no number at the end, or more than twice what it was.
bool has_diverged(const RaceCurves& curves) {
  const std::vector<double> first = curves.first("evaluation_loss"), last = curves.last("evaluation_loss");
  for (size_t seed = 0; seed < last.size(); ++seed) {
    if (!(last[seed] <= 2 * first[seed])) return true;
  }
  return false;
}

std::vector<Entry> entries_of(const Params& params, const RaceRows& rows) {
  const std::vector<Racer> racers = racers_of(params);
  check_count(rows.size(), racers.size(), "racers");
  const int64_t every = record_every_of(params), steps = params.integer("steps") / every * every;
  std::vector<Entry> entries;
  for (size_t i = 0; i < racers.size(); ++i) {
    check_count(rows[i].size(), params.integers("seeds").size(), "seeds");
    const TrainerConfig config = race_config(params, racers[i], 0);
    RaceCurves curves(rows[i], record_columns(config));
    RaceFinish finish{.scale = racers[i].scale.name,
                      .d_k = config.model.layer.attention.d_head,
                      .steps = curves.first_step_at(kAccuracy, kGoal),
                      .accuracy = curves.last(kAccuracy),
                      .done = curves.last_step() >= static_cast<double>(steps),
                      .diverged = has_diverged(curves)};
    entries.push_back({racers[i], std::move(curves), std::move(finish)});
  }
  return entries;
}

Labels labels_of(const Racer& racer) { return {{"scale", racer.scale.name}, {"n_heads", racer.n_heads}}; }

std::string line_of(const Entry& entry) {
  std::vector<std::string> steps, accuracy;
  for (const double step : entry.finish.steps)
    steps.push_back(std::isfinite(step) ? shortest(step) : "never");
  for (const double share : entry.finish.accuracy) accuracy.push_back(fixed(100 * share, 1));
  return "scale=" + entry.racer.scale.name + " n_heads=" + to_text(entry.racer.n_heads) +
         " d_k=" + to_text(entry.finish.d_k) + ": 90% right at step " + joined(steps) +
         "; right at the end " + (accuracy.empty() ? "-" : joined(accuracy) + "%");
}

void add_scalars(Result& result, const Entry& entry, const std::vector<int64_t>& seeds) {
  const Labels at = labels_of(entry.racer);
  result.add("steps_to_90", at, finite_or_none(median(entry.finish.steps)));
  for (size_t i = 0; i < seeds.size() && seeds.size() > 1; ++i) {
    Labels of_seed = at;
    of_seed.add({"seed", seeds[i]});
    result.add("steps_to_90", of_seed, finite_or_none(entry.finish.steps[i]));
  }
  for (const auto& [name, column] : kAtTheEnd) {
    Moments over_seeds;
    for (const double x : entry.curves.last(column)) over_seeds.add(x);
    const bool any = over_seeds.count() > 0;
    result.add(name, at, Estimate{any ? over_seeds.mean() : kNone, any ? over_seeds.se() : kNone});
  }
}

Figure over_steps(const char* name, Labels at, const char* y, std::span<const Entry> entries,
                  const std::string& prefix) {
  Figure figure{.name = name, .at = std::move(at), .x = "step", .y = y};
  for (const Entry& entry : entries) {
    const Scale& scale = entry.racer.scale;
    figure.series.push_back(entry.curves.series(scale.name, role_of(scale), prefix));
  }
  return figure;
}

/// Adds the curves of racers with as many heads each.
void add_curves(Result& result, std::span<const Entry> entries, const Labels& at, const Params& params,
                double chance) {
  Figure accuracy = over_steps("race_accuracy", at, "right_tokens", entries, kAccuracy);
  accuracy.y_max = 1;
  accuracy.series.push_back({.name = "chance",
                             .role = Role::kReference,
                             .x = {0, static_cast<double>(params.integer("steps"))},
                             .y = {chance, chance}});
  result.add(std::move(accuracy));
  result.add(over_steps("race_loss", at, "loss", entries, "evaluation_loss"));
}

std::vector<std::string> names_after(const std::vector<std::string>& columns, const std::string& prefix) {
  std::vector<std::string> names;
  for (const std::string& column : columns) {
    if (column.starts_with(prefix)) names.push_back(column.substr(prefix.size()));
  }
  return names;
}

/// The labels for "layers.0", "layers.0.self_attn", "decoder.layers.1.multihead_attn".
Labels place_of(const std::string& name) {
  const size_t layer = name.find("layers.");
  Labels place;
  if (layer > 0) place.add({"stack", name.substr(0, layer - 1)});
  const std::vector<std::string_view> parts = split(std::string_view(name).substr(layer), '.');
  place.add({"layer", *parse_integer(parts.at(1)) + 1});
  if (parts.back() == "multihead_attn") place.add({"attention", "cross"});
  return place;
}

/// What goes on inside.
void add_insides(Result& result, std::span<const Entry> entries) {
  const std::vector<std::string>& columns = entries.front().curves.columns();
  const auto add = [&](const char* name, Labels at, const char* y, const std::string& prefix) -> Figure& {
    return result.add(over_steps(name, std::move(at), y, entries, prefix));
  };
  for (const std::string& layer : names_after(columns, "gradient_norm.")) {
    if (layer.find("layers.") == std::string::npos) continue;
    add("gradient_norm_over_steps", place_of(layer), "layer_gradient", "gradient_norm." + layer).log_y = true;
  }
  for (const std::string& attention : names_after(columns, "dscores_mean.")) {
    const Labels at = place_of(attention);
    for (const auto& [name, prefix] : {std::pair("score_gradient_mean", "dscores_mean."),
                                       std::pair("score_gradient_median", "dscores_median.")}) {
      add(name, at, name, prefix + attention).log_y = true;
    }
    add("entropy_over_steps", at, "entropy_nats", "entropy." + attention + ".");
    add("saturated_over_steps", at, "frac_max_gt_0.99", "saturated." + attention + ".").y_max = 1;
  }
}

/// Dose and response: each scale over the head dimension.
void add_over_d_k(Result& result, std::span<const Entry> entries, size_t n_scales) {
  Figure steps{.name = "steps_over_d_k", .at = {}, .x = "d_k", .y = "steps_to_90", .log_x = true};
  Figure accuracy{
      .name = "accuracy_over_d_k", .at = {}, .x = "d_k", .y = "right_tokens", .log_x = true, .y_max = 1};
  for (size_t first = 0; first < n_scales; ++first) {
    const Scale& scale = entries[first].racer.scale;
    const Series named{.name = scale.name, .role = role_of(scale)};
    Series to_goal = named, at_end = named;
    std::vector<const RaceFinish*> by_width;
    for (size_t i = first; i < entries.size(); i += n_scales) by_width.push_back(&entries[i].finish);
    heap_sort(by_width, [](auto* a, auto* b) { return std::pair(a->d_k, a) < std::pair(b->d_k, b); });
    for (const RaceFinish* finish : by_width) {
      const auto add = [&](Series& series, const std::vector<double>& seeds, double middle) {
        const bool known = std::isfinite(middle);
        series.add(finish->d_k, known ? middle : kNone);
        series.low.push_back(known ? *std::min_element(seeds.begin(), seeds.end()) : kNone);
        series.high.push_back(known ? finite_or_none(*std::max_element(seeds.begin(), seeds.end())) : kNone);
      };
      add(to_goal, finish->steps, median(finish->steps));
      add(at_end, finish->accuracy, finish->accuracy.empty() ? kNone : median(finish->accuracy));
    }
    steps.series.push_back(std::move(to_goal));
    accuracy.series.push_back(std::move(at_end));
  }
  result.add(std::move(steps));
  result.add(std::move(accuracy));
}

}  // namespace

Result race_result(const Params& params, const RaceRows& rows) {
  const std::vector<Entry> entries = entries_of(params, rows);
  const size_t n_scales = params.scales("scale").size();
  const double chance = make_task(race_config(params, entries.front().racer, 0).task)->chance();
  Result result;
  std::vector<RaceFinish> finishes;
  for (const Entry& entry : entries) {
    result.lines.push_back(line_of(entry));
    add_scalars(result, entry, params.integers("seeds"));
    finishes.push_back(entry.finish);
  }
  const bool one_width = entries.size() == n_scales;
  if (!one_width) add_over_d_k(result, entries, n_scales);
  for (size_t first = 0; first < entries.size(); first += n_scales) {
    const std::span<const Entry> same_heads = std::span(entries).subspan(first, n_scales);
    Labels at;
    if (!one_width) at = {{"n_heads", same_heads.front().racer.n_heads}};
    add_curves(result, same_heads, at, params, chance);
  }
  if (one_width) add_insides(result, entries);
  judge_race(result, finishes, chance);
  return result;
}

}  // namespace sqrtdk
