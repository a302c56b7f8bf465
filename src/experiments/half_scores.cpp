#include "experiments/half_scores.h"

#include <cmath>

#include "experiments/text.h"

namespace sqrtdk {

double largest_number(Format format) {
  if (format == Format::kF16) return 65504;
  return format == Format::kBf16 ? 0x1.fep127 : 0x1.fffffep127;
}

HalfScores::HalfScores(int64_t d, int64_t n_keys)
    : d_(d),
      n_(n_keys),
      q_(static_cast<size_t>(d)),
      k_(static_cast<size_t>(n_keys * d)),
      scaled_q_(q_.size()),
      exact_(static_cast<size_t>(n_keys)) {
  for (std::vector<float>& scores : scores_) scores.resize(exact_.size());
}

double HalfScores::exact_product(size_t key, size_t j, Format format) const {
  return static_cast<double>(rounded(format, q_[j])) *
         static_cast<double>(rounded(format, k_[key * q_.size() + j]));
}

void HalfScores::compute(const std::vector<float>& x, float std, Format format) {
  const auto factor = static_cast<float>(1 / std::sqrt(static_cast<double>(d_)));
  for (size_t j = 0; j < q_.size(); ++j) {
    q_[j] = std * x[j];
    scaled_q_[j] = factor * q_[j];
  }
  for (size_t j = 0; j < k_.size(); ++j) k_[j] = std * x[q_.size() + j];
  for (size_t i = 0; i < exact_.size(); ++i) {
    exact_[i] = 0;
    for (size_t j = 0; j < q_.size(); ++j) exact_[i] += exact_product(i, j, format);
  }
  const auto product = [&](const std::vector<float>& q, Format accumulate, std::vector<float>& out) {
    const View result{out.data(), {1, n_}};
    matmul_in_format({q.data(), {1, d_}}, Transpose::kNo, {k_.data(), {n_, d_}}, Transpose::kYes, format,
                     accumulate, result);
    round_to(format, result, result);
  };
  product(q_, Format::kF32, scores_[kFp32Sum]);
  product(q_, format, scores_[kOwnSum]);
  product(scaled_q_, format, scores_[kScaledBefore]);
  for (size_t i = 0; i < exact_.size(); ++i) {
    scores_[kScaledAfter][i] = rounded(format, factor * scores_[kFp32Sum][i]);
  }
}

std::string HalfScores::birth(Format format) const {
  for (size_t i = 0; i < exact_.size(); ++i) {
    if (std::isfinite(scores_[kOwnSum][i]) || std::fabs(exact_[i]) > largest_number(format)) continue;
    float sum = 0;
    size_t j = 0;
    for (; j < q_.size() && std::isfinite(sum); ++j) {
      sum = rounded(format, static_cast<double>(sum) + exact_product(i, j, format));
    }
    return "key " + std::to_string(i) + ": " + shortest(sum) + " after " + std::to_string(j) + " of " +
           std::to_string(q_.size()) + " terms; exact " + fixed(exact_[i], 1);
  }
  return "";
}

}  // namespace sqrtdk
