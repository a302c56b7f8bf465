#include <algorithm>
#include <iterator>
#include <set>

#include "base/errors.h"
#include "base/text.h"
#include "experiments/training_race/race_result.h"
#include "experiments/training_race/training_work.h"
#include "lab/common_params.h"

namespace sqrtdk {
namespace {

constexpr const char* kId = "training_race";
constexpr size_t kMaxRacers = 12;
constexpr double kMaxBytes = 1 << 30;  // of one trainer: the page has one for each racer and seed
constexpr const char* kOfTheRace[] = {"scale", "n_heads", "seeds", "steps", "record_every", "examples"};

/// What is there twice would count as two.
void check_each_once(const Params& params, const char* name) {
  const auto given = std::find_if(params.text().begin(), params.text().end(),
                                  [&](const auto& param) { return param.first == name; });
  const std::vector<std::string_view> items = split(given->second, ',');
  if (std::set<std::string_view>(items.begin(), items.end()).size() == items.size()) return;
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
    throw ValueError(ErrorCode::kTooMany, kId, "scale", std::to_string(kMaxRacers),
                     std::to_string(racers.size()));
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
  fields["scale"] = racer.scale.name;
  fields["n_heads"] = std::to_string(racer.n_heads);
  fields["seed"] = std::to_string(seed);
  fields["non_finite"] = "skip";
  return fields;
}

TrainerConfig race_config(const Params& params, const Racer& racer, uint64_t seed) {
  const TrainerConfig config = completed(config_of(race_fields(params, racer, seed), kId));
  const double bytes = training_bytes(config, kRaceHeadExamples);
  if (bytes > kMaxBytes) throw OutOfMemory(ErrorCode::kOutOfMemory, kId, "", "", fixed(bytes, 0));
  return config;
}

int64_t record_every_of(const Params& params) {
  return std::min(params.integer("record_every"), params.integer("steps"));
}

}  // namespace sqrtdk
