#include <algorithm>
#include <iterator>

#include "base/decimal.h"
#include "base/errors.h"
#include "base/sort.h"
#include "base/text.h"
#include "experiments/training_race/race_result.h"
#include "experiments/training_race/training_work.h"
#include "lab/common_params.h"

namespace sqrtdk {
namespace {

constexpr const char* kId = "training_race";
constexpr size_t kMaxRacers = 12;
constexpr double kMaxBytes = 1 << 30;  // of one trainer: the page has one for each racer and seed
constexpr const char* kOfTheRace[] = {"scale",        "n_heads",      "seeds",   "steps",
                                      "rate_changes", "record_every", "examples"};
constexpr double kMaxRate = 1;  // as the learning rate's own parameter

/// What is there twice would count as two.
void check_each_once(const Params& params, const char* name) {
  const auto given = std::find_if(params.text().begin(), params.text().end(),
                                  [&](const auto& param) { return param.first == name; });
  std::vector<std::string_view> items = split(given->second, ',');
  heap_sort(items);
  if (std::adjacent_find(items.begin(), items.end()) == items.end()) return;
  throw ValueError(ErrorCode::kTooMany, kId, name, "one of each", given->second);
}

}  // namespace

std::vector<Racer> racers_of(const Params& params) {
  for (const char* name : {"scale", "n_heads", "seeds"}) check_each_once(params, name);
  std::vector<Racer> racers;
  for (const int64_t n_heads : params.integers("n_heads")) {
    for (const Scale& scale : params.scales("scale")) racers.push_back({scale, n_heads});
  }
  if (racers.size() > kMaxRacers) {
    throw ValueError(ErrorCode::kTooMany, kId, "scale", to_text(kMaxRacers), to_text(racers.size()));
  }
  return racers;
}

Texts race_fields(const Params& params, const Racer& racer, uint64_t seed) {
  if (params.integer("d_head") == 0) check_heads(kId, params.integer("d_model"), racer.n_heads);
  Texts fields;
  for (const auto& [name, text] : params.text()) {
    const bool is_field =
        std::find(std::begin(kOfTheRace), std::end(kOfTheRace), name) == std::end(kOfTheRace);
    if (is_field) fields[name] = text;
  }
  if (params.choice("task") == "characters") {
    fields["topology"] = "decoder";  // no other continues a text
  } else {
    fields["text"] = "";
  }
  fields["scale"] = racer.scale.name;
  fields["n_heads"] = to_text(racer.n_heads);
  fields["seed"] = to_text(seed);
  fields["non_finite"] = "skip";
  return fields;
}

TrainerConfig race_config(const Params& params, const Racer& racer, uint64_t seed) {
  const TrainerConfig config = completed(config_of(race_fields(params, racer, seed), kId));
  const double bytes = training_bytes(config, kRaceHeadExamples);
  if (bytes > kMaxBytes) throw OutOfMemory(ErrorCode::kOutOfMemory, kId, "", "", fixed(bytes, 0));
  return config;
}

std::vector<RateChange> rate_changes_of(const Params& params) {
  constexpr const char* kName = "rate_changes";
  const std::string& text = params.words(kName);
  std::vector<RateChange> changes;
  if (trimmed(text).empty()) return changes;
  for (const std::string_view item : split(text, ',')) {
    const std::vector<std::string_view> parts = split(item, ':');
    const std::optional<int64_t> step = parse_integer(parts.front());
    const std::optional<double> rate = parts.size() == 2 ? parse_double(parts.back()) : std::nullopt;
    const int64_t first = changes.empty() ? 0 : changes.back().step;
    const bool valid = step && *step >= first && rate && *rate >= 0 && *rate <= kMaxRate;
    if (!valid) {
      throw ValueError(ErrorCode::kUnsupported, kId, kName, "step:rate, step:rate", clipped(item));
    }
    changes.push_back({*step, *rate});
  }
  return changes;
}

int64_t record_every_of(const Params& params) {
  return std::min(params.integer("record_every"), params.integer("steps"));
}

}  // namespace sqrtdk
