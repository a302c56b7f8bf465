#pragma once
// Made-up records of a race: what race_result shows does not depend on where they come from.
#include "experiments/training_race/race_result.h"
#include "training/run.h"

namespace sqrtdk::test {

inline Params race_params(const std::map<std::string, std::string>& text) {
  return Params::parse("training_race", find_experiment("training_race").params, text);
}

inline std::vector<std::string> race_columns(const Params& params, size_t racer = 0) {
  return record_columns(race_config(params, racers_of(params).at(racer), 0));
}

inline size_t column(const std::vector<std::string>& columns, const std::string& name) {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == name) return i;
  }
  return columns.size();
}

/// A record at each of these steps, with these shares of right tokens; all other numbers are 0.
inline std::vector<std::vector<double>> race_records(const Params& params, size_t racer, double every,
                                                     const std::vector<double>& accuracy) {
  const std::vector<std::string> columns = race_columns(params, racer);
  std::vector<std::vector<double>> records;
  for (size_t i = 0; i < accuracy.size(); ++i) {
    records.emplace_back(columns.size(), 0.0);
    records.back()[0] = every * static_cast<double>(i);
    records.back()[column(columns, "token_accuracy")] = accuracy[i];
  }
  return records;
}

}  // namespace sqrtdk::test
