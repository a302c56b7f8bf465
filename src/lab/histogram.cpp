#include "lab/histogram.h"

#include <cmath>

namespace sqrtdk {

void Histogram::add_trial(const float* scores, int64_t n) {
  touched_.clear();
  for (int64_t i = 0; i < n; ++i) {
    const double position = std::floor((static_cast<double>(scores[i]) - from_) / width_);
    if (!(position >= 0 && position < static_cast<double>(bins_.size()))) continue;
    const size_t at = static_cast<size_t>(position);
    Bin& bin = bins_[at];
    if (bin.now == 0) touched_.push_back(at);
    bin.count += 1;
    bin.squares += 2 * bin.now + 1;  // (c + 1)² - c²
    bin.now += 1;
  }
  for (const size_t at : touched_) bins_[at].now = 0;
  trials_ += 1;
  scores_ += static_cast<double>(n);
}

double Histogram::density(size_t bin) const { return bins_[bin].count / (scores_ * width_); }

double Histogram::se(size_t bin) const {
  const double mean = bins_[bin].count / trials_;
  const double variance = (bins_[bin].squares / trials_ - mean * mean) * trials_ / (trials_ - 1);
  const double per_trial = scores_ / trials_ * width_;
  return std::sqrt((variance > 0 ? variance : 0) / trials_) / per_trial;
}

}  // namespace sqrtdk
