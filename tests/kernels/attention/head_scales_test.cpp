// One scale for each head.
#include <doctest/doctest.h>

#include "base/errors.h"
#include "kernels/attention/masking.h"
#include "reference/attention_checks.h"
#include "reference/thrown_by.h"
#include "reference/tiled_gradient.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

constexpr int64_t kBatch = 2, kHeads = 4;

// Part `index` of `count` equal ones.
std::vector<float> part(const std::vector<float>& x, int64_t index, int64_t count) {
  const auto size = static_cast<int64_t>(x.size()) / count;
  return {x.begin() + index * size, x.begin() + (index + 1) * size};
}

// Heads first .. first + n of a case, and the head of keys that they share, with one scale.
AttentionCase heads_of(const AttentionCase& c, int64_t first, int64_t n, float scale) {
  AttentionCase r(c.n_q, c.n_k, c.d_k, c.d_v, 1, 1, n, 1);
  const int64_t all = c.batch * c.heads, kv = c.batch * c.kv_heads, key = first * kv / all;
  r.q = part(c.q, first / n, all / n), r.dout = part(c.dout, first / n, all / n);
  r.k = part(c.k, key, kv), r.v = part(c.v, key, kv);
  r.scale = scale, r.softcap = c.softcap, r.causal = c.causal;
  return r;
}

AttentionCase sized(int64_t n_q, int64_t kv_heads) {
  AttentionCase c(n_q, 77, 12, 9, kBatch, 3, kHeads, kv_heads);
  c.causal = Causal::kBottomRight;
  return c;
}

}  // namespace

TEST_CASE("attention: heads with a scale each have the bits of each by itself, in both forms") {
  for (const int64_t n_q : {1, 3, 70}) {
    for (const float softcap : {0.0f, 3.0f}) {
      AttentionCase c = sized(n_q, kHeads);
      c.head_scales = {0.3f, 1.0f, -0.7f, 0.0f};
      c.softcap = softcap, c.scale = 5.0f;  // which is passed over
      c.run();
      const TiledGradient tiled = tiled_gradient(c);
      for (int64_t b = 0; b < kBatch * kHeads; ++b) {
        AttentionCase one = heads_of(c, b, 1, c.head_scales[static_cast<size_t>(b % kHeads)]);
        one.run();
        const TiledGradient alone = tiled_gradient(one);
        const auto of = [&](const std::vector<float>& x) { return part(x, b, kBatch * kHeads); };
        CHECK(same_bits(of(c.scores), one.scores));
        CHECK(same_bits(of(c.weights), one.weights));
        CHECK(same_bits(of(c.out), one.out));
        CHECK(same_bits(of(c.dscores), one.dscores));
        CHECK(same_bits(of(c.dq), one.dq));
        CHECK(same_bits(of(c.dk), one.dk));
        CHECK(same_bits(of(c.dv), one.dv));
        CHECK(same_bits(of(tiled.out), alone.out));
        CHECK(same_bits(of(tiled.row_stats), alone.row_stats));
        CHECK(same_bits(of(tiled.dq), alone.dq));
        CHECK(same_bits(of(tiled.dk), alone.dk));
        CHECK(same_bits(of(tiled.dv), alone.dv));
      }
    }
  }
}

TEST_CASE("attention: grouped heads whose scales are equal have the bits of the group with that scale") {
  AttentionCase c = sized(70, 2);
  c.head_scales = {0.3f, 0.3f, -0.7f, -0.7f};
  c.run();
  const TiledGradient tiled = tiled_gradient(c);
  for (int64_t group = 0; group < kBatch * 2; ++group) {
    AttentionCase one = heads_of(c, 2 * group, 2, c.head_scales[static_cast<size_t>(2 * group % kHeads)]);
    one.run();
    const TiledGradient alone = tiled_gradient(one);
    const auto of = [&](const std::vector<float>& x) { return part(x, group, kBatch * 2); };
    CHECK(same_bits(of(c.out), one.out));
    CHECK(same_bits(of(c.dq), one.dq));
    CHECK(same_bits(of(c.dk), one.dk));
    CHECK(same_bits(of(tiled.out), alone.out));
    CHECK(same_bits(of(tiled.dq), alone.dq));
    CHECK(same_bits(of(tiled.dk), alone.dk));
  }
}

TEST_CASE("attention: grouped heads of different scales have each head's own bits but for the sums in dk") {
  AttentionCase c = sized(70, 2);
  c.head_scales = {0.3f, 0.9f, -0.7f, 2.0f};
  check_against_double(c);
  const TiledGradient tiled = tiled_gradient(c);
  for (int64_t b = 0; b < kBatch * kHeads; ++b) {
    AttentionCase one = heads_of(c, b, 1, c.head_scales[static_cast<size_t>(b % kHeads)]);
    one.run();
    const auto of = [&](const std::vector<float>& x) { return part(x, b, kBatch * kHeads); };
    CHECK(same_bits(of(c.out), one.out));
    CHECK(same_bits(of(c.dq), one.dq));
    CHECK(same_bits(of(tiled.dq), tiled_gradient(one).dq));
  }
}

TEST_CASE(
    "attention: a key that nobody attends to gets no gradient from queries that a scale makes infinite") {
  AttentionCase c = sized(70, 2);
  c.causal = Causal::kNo;
  c.head_scales = {1.0f, 1e30f, 1.0f, 1e-30f};
  for (float& x : c.q) x *= 1e20f;
  c.mask.assign(static_cast<size_t>(c.n_q * c.n_k), 1);
  for (int64_t i = 0; i < c.n_q; ++i) c.mask[static_cast<size_t>(i * c.n_k + 5)] = 0;
  c.run();
  const TiledGradient tiled = tiled_gradient(c);
  for (int64_t kv = 0; kv < kBatch * 2; ++kv) {
    for (int64_t x = 0; x < c.d_k; ++x) {
      const auto at = static_cast<size_t>((kv * c.n_k + 5) * c.d_k + x);
      CHECK(c.dk[at] == 0);
      CHECK(tiled.dk[at] == 0);
    }
  }
}

TEST_CASE("attention: there are as many scales as heads") {
  AttentionCase c(3, 5, 2, 3, 1, 1, 4, 2);
  for (const size_t count : {1u, 2u, 3u, 5u}) {
    const std::vector<float> scales(count, 1.0f);
    AttentionOptions options;
    options.head_scales = scales;
    const ShapeError error = thrown_by<ShapeError>(
        [&] { AttentionCall("attention", c.q_view(), c.k_view(), c.v_view(), options); });
    CHECK(error.argument == "scale");
    CHECK(error.expected == "(4,)");
    CHECK(error.got == Shape{static_cast<int64_t>(count)}.text());
  }
  const float scale = 0.25f;  // without a dimension of heads there is one
  AttentionOptions options;
  options.head_scales = {&scale, 1};
  const ConstView x(c.q.data(), {3, 2});
  CHECK(AttentionCall("attention", x, x, x, options).scale_of(0) == 0.25f);
}
