#pragma once
// What tests of attention ask of a case.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/attention_case.h"
#include "reference/compare.h"
#include "reference/gradient.h"

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

/// For small problems with factors near 1: within a few roundings of the largest value.
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

/// <dout, J t> = <Jᵀ dout, t> for a random direction t: the gradients are those of the forward pass.
inline void check_transposed_derivative(const AttentionCase& c, const std::vector<float>& got_dq,
                                        const std::vector<float>& got_dk, const std::vector<float>& got_dv) {
  const AttentionProblem p = c.problem();
  Draws draws(9);
  const std::vector<double> tq = widen(draws.normals(c.q_shape().size()));
  const std::vector<double> tk = widen(draws.normals(c.k_shape().size()));
  const std::vector<double> tv = widen(draws.normals(c.v_shape().size()));
  const std::vector<double> jt = attention_tangent(p, reference::attention(p).weights, tq, tk, tv);
  const std::vector<double> u = widen(c.dout), dq = widen(got_dq), dk = widen(got_dk), dv = widen(got_dv);
  const double left = dot(u, jt), right = dot(dq, tq) + dot(dk, tk) + dot(dv, tv);
  const double size =
      std::sqrt((dot(dq, dq) + dot(dk, dk) + dot(dv, dv)) * (dot(tq, tq) + dot(tk, tk) + dot(tv, tv)));
  CHECK(std::fabs(left - right) <= 16 * 0x1p-24 * size);
}

}  // namespace sqrtdk::reference
