#pragma once
// The second half of every form of attention, for numbers of any kind.
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace sqrtdk::reference {

/// Vectors one after another: what a result depends on, and the gradients in the same order.
inline std::vector<float> joined(std::initializer_list<const std::vector<float>*> parts) {
  std::vector<float> all;
  for (const std::vector<float>* part : parts) all.insert(all.end(), part->begin(), part->end());
  return all;
}

template <class T>
struct Attended {
  std::vector<T> scores, weights, out;
};

/// weights = softmax(scores) over the pairs with unmasked[pair] != 0, out = weights · values [batch, n_k,
/// d_v]. An empty `unmasked` is all.
template <class T>
Attended<T> attend(std::vector<T> scores, const T* values, const std::vector<uint8_t>& unmasked,
                   int64_t batch, int64_t n_q, int64_t n_k, int64_t d_v) {
  using std::exp;
  std::vector<T> weights(scores.size(), T(0)), out(static_cast<size_t>(batch * n_q * d_v), T(0));
  for (int64_t row = 0; row < batch * n_q; ++row) {
    const auto attends = [&](int64_t j) {
      return unmasked.empty() || unmasked[static_cast<size_t>(row * n_k + j)];
    };
    T* s = scores.data() + row * n_k;
    T largest(-INFINITY), sum(0);
    for (int64_t j = 0; j < n_k; ++j) {
      if (attends(j) && largest < s[j]) largest = s[j];
    }
    for (int64_t j = 0; j < n_k; ++j) {
      if (attends(j)) sum += exp(s[j] - largest);
    }
    for (int64_t j = 0; j < n_k; ++j) {
      if (!attends(j)) {
        s[j] = T(-INFINITY);
        continue;
      }
      const T weight = weights[static_cast<size_t>(row * n_k + j)] = exp(s[j] - largest) / sum;
      for (int64_t c = 0; c < d_v; ++c) {
        out[static_cast<size_t>(row * d_v + c)] += weight * values[(row / n_q * n_k + j) * d_v + c];
      }
    }
  }
  return {scores, weights, out};
}

}  // namespace sqrtdk::reference
