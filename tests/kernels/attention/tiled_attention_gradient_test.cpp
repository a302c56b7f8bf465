// The tiled backward pass three ways: the reference in double, central differences and <u, J t> = <Jᵀ u, t>.
// PyTorch's values: the conformance program.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "reference/attention_checks.h"
#include "reference/tiled_gradient.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

// A case with about a third of its pairs masked, and every third bias -inf.
void add_mask(AttentionCase& c, Shape shape) {
  Draws draws(21);
  c.mask_shape = shape;
  for (int64_t i = 0; i < shape.size(); ++i) c.mask.push_back(draws.uniform() < 0.35 ? 0 : 3);
}

void add_bias(AttentionCase& c, Shape shape) {
  c.bias_shape = shape;
  c.bias = Draws(22).normals(shape.size());
  for (size_t i = 0; i < c.bias.size(); i += 3) c.bias[i] = -INFINITY;
}

// Every option, over a problem of the given sizes.
std::vector<AttentionCase> cases(int64_t n_q, int64_t n_k, int64_t d_k, int64_t d_v) {
  std::vector<AttentionCase> all;
  for (const Causal causal : {Causal::kNo, Causal::kTopLeft, Causal::kBottomRight}) {
    all.emplace_back(n_q, n_k, d_k, d_v, 2).causal = causal;
  }
  all.emplace_back(n_k, n_q, d_k, d_v).causal = Causal::kBottomRight;  // the first queries attend to nothing
  AttentionCase& past = all.emplace_back(n_q, n_k, d_k, d_v);
  past.causal = Causal::kTopLeft, past.n_past = 2;
  all.emplace_back(n_q, n_k, d_k, d_v).scale = 1.0f;
  all.emplace_back(n_q, n_k, d_k, d_v).softcap = 0.75f;

  add_mask(all.emplace_back(n_q, n_k, d_k, d_v, 2), {n_q, n_k});
  add_mask(all.emplace_back(n_q, n_k, d_k, d_v, 2, 1, 2), {2, 1, 1, n_k});
  add_mask(all.emplace_back(n_q, n_k, d_k, d_v, 2, 1, 2), {2, n_q, 1});
  add_bias(all.emplace_back(n_q, n_k, d_k, d_v, 2), {2, 1, n_q, n_k});
  add_bias(all.emplace_back(n_q, n_k, d_k, d_v, 1, 1, 2), {1, 2, n_q, 1});

  AttentionCase& lengths = all.emplace_back(n_q, n_k, d_k, d_v, 3);
  lengths.lengths = {static_cast<int32_t>(n_k), 0, static_cast<int32_t>(n_k / 2)};
  AttentionCase& head_lengths = all.emplace_back(n_q, n_k, d_k, d_v, 1, 1, 2);
  head_lengths.lengths = {static_cast<int32_t>(n_k - 1), 1}, head_lengths.causal = Causal::kBottomRight;

  all.emplace_back(n_q, n_k, d_k, d_v, 2, 1, 6, 2);
  AttentionCase& mixed = all.emplace_back(n_q, n_k, d_k, d_v, 2, 1, 4, 2);
  mixed.causal = Causal::kTopLeft, mixed.softcap = 2;
  mixed.lengths = {static_cast<int32_t>(n_k - 1), static_cast<int32_t>(n_k)};
  add_mask(mixed, {2, 1, n_q, n_k});
  add_bias(mixed, {4, 1, n_k});
  AttentionCase scaled = mixed;
  scaled.head_scales = {1.1f, 0.2f, 0.7f, 0.7f};
  all.push_back(scaled);
  all.emplace_back(n_q, n_k, d_k, d_v, 2, 1, 4, 2).head_scales = {0.3f, 0.3f, -0.8f, 0.0f};
  return all;
}

// Float sums and products of factors near 1: relative to the largest gradient.
double tolerance(const std::vector<double>& exact) { return 32 * 0x1p-24 * (1 + max_abs(exact)); }

void check_close(const AttentionCase& c, const TiledGradient& g) {
  const AttentionProblem p = c.problem();
  const AttentionGradients exact = attention_gradients(p, reference::attention(p).weights, widen(c.dout));
  CHECK(compare(g.dq, exact.dq).absolute <= tolerance(exact.dq));
  CHECK(compare(g.dk, exact.dk).absolute <= tolerance(exact.dk));
  CHECK(compare(g.dv, exact.dv).absolute <= tolerance(exact.dv));
}

}  // namespace

