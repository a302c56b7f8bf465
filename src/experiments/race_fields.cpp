#include <algorithm>
#include <iterator>

#include "experiments/common_params.h"
#include "experiments/race_result.h"
#include "tensor/errors.h"

namespace sqrtdk {
namespace {

constexpr const char* kId = "training_race";
constexpr size_t kMostRacers = 12;
constexpr const char* kOfTheRace[] = {"scale", "n_heads", "seeds", "steps", "record_every", "examples"};

}  // namespace

std::vector<Racer> racers_of(const Params& params) {
  std::vector<Racer> racers;
  for (const int64_t n_heads : params.integers("n_heads")) {
    for (const Scale& scale : params.scales("scale")) racers.push_back({scale, n_heads});
  }
  if (racers.size() > kMostRacers) {
    throw ValueError(ErrorCode::kTooMany, kId, "scale", std::to_string(kMostRacers),
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
  TrainerConfig config = config_of(race_fields(params, racer, seed), kId);
  const std::unique_ptr<Task> task = make_task(config.task);
  Parameters never_allocated;
  config.model = TaskModel(never_allocated, *task, config.topology, config.model).config();
  return config;
}

}  // namespace sqrtdk
