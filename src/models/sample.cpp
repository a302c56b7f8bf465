#include "models/sample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/decimal.h"
#include "base/errors.h"
#include "simd/double_math.h"
#include "tensor/random.h"

namespace sqrtdk {
namespace {

constexpr uint64_t kStream = 0x73616d706c65;  // "sample": no other numbers of the seed are these

// In [0, 1), a multiple of 2^-48.
double uniform(uint64_t seed, int64_t position) {
  float parts[2];
  philox_uniform(seed, kStream, 2 * static_cast<uint64_t>(position), parts, 2);
  return static_cast<double>(parts[0]) + static_cast<double>(parts[1]) * 0x1p-24;
}

// Orders tokens by their logits, of equals the later one first.
struct LessLikely {
  const float* logits;
  bool operator()(int32_t a, int32_t b) const {
    return logits[a] < logits[b] || (logits[a] == logits[b] && a > b);
  }
};

// The most likely tokens first, and how likely each is, times the same factor.
class Ranking {
 public:
  Ranking(ConstView logits, float largest, double temperature)
      : less_{logits.data},
        largest_(static_cast<double>(largest)),
        temperature_(temperature),
        order_(static_cast<size_t>(logits.shape.size())) {
    std::iota(order_.begin(), order_.end(), 0);
    std::make_heap(order_.begin(), order_.end(), less_);
  }

  double weight(int32_t token) const {
    return simd::exp((static_cast<double>(less_.logits[token]) - largest_) / temperature_);
  }

  // The token of this rank; of ranks that are asked for in order it takes them from a heap.
  int32_t token(int64_t rank) {
    const auto n = static_cast<int64_t>(order_.size());
    for (; taken_ <= rank; ++taken_) std::pop_heap(order_.begin(), order_.end() - taken_, less_);
    return order_[static_cast<size_t>(n - 1 - rank)];
  }

 private:
  LessLikely less_;
  double largest_, temperature_;
  std::vector<int32_t> order_;  // a heap, behind which lie those taken from it
  int64_t taken_ = 0;
};

// -inf is a token that never comes.
void check_logits(const char* op, ConstView logits, float largest) {
  const auto fail = [&](const std::string& got) {
    throw ValueError(ErrorCode::kNotFinite, op, "logits", "numbers below infinity", got);
  };
  for (int64_t i = 0; i < logits.shape.size(); ++i) {
    if (std::isnan(logits.data[i])) fail("NaN of token " + to_text(i));
  }
  if (std::isinf(largest)) fail(largest > 0 ? "infinity" : "-infinity of every token");
}

}  // namespace

void check_sampling(const char* op, const Sampling& sampling) {
  if (!(sampling.temperature >= 0 && sampling.temperature <= std::numeric_limits<double>::max())) {
    throw_out_of_range(op, "temperature", "0 or a positive number", sampling.temperature);
  }
  if (sampling.top_k < 0) {
    throw_out_of_range(op, "top_k", "0 for all, or 1 or more", static_cast<double>(sampling.top_k));
  }
  if (!(sampling.top_p > 0 && sampling.top_p <= 1)) {
    throw_out_of_range(op, "top_p", "0 .. 1, without 0", sampling.top_p);
  }
}

int32_t sample(const char* op, ConstView logits, const Sampling& sampling, int64_t position) {
  const auto n = static_cast<int32_t>(logits.shape.size());
  const float* const largest = std::max_element(logits.data, logits.data + n);
  if (sampling.temperature == 0) return static_cast<int32_t>(largest - logits.data);
  check_logits(op, logits, *largest);
  Ranking ranking(logits, *largest, sampling.temperature);
  int64_t kept = sampling.top_k > 0 ? std::min<int64_t>(sampling.top_k, n) : n;
  double total = 0;
  if (kept < n) {
    for (int64_t rank = 0; rank < kept; ++rank) total += ranking.weight(ranking.token(rank));
  } else {
    for (int32_t i = 0; i < n; ++i) total += ranking.weight(i);
  }
  if (sampling.top_p < 1) {
    const double enough = sampling.top_p * total;
    int64_t rank = 0;
    total = 0;
    do total += ranking.weight(ranking.token(rank));
    while (++rank < kept && total < enough);
    kept = rank;
  }
  // The first token up to which the sum exceeds a uniform part of the whole.
  const double part = uniform(sampling.seed, position) * total;
  double sum = 0;
  int32_t drawn = ranking.token(0);
  for (int64_t rank = 0; rank < kept && sum <= part; ++rank) {
    const int32_t token = ranking.token(rank);
    const double weight = ranking.weight(token);
    if (weight == 0) break;  // by rounding `part` is beyond the sum of all
    drawn = token;
    sum += weight;
  }
  return drawn;
}

}  // namespace sqrtdk