TEST_CASE("tiled_attention_backward agrees with central differences") {
  for (const AttentionCase& c : cases(3, 5, 2, 3)) {
    const TiledGradient g = tiled_gradient(c);
    check_close(c, g);
    const AttentionProblem p = c.problem();
    const auto differences = [&](std::vector<double> AttentionProblem::*x) {
      return central_differences(
          [&](const std::vector<double>& values) {
            AttentionProblem changed = p;
            changed.*x = values;
            return reference::attention(changed).out;
          },
          p.*x, widen(c.dout));
    };
    const std::vector<double> dq = differences(&AttentionProblem::q), dk = differences(&AttentionProblem::k),
                              dv = differences(&AttentionProblem::v);
    CHECK(compare(g.dq, dq).absolute <= tolerance(dq) + 1e-8);
    CHECK(compare(g.dk, dk).absolute <= tolerance(dk) + 1e-8);
    CHECK(compare(g.dv, dv).absolute <= tolerance(dv) + 1e-8);
  }
}

TEST_CASE("tiled_attention_backward agrees with the reference over several tiles, with every option") {
  for (const AttentionCase& c : cases(70, 133, 12, 7)) check_close(c, tiled_gradient(c));
}

TEST_CASE("tiled_attention_backward: every tail of n_q, n_k, d_k and d_v") {
  for (int64_t n = 1; n <= 33; ++n) {
    for (const Causal causal : {Causal::kNo, Causal::kTopLeft, Causal::kBottomRight}) {
      AttentionCase c(n, 34 - n, (n * 7) % 33 + 1, (n * 10) % 33 + 1);
      c.causal = causal;
      check_close(c, tiled_gradient(c));
    }
  }
}

TEST_CASE("tiled_attention_backward: sizes around those of the tiles") {
  for (const int64_t n_q : {63, 64, 65, 129}) {
    for (const int64_t n_k : {63, 64, 65, 129}) {
      AttentionCase c(n_q, n_k, 8, 9);
      c.causal = n_q > n_k ? Causal::kTopLeft : Causal::kBottomRight;
      check_close(c, tiled_gradient(c));
    }
  }
}

TEST_CASE("tiled_attention_backward is the transpose of the derivative") {
  std::vector<AttentionCase> all = cases(5, 7, 3, 4);
  for (AttentionCase& c : cases(66, 68, 9, 5)) all.push_back(c);
  all.emplace_back(40, 300, 64, 33).causal = Causal::kBottomRight;
  for (const AttentionCase& c : all) {
    const TiledGradient g = tiled_gradient(c);
    check_transposed_derivative(c, g.dq, g.dk, g.dv);
  }
}

TEST_CASE("tiled_attention_backward: a group's heads are added in order to their head of k and v") {
  AttentionCase grouped(70, 67, 12, 9, 1, 1, 3, 1);
  grouped.scale = 0.25f;  // a power of two: scaling the sum of dk or its parts is the same
  const TiledGradient g = tiled_gradient(grouped);
  // It equals one sequence of all queries after another, where each head begins a block of 64.
  AttentionCase joined(3 * 128, 67, 12, 9);
  joined.k = grouped.k, joined.v = grouped.v, joined.scale = grouped.scale;
  joined.q.assign(joined.q.size(), 0.0f);
  joined.dout.assign(joined.dout.size(), 0.0f);
  for (int64_t head = 0; head < 3; ++head) {
    std::copy_n(grouped.q.begin() + head * 70 * 12, 70 * 12, joined.q.begin() + head * 128 * 12);
    std::copy_n(grouped.dout.begin() + head * 70 * 9, 70 * 9, joined.dout.begin() + head * 128 * 9);
  }
  const TiledGradient h = tiled_gradient(joined);
  CHECK(same_bits(g.dk, h.dk));
  CHECK(same_bits(g.dv, h.dv));
  for (int64_t head = 0; head < 3; ++head) {
    const auto dq = g.dq.begin() + head * 70 * 12, expected = h.dq.begin() + head * 128 * 12;
    CHECK(same_bits({dq, dq + 70 * 12}, {expected, expected + 70 * 12}));
  }
}
