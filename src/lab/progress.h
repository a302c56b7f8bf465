#pragma once
// Tells the caller how far a run is, often enough that it can be cancelled within milliseconds.
#include "base/errors.h"
#include "lab/experiment.h"

namespace sqrtdk {

class ProgressMeter {
 public:
  /// `total` in random draws, or what takes as long.
  ProgressMeter(std::string op, Progress progress, double total)
      : op_(std::move(op)), progress_(std::move(progress)), total_(total) {}

  /// Throws Cancelled when the caller wants no more.
  void add(double work) {
    done_ += work;
    if (!progress_ || done_ - told_ < kInterval) return;
    told_ = done_;
    if (!progress_(done_ < total_ ? done_ / total_ : 1)) {
      throw Cancelled(ErrorCode::kCancelled, op_, "", "", "");
    }
  }

 private:
  static constexpr double kInterval = 1 << 16;  // draws: a millisecond
  std::string op_;
  Progress progress_;
  double total_, done_ = 0, told_ = 0;
};

}  // namespace sqrtdk
