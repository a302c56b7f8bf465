#pragma once
// How far a run is, told often enough that it can be cancelled within milliseconds.
#include <functional>
#include <string>

#include "base/errors.h"

namespace sqrtdk {

/// Called with the share done, 0..1: 0 at the start, then at least every few milliseconds of work, 1 at the
/// end; false cancels the run (throws Cancelled). May be empty.
using Progress = std::function<bool(double)>;

/// Work is counted in random draws, or what takes as long: lab/work.h.
class ProgressMeter {
 public:
  explicit ProgressMeter(std::string op, Progress progress = {})
      : op_(std::move(op)), progress_(std::move(progress)) {}

  /// The whole work of the run: known once its settings are checked, before anything is computed.
  void begin(double total) {
    total_ = total;
    tell();
  }
  void add(double work) {
    done_ += work;
    if (done_ - told_ >= kInterval) tell();
  }
  void end() {
    done_ = total_;
    tell();
  }
  double total() const { return total_; }
  double done() const { return done_; }

 private:
  static constexpr double kInterval = 1 << 16;  // draws: a fraction of a millisecond

  /// Throws Cancelled when the caller wants no more.
  void tell() {
    told_ = done_;
    if (progress_ && !progress_(done_ < total_ ? done_ / total_ : 1)) {
      throw Cancelled(ErrorCode::kCancelled, op_, "", "", "");
    }
  }

  std::string op_;
  Progress progress_;
  double total_ = 0, done_ = 0, told_ = 0;
};

}  // namespace sqrtdk
