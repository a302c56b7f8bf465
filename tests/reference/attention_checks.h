#pragma once
// What tests of attention ask of a case.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/attention_case.h"
#include "reference/compare.h"

namespace sqrtdk::reference {

/// Attends with the given probability.
inline std::vector<uint8_t> random_mask(int64_t n, uint64_t seed, double probability = 0.6) {
  Draws draws(seed);
  std::vector<uint8_t> mask(static_cast<size_t>(n));
  for (uint8_t& value : mask) value = draws.uniform() < probability ? 255 : 0;
  return mask;
}

inline bool same_results(const AttentionCase& a, const AttentionCase& b) {
  return same_bits(a.scores, b.scores) && same_bits(a.weights, b.weights) && same_bits(a.out, b.out) &&
         same_bits(a.dscores, b.dscores) && same_bits(a.dq, b.dq) && same_bits(a.dk, b.dk) &&
         same_bits(a.dv, b.dv);
}

/// Of small problems with factors near 1: a few roundings of the largest value.
inline bool near(const std::vector<float>& got, const std::vector<double>& exact) {
  double size = 1;
  for (const double x : exact) {
    if (std::isfinite(x)) size = std::max(size, std::fabs(x));
  }
  return compare(got, exact).absolute <= 64 * 0x1p-24 * size;
}

/// Runs the case, forward and backward.
inline void check_against_double(AttentionCase& c) {
  c.run();
  const AttentionProblem p = c.problem();
  const AttentionValues exact = reference::attention(p);
  const AttentionGradients gradients = attention_gradients(p, exact.weights, widen(c.dout));
  CHECK(near(c.scores, exact.scores));
  CHECK(near(c.weights, exact.weights));
  CHECK(near(c.out, exact.out));
  CHECK(near(c.dscores, gradients.dscores));
  CHECK(near(c.dq, gradients.dq));
  CHECK(near(c.dk, gradients.dk));
  CHECK(near(c.dv, gradients.dv));
}

}  // namespace sqrtdk::reference
