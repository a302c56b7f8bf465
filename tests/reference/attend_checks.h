#pragma once
// What tests of additive and of cosine attention ask alike, of an AdditiveCase or a CosineCase.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "reference/attend.h"
#include "reference/attention_checks.h"
#include "reference/dual.h"
#include "reference/gradient.h"

namespace sqrtdk::reference {

inline double tolerance(const std::vector<double>& exact) { return 64 * 0x1p-24 * (1 + max_abs(exact)); }

/// Scores within score_error, and what follows from them: a weight's relative error is twice that and a few
/// roundings; an output sums n_k of them in blocks of 32.
template <class Case>
void check_against_formula(const Case& c, const std::vector<float>& values, double score_error) {
  const Attended<double> exact = c.formula(widen(c.inputs()));
  const double eps = 0x1p-24, weight_error = 2 * score_error + 4 * eps;
  const double terms = std::min<double>(c.n_k, 32) + static_cast<double>(c.n_k) / 32 + 2;
  CHECK(compare(c.scores, exact.scores).absolute <= score_error);
  CHECK(compare(c.weights, exact.weights).absolute <= weight_error);
  CHECK(compare(c.out, exact.out).absolute <= (weight_error + eps * terms) * max_abs(widen(values)));
}

template <class Case>
void check_same_results(const Case& a, const Case& b) {
  CHECK(same_bits(a.scores, b.scores));
  CHECK(same_bits(a.weights, b.weights));
  CHECK(same_bits(a.out, b.out));
  CHECK(same_bits(a.dscores, b.dscores));
  CHECK(same_bits(a.gradients(), b.gradients()));
}

/// The kernel's gradients against the formula's, by differentiation and by differences.
template <class Case>
void check_gradients(Case& c) {
  c.run();
  const auto out_of = [&c](const auto& inputs) { return c.formula(inputs).out; };
  const std::vector<double> x = widen(c.inputs()), u = widen(c.dout);
  const std::vector<double> exact = gradient_of(out_of, x, u);
  CHECK(compare(c.gradients(), exact).absolute <= tolerance(exact));
  CHECK(compare(c.gradients(), central_differences(out_of, x, u)).absolute <= tolerance(exact) + 1e-8);
}

/// <dout, J t> = <Jᵀ dout, t> for a random direction t.
template <class Case>
void check_transposed_derivative(Case& c) {
  c.run();
  const std::vector<double> x = widen(c.inputs()), gradients = widen(c.gradients());
  const std::vector<double> t = widen(Draws(9).normals(static_cast<int64_t>(x.size())));
  const auto out_of = [&c](const auto& inputs) { return c.formula(inputs).out; };
  const double left = dot(widen(c.dout), tangent_of(out_of, x, t)), right = dot(gradients, t);
  CHECK(std::fabs(left - right) <= 16 * 0x1p-24 * std::sqrt(dot(gradients, gradients) * dot(t, t)));
}

}  // namespace sqrtdk::reference
