#include <doctest/doctest.h>

#include <cmath>

#include "base/errors.h"
#include "kernels/attention/attention.h"
#include "reference/attention_case.h"
#include "reference/compare.h"
#include "reference/gradient.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

struct Dropped {
  explicit Dropped(AttentionCase& c, float probability = 0.4f) {
    const size_t pairs = static_cast<size_t>(c.scores_shape().size());
    for (std::vector<float>* x : {&c.scores, &c.weights, &c.dscores, &dropped}) x->assign(pairs, 7.0f);
    c.out.assign(static_cast<size_t>(c.out_shape().size()), 7.0f);
    c.dq.assign(c.q.size(), 7.0f), c.dk.assign(c.k.size(), 7.0f), c.dv.assign(c.v.size(), 7.0f);
    const View scores(c.scores.data(), c.scores_shape()), weights(c.weights.data(), c.scores_shape());
    const View left(dropped.data(), c.scores_shape()), dscores(c.dscores.data(), c.scores_shape());
    const WeightDropout dropout{probability, {3, 4}, left};
    attention_forward(c.q_view(), c.k_view(), c.v_view(), c.options(), scores, weights,
                      {c.out.data(), c.out_shape()}, &dropout);
    attention_backward(c.q_view(), c.k_view(), c.v_view(), c.options(), scores, weights, c.dout_view(),
                       dscores, {c.dq.data(), c.q_shape()}, {c.dk.data(), c.k_shape()},
                       {c.dv.data(), c.v_shape()}, &dropout);
  }
  std::vector<float> dropped;
};

}  // namespace

TEST_CASE("attention with dropped weights agrees with the formula in double") {
  for (const Causal causal : {Causal::kNo, Causal::kBottomRight}) {
    AttentionCase c(5, 7, 3, 4, 2, 1, 4, 2);
    c.causal = causal;
    const Dropped d(c);
    const AttentionProblem p = c.problem();
    const AttentionValues exact = reference::attention(p);
    std::vector<float> ones(c.weights.size(), 1.0f);
    const View view(ones.data(), c.scores_shape());
    dropout_forward(view, 0.4f, {3, 4}, view);
    // out = (weights ∘ factors) v; dweights = factors ∘ (dout vᵀ)
    std::vector<double> out(c.out.size()), dweights(ones.size()), means(c.out.size()), dq(c.dq.size()),
        dk(c.dk.size()), dv(c.dv.size());
    each_unmasked(p, [&](int64_t b, int64_t i, int64_t j) {
      const int64_t at = p.at(b, i, j);
      for (int64_t x = 0; x < p.d_v; ++x) {
        const int64_t value = p.key(b, j) * p.d_v + x, element = p.row(b, i) * p.d_v + x;
        out[element] += exact.weights[at] * ones[at] * p.v[value];
        dv[value] += exact.weights[at] * ones[at] * c.dout[element];
        dweights[at] += ones[at] * c.dout[element] * p.v[value];
      }
      means[p.row(b, i)] += exact.weights[at] * dweights[at];
    });
    each_unmasked(p, [&](int64_t b, int64_t i, int64_t j) {
      const int64_t at = p.at(b, i, j);
      const double dscore = exact.weights[at] * (dweights[at] - means[p.row(b, i)]);
      for (int64_t x = 0; x < p.d_k; ++x) {
        dq[p.row(b, i) * p.d_k + x] += p.scale * dscore * p.k[p.key(b, j) * p.d_k + x];
        dk[p.key(b, j) * p.d_k + x] += p.scale * dscore * p.q[p.row(b, i) * p.d_k + x];
      }
    });
    CHECK(compare(c.weights, exact.weights).absolute <= 1e-6);
    CHECK(compare(c.out, out).absolute <= 64 * 0x1p-24 * (1 + max_abs(out)));
    CHECK(compare(c.dq, dq).absolute <= 64 * 0x1p-24 * (1 + max_abs(dq)));
    CHECK(compare(c.dk, dk).absolute <= 64 * 0x1p-24 * (1 + max_abs(dk)));
    CHECK(compare(c.dv, dv).absolute <= 64 * 0x1p-24 * (1 + max_abs(dv)));
  }
}

TEST_CASE("attention with dropped weights: with probability 0 it is attention, bit for bit") {
  AttentionCase c(6, 6, 4, 5, 2, 1, 2, 1), plain = c;
  c.causal = plain.causal = Causal::kTopLeft;
  c.softcap = plain.softcap = 1.5f;
  const Dropped d(c, 0);
  plain.run();
  CHECK(same_bits(d.dropped, plain.weights));
  for (const auto& [a, b] : {std::pair{&c.out, &plain.out},
                             {&c.dq, &plain.dq},
                             {&c.dk, &plain.dk},
                             {&c.dv, &plain.dv},
                             {&c.dscores, &plain.dscores}}) {
    CHECK(same_bits(*a, *b));
  }
}

TEST_CASE("attention with dropped weights: what stands at masked keys changes no bit") {
  AttentionCase c(4, 6, 3, 3), poisoned = c;
  c.lengths = poisoned.lengths = {4};
  for (size_t i = 4 * 3; i < poisoned.k.size(); ++i) poisoned.k[i] = poisoned.v[i] = NAN;
  const Dropped a(c), b(poisoned);
  CHECK(same_bits(c.out, poisoned.out));
  CHECK(same_bits(c.dq, poisoned.dq));
  CHECK(same_bits(c.dk, poisoned.dk));
  CHECK(same_bits(c.dv, poisoned.dv));
}

TEST_CASE("attention with dropped weights: a wrong probability or shape throws and changes nothing") {
  AttentionCase c(3, 3, 2, 2);
  std::vector<float> out(6, 7.0f), scores(9, 7.0f), weights(9, 7.0f), left(9, 7.0f);
  const auto run = [&](float probability, const Shape& shape) {
    const WeightDropout dropout{probability, {3, 4}, {left.data(), shape}};
    attention_forward(c.q_view(), c.k_view(), c.v_view(), c.options(), {scores.data(), c.scores_shape()},
                      {weights.data(), c.scores_shape()}, {out.data(), c.out_shape()}, &dropout);
  };
  CHECK_THROWS_AS(run(1.0f, c.scores_shape()), ValueError);
  CHECK_THROWS_AS(run(0.5f, {3}), ShapeError);
  for (const auto* x : {&out, &scores, &weights, &left}) CHECK(*x == std::vector<float>(x->size(), 7.0f));
}
