#pragma once
// Densities over equal bins, with standard errors over trials.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sqrtdk {

class Histogram {
 public:
  Histogram(double from, double to, size_t bins)
      : from_(from), width_((to - from) / static_cast<double>(bins)), bins_(bins) {}
  /// Scores outside the bins count in the total only.
  void add_trial(const float* scores, int64_t n);
  size_t size() const { return bins_.size(); }
  double centre(size_t bin) const { return from_ + (static_cast<double>(bin) + 0.5) * width_; }
  double density(size_t bin) const;
  double se(size_t bin) const;

 private:
  struct Bin {
    double count = 0, squares = 0;  // sums over trials of c and of c²
    double now = 0;                 // c of the present trial
  };
  double from_, width_;
  std::vector<Bin> bins_;
  std::vector<size_t> touched_;
  double trials_ = 0, scores_ = 0;
};

}  // namespace sqrtdk
