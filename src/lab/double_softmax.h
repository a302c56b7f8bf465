#pragma once
// softmax in double, in which a weight of 1e-60 is not lost.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "simd/math.h"

namespace sqrtdk {

/// weights = softmax(scores), of the same length; returns the index of the largest.
inline size_t double_softmax(const std::vector<double>& scores, std::vector<double>& weights) {
  const auto most = std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (size_t j = 0; j < scores.size(); ++j) sum += weights[j] = simd::exp(scores[j] - *most);
  for (double& p : weights) p /= sum;
  return static_cast<size_t>(most - scores.begin());
}

}  // namespace sqrtdk
