#include "experiments/training_race/race_curves.h"

#include <algorithm>
#include <cmath>

#include "base/decimal.h"
#include "base/errors.h"

namespace sqrtdk {

RaceCurves::RaceCurves(const Seeds& seeds, std::vector<std::string> columns)
    : seeds_(&seeds), columns_(std::move(columns)), n_seeds_(seeds.size()) {
  std::map<double, Records> at;
  for (size_t seed = 0; seed < seeds.size(); ++seed) {
    for (const std::vector<double>& record : seeds[seed]) {
      if (record.size() != columns_.size()) {
        throw ShapeError(ErrorCode::kWrongShape, "race_result", "rows", to_text(columns_.size()) + " columns",
                         to_text(record.size()));
      }
      if (!std::isfinite(record.front())) continue;
      Records& records = at[record.front()];
      records.resize(seeds.size());
      records[seed] = &record;
    }
  }
  for (auto& [step, records] : at) {
    if (std::count(records.begin(), records.end(), nullptr) == 0) steps_.push_back(std::move(records));
  }
}

Series RaceCurves::series(const std::string& name, Role role, const std::string& prefix) const {
  std::vector<size_t> chosen;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].starts_with(prefix)) chosen.push_back(i);
  }
  Series series{.name = name, .role = role};
  for (const Records& records : steps_) {
    double sum = 0, low = HUGE_VAL, high = -HUGE_VAL;
    for (const std::vector<double>* record : records) {
      for (const size_t i : chosen) {
        const double x = (*record)[i];
        sum += x;
        low = std::min(low, x);
        high = std::max(high, x);
      }
    }
    const double mean = sum / static_cast<double>(records.size() * chosen.size());
    const bool known = !std::isnan(mean);
    series.add(records.front()->front(), mean);
    series.low.push_back(known ? low : kNone);
    series.high.push_back(known ? high : kNone);
  }
  if (n_seeds_ * chosen.size() == 1) series.low.clear(), series.high.clear();
  return series;
}

std::vector<double> RaceCurves::first(const std::string& column) const {
  return steps_.empty() ? std::vector<double>() : values_of(steps_.front(), column);
}

std::vector<double> RaceCurves::last(const std::string& column) const {
  return steps_.empty() ? std::vector<double>() : values_of(steps_.back(), column);
}

std::vector<double> RaceCurves::values_of(const Records& records, const std::string& column) const {
  std::vector<double> values;
  for (const std::vector<double>* record : records) values.push_back((*record)[index_of(column)]);
  return values;
}

std::vector<double> RaceCurves::first_step_at(const std::string& column, double least) const {
  const size_t i = index_of(column);
  std::vector<double> first;
  for (const auto& records : *seeds_) {
    const auto found = std::find_if(records.begin(), records.end(),
                                    [&](const std::vector<double>& record) { return record[i] >= least; });
    first.push_back(found == records.end() ? HUGE_VAL : found->front());
  }
  return first;
}

size_t RaceCurves::index_of(const std::string& column) const {
  return static_cast<size_t>(std::find(columns_.begin(), columns_.end(), column) - columns_.begin());
}

}  // namespace sqrtdk
