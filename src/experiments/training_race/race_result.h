#pragma once
// A training race: who runs in it, and what its records show, at its end or as far as it has come.
#include "lab/experiment.h"
#include "training/config_text.h"

namespace sqrtdk {

struct Racer {
  Scale scale;
  int64_t n_heads;
};

/// The racers of these parameters: the numbers of heads in their order, and for each all scales. Throws
/// ValueError where a scale, a number of heads or a seed is there twice.
std::vector<Racer> racers_of(const Params& params);

/// The fields of a trainer's config, as config_of takes them: the race's parameters of the same names, with
/// this racer's scale and heads and one seed. The task of characters has a decoder, and it alone a text.
/// Throws ValueError where they make no model.
Texts race_fields(const Params& params, const Racer& racer, uint64_t seed);

inline constexpr int64_t kRaceHeadExamples = 32;  // of each record

/// The config of these fields, with defaults resolved. Throws OutOfMemory for a model that a page could not
/// train.
TrainerConfig race_config(const Params& params, const Racer& racer, uint64_t seed);

/// A learning rate that begins after `step` steps.
struct RateChange {
  int64_t step;
  double rate;
};
/// Those of the parameter rate_changes, "step:rate, step:rate", in their order. Throws ValueError for other
/// texts, and for steps that go back.
std::vector<RateChange> rate_changes_of(const Params& params);

/// Steps between records: no more than there are, so that the last one is of a trained model.
int64_t record_every_of(const Params& params);

/// [racer][seed][record][column]: record_row under record_columns of the racer's trainer. Seeds may have come
/// differently far, some of them nowhere.
using RaceRows = std::vector<std::vector<std::vector<std::vector<double>>>>;

/// Curves are drawn up to the last step that all seeds of a racer have reached: their mean, and a band from
/// the lowest to the highest seed. Throws ShapeError for rows that are not of this race.
Result race_result(const Params& params, const RaceRows& rows);

}  // namespace sqrtdk
