#pragma once
// The records of a training run as a CSV file.
#include <string>

#include "training/run.h"

namespace sqrtdk::cli {

class TrainingLog {
 public:
  /// Begins the file, or with `append` keeps what stands there up to the trainer's step: after the end, it is
  /// as if the run had not been cut. Throws UsageError where it has other columns or cannot be written.
  TrainingLog(std::string path, const Trainer& trainer, bool append);

  /// Appends a line: the file has all records so far, whenever the process ends.
  void write(const Record& record);

 private:
  std::string path_;
};

}  // namespace sqrtdk::cli
