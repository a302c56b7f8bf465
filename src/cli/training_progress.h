#pragma once
// How far a training run is, on stderr: a bar where that is a terminal, else a line for each record.
#include <chrono>

#include "training/run.h"

namespace sqrtdk::cli {

class TrainingProgress {
 public:
  TrainingProgress(int64_t first, int64_t total);
  ~TrainingProgress() { clear(); }
  TrainingProgress(const TrainingProgress&) = delete;
  TrainingProgress& operator=(const TrainingProgress&) = delete;

  void step(const StepResult& result);
  void record(const Record& record);
  /// Removes the bar.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool terminal_;
  int64_t first_, total_;
  Clock::time_point start_ = Clock::now(), shown_ = {};
  std::optional<double> accuracy_;  // of the last record
};

}  // namespace sqrtdk::cli
