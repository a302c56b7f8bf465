#pragma once
// What the seeds of one racer have in common, over the steps that all of them have reached.
#include "experiments/training_race/race_result.h"

namespace sqrtdk {

class RaceCurves {
 public:
  using Seeds = std::vector<std::vector<std::vector<double>>>;  // [seed][record][column]

  /// The first column is the step. Throws ShapeError for records of another number of columns.
  RaceCurves(const Seeds& seeds, std::vector<std::string> columns);

  /// The columns whose names begin so, over steps: their mean over seeds, and a band from the lowest to the
  /// highest of them.
  Series series(const std::string& name, Role role, const std::string& prefix) const;

  const std::vector<std::string>& columns() const { return columns_; }
  size_t n_seeds() const { return n_seeds_; }
  /// The last step that all seeds have reached; -1 before there is one.
  double last_step() const { return steps_.empty() ? -1 : steps_.back().front()->front(); }
  /// The column of each seed at the first step, and at the last; empty before there is one.
  std::vector<double> first(const std::string& column) const;
  std::vector<double> last(const std::string& column) const;
  /// The first step of each seed at which a column is at least as large; infinity where it never was.
  std::vector<double> first_step_at(const std::string& column, double least) const;

 private:
  using Records = std::vector<const std::vector<double>*>;  // one of each seed, at the same step
  size_t index_of(const std::string& column) const;
  std::vector<double> values_of(const Records& records, const std::string& column) const;

  const Seeds* seeds_;
  std::vector<std::string> columns_;
  size_t n_seeds_;
  std::vector<Records> steps_;
};

}  // namespace sqrtdk
