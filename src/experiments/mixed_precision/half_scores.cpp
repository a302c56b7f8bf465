#include "experiments/mixed_precision/half_scores.h"

#include <cmath>

#include "base/decimal.h"
#include "base/text.h"

namespace sqrtdk {

double largest_number(Format format) {
  if (format == Format::kF16) return 65504;
  return format == Format::kBf16 ? 0x1.fep127 : 0x1.fffffep127;
}

HalfScores::HalfScores(int64_t d, int64_t n_keys, bool round_products)
    : round_products_(round_products),
      d_(d),
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

double HalfScores::term(double product, Format format) const {
  return round_products_ ? static_cast<double>(rounded(format, product)) : product;
}

void HalfScores::sum_rounded_products(const std::vector<float>& q, Format format,
                                      std::vector<float>& out) const {
  std::vector<double> row(q.size());
  for (size_t j = 0; j < q.size(); ++j) row[j] = static_cast<double>(rounded(format, q[j]));
  for (size_t i = 0; i < out.size(); ++i) {
    float sum = 0;
    for (size_t j = 0; j < row.size(); ++j) {
      const double product = row[j] * static_cast<double>(rounded(format, k_[i * row.size() + j]));
      sum = rounded(format, static_cast<double>(sum) + term(product, format));
    }
    out[i] = sum;
  }
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
  for (const auto& [q, path] : {std::pair{&q_, kOwnSum}, {&scaled_q_, kScaledBefore}}) {
    if (round_products_) {
      sum_rounded_products(*q, format, scores_[path]);
    } else {
      product(*q, format, scores_[path]);
    }
  }
  for (size_t i = 0; i < exact_.size(); ++i) {
    scores_[kScaledAfter][i] = rounded(format, factor * scores_[kFp32Sum][i]);
  }
}

Birth HalfScores::first_birth(Format format) const {
  Birth birth;
  for (size_t i = 0; i < exact_.size(); ++i) {
    if (std::isfinite(scores_[kOwnSum][i]) || std::fabs(exact_[i]) > largest_number(format)) continue;
    birth.key = i;
    double exact = 0;
    float own = 0;
    for (size_t j = 0; j < q_.size(); ++j) {
      const double product = exact_product(i, j, format);
      birth.exact.push_back(exact += product);
      if (!std::isfinite(own)) continue;
      birth.own.push_back(own = rounded(format, static_cast<double>(own) + term(product, format)));
    }
    break;
  }
  return birth;
}

std::string Birth::text() const {
  if (own.empty()) return "";
  return "key " + to_text(key) + ": " + shortest(own.back()) + " after " + to_text(own.size()) + " of " +
         to_text(exact.size()) + " terms; exact " + fixed(exact.back(), 1);
}

}  // namespace sqrtdk
