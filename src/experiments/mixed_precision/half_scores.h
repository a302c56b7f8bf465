#pragma once
// The scores of one query in 16 bits, computed in several ways.
#include <string>
#include <vector>

#include "lab/number_format.h"

namespace sqrtdk {

/// q and k are rounded to the format, products are exact or rounded as well (never those of fp32 sums), and
/// each score is rounded to it in the end.
enum ScorePath {
  kFp32Sum,       // sums kept in fp32
  kOwnSum,        // sums rounded to the format after each addition
  kScaledAfter,   // kFp32Sum, then times 1/sqrt(d)
  kScaledBefore,  // q times 1/sqrt(d) and rounded, then kOwnSum
};
inline constexpr const char* kScorePaths[] = {"fp32_sum", "own_sum", "scaled_after", "scaled_before"};
inline constexpr size_t kNScorePaths = std::size(kScorePaths);

double largest_number(Format format);  // finite

/// Where a sum leaves the format.
struct Birth {
  size_t key = 0;
  std::vector<double> exact;  // sums of the first 1, 2, .. d terms
  std::vector<float> own;     // as rounded after each addition, to the first that is not finite

  std::string text() const;
};

class HalfScores {
 public:
  HalfScores(int64_t d, int64_t n_keys, bool round_products = false);
  /// x: q [d], then k [n_keys, d], all times `std`.
  void compute(const std::vector<float>& x, float std, Format format);
  const std::vector<double>& exact() const { return exact_; }  // of the rounded q and k
  const std::vector<float>& at(ScorePath path) const { return scores_[path]; }

  /// The birth of the first score that is finite exactly and not in kOwnSum; without sums where there is
  /// none.
  Birth first_birth(Format format) const;
  /// As a line of text; empty where there is none.
  std::string birth(Format format) const { return first_birth(format).text(); }

 private:
  double exact_product(size_t key, size_t j, Format format) const;
  double term(double product, Format format) const;
  void sum_rounded_products(const std::vector<float>& q, Format format, std::vector<float>& out) const;

  bool round_products_;
  int64_t d_, n_;
  std::vector<float> q_, k_, scaled_q_;
  std::vector<double> exact_;
  std::vector<float> scores_[kNScorePaths];
};

}  // namespace sqrtdk
