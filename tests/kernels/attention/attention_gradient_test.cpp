// The backward pass three ways: central differences, <u, J t> = <Jᵀ u, t>, and PyTorch (tests/conformance).
#include <doctest/doctest.h>

#include <cmath>

#include "reference/attention_checks.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

std::vector<AttentionCase> cases() {
  std::vector<AttentionCase> all;
  for (const Causal causal : {Causal::kNo, Causal::kTopLeft, Causal::kBottomRight}) {
    all.emplace_back(3, 4, 5, 2, 2);
    all.back().causal = causal;
  }
  all.emplace_back(4, 3, 1, 3);
  all.back().causal = Causal::kBottomRight;  // the first query attends to nothing
  all.emplace_back(2, 5, 3, 4);
  all.back().scale = 1.0f;
  all.emplace_back(3, 4, 2, 2, 2);
  all.back().mask = {1, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 1};
  all.emplace_back(3, 4, 2, 2, 2);
  all.back().bias = Draws(8).normals(24);
  all.back().bias[5] = -INFINITY;
  all.emplace_back(3, 5, 2, 4, 2, 3, 4, 2);  // four heads of queries, two of keys
  all.back().softcap = 1.5f;
  all.back().causal = Causal::kTopLeft;
  all.back().n_past = 2;
  all.back().bias = Draws(8).normals(20);
  all.back().bias_shape = Shape{4, 1, 5};
  all.emplace_back(2, 6, 3, 2, 2, 4, 3, 1);
  all.back().softcap = 0.4f;
  all.back().causal = Causal::kBottomRight;
  all.back().lengths = {5, 1};
  all.back().mask = {1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1};
  all.back().mask_shape = Shape{2, 1, 1, 6};
  return all;
}

// Float sums and products of factors near 1, over the few terms of a small problem: relative to the largest
// gradient.
double tolerance(const std::vector<double>& exact) { return 64 * 0x1p-24 * (1 + max_abs(exact)); }

}  // namespace

TEST_CASE("attention_backward agrees with the reference in double and with central differences") {
  for (AttentionCase& c : cases()) {
    c.run();
    AttentionProblem p = c.problem();
    const std::vector<double> u = widen(c.dout);
    const AttentionGradients exact = attention_gradients(p, reference::attention(p).weights, u);
    CHECK(compare(c.dscores, exact.dscores).absolute <= tolerance(exact.dscores));
    CHECK(compare(c.dq, exact.dq).absolute <= tolerance(exact.dq));
    CHECK(compare(c.dk, exact.dk).absolute <= tolerance(exact.dk));
    CHECK(compare(c.dv, exact.dv).absolute <= tolerance(exact.dv));

    const auto differences = [&](std::vector<double> AttentionProblem::*x) {
      return central_differences(
          [&](const std::vector<double>& values) {
            AttentionProblem changed = p;
            changed.*x = values;
            return reference::attention(changed).out;
          },
          p.*x, u);
    };
    CHECK(compare(c.dq, differences(&AttentionProblem::q)).absolute <= tolerance(exact.dq) + 1e-8);
    CHECK(compare(c.dk, differences(&AttentionProblem::k)).absolute <= tolerance(exact.dk) + 1e-8);
    CHECK(compare(c.dv, differences(&AttentionProblem::v)).absolute <= tolerance(exact.dv) + 1e-8);
    if (c.bias.size() == c.dscores.size()) {  // without softcap, dL/dscores is the bias's gradient
      p.bias[5] = 0;                          // masked all the same: unmasked() looks at the case
      const std::vector<double> dbias = differences(&AttentionProblem::bias);
      CHECK(compare(c.dscores, dbias).absolute <= tolerance(exact.dscores) + 1e-8);
    }
  }
}

TEST_CASE("attention_backward is the transpose of the derivative") {
  std::vector<AttentionCase> all = cases();
  all.emplace_back(40, 300, 64, 33);
  all.back().causal = Causal::kBottomRight;
  all.emplace_back(33, 47, 70, 20, 3);
  all.emplace_back(33, 47, 20, 9, 2, 1, 4, 2);
  all.back().softcap = 3;
  all.back().lengths = {20, 47};
  for (AttentionCase& c : all) {
    c.run();
    check_transposed_derivative(c, c.dq, c.dk, c.dv);
  }
}

TEST_CASE("attention_backward: a non-finite upstream gradient reaches the unmasked positions only") {
  AttentionCase clean(4, 6, 3, 5);
  clean.causal = Causal::kTopLeft;
  clean.run();
  for (const float value : {NAN, INFINITY}) {
    AttentionCase c = clean;
    c.dout[1 * 5] = value;  // query 1 sees the keys 0 and 1
    c.run();
    for (int64_t key = 0; key < 6; ++key) {
      const auto row = c.dk.begin() + key * 3, expected = clean.dk.begin() + key * 3;
      CHECK(std::isfinite(c.dv[static_cast<size_t>(key * 5)]) == (key > 1));
      if (key > 1) CHECK(same_bits({row, row + 3}, {expected, expected + 3}));
      if (key <= 1) CHECK_FALSE(std::isfinite(*row));
    }
    for (int64_t i = 0; i < 4; ++i) CHECK(std::isfinite(c.dq[static_cast<size_t>(i * 3)]) == (i != 1));
  }
}
