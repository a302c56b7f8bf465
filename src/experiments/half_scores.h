#pragma once
// The scores of one query in 16 bits, computed in several ways.
#include <string>
#include <vector>

#include "experiments/number_format.h"

namespace sqrtdk {

/// q and k are rounded to the format, products are exact, and each score is rounded to it in the end.
enum ScorePath {
  kFp32Sum,       // sums kept in fp32
  kOwnSum,        // sums rounded to the format after each addition
  kScaledAfter,   // kFp32Sum, then times 1/sqrt(d)
  kScaledBefore,  // q times 1/sqrt(d) and rounded, then kOwnSum
};
inline constexpr const char* kScorePaths[] = {"fp32_sum", "own_sum", "scaled_after", "scaled_before"};
inline constexpr size_t kNScorePaths = std::size(kScorePaths);

double largest_number(Format format);  // finite

class HalfScores {
 public:
  HalfScores(int64_t d, int64_t n_keys);
  /// x: q [d], then k [n_keys, d], all times `std`.
  void compute(const std::vector<float>& x, float std, Format format);
  const std::vector<double>& exact() const { return exact_; }  // of the rounded q and k
  const std::vector<float>& at(ScorePath path) const { return scores_[path]; }

  /// Of a score that is finite exactly and not in kOwnSum: after how many terms the sum leaves the format, as
  /// a line of text; empty where there is none.
  std::string birth(Format format) const;

 private:
  double exact_product(size_t key, size_t j, Format format) const;

  int64_t d_, n_;
  std::vector<float> q_, k_, scaled_q_;
  std::vector<double> exact_;
  std::vector<float> scores_[kNScorePaths];
};

}  // namespace sqrtdk
