// The tiled backward pass at its edges: masked and non-finite values, batches, memory, shapes.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/errors.h"
#include "reference/compare.h"
#include "reference/tiled_gradient.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

std::vector<float> rows(const std::vector<float>& x, int64_t first, int64_t n, int64_t d) {
  return {x.begin() + first * d, x.begin() + (first + n) * d};
}

void fill_rows(std::vector<float>& x, int64_t first, int64_t n, int64_t d, float value) {
  std::fill_n(x.begin() + first * d, n * d, value);
}

}  // namespace

TEST_CASE("tiled_attention_backward: NaN and infinity at masked positions change no bit") {
  const int64_t n_q = 70, n_k = 135, d_k = 9, d_v = 8;
  for (const float value : {NAN, INFINITY, -INFINITY}) {
    AttentionCase masked(n_q, n_k, d_k, d_v);  // keys 3, 66 and 130 and queries 5 and 65 attend to nothing
    masked.mask.assign(static_cast<size_t>(n_q * n_k), 1);
    AttentionCase biased(n_q, n_k, d_k, d_v);
    biased.bias = Draws(3).normals(n_q * n_k);
    for (int64_t i = 0; i < n_q; ++i) {
      for (int64_t j = 0; j < n_k; ++j) {
        if (i != 5 && i != 65 && j != 3 && j != 66 && j != 130) continue;
        masked.mask[static_cast<size_t>(i * n_k + j)] = 0;
        biased.bias[static_cast<size_t>(i * n_k + j)] = -INFINITY;
      }
    }
    AttentionCase capped = masked;
    capped.softcap = 1.5f;
    for (AttentionCase c : {masked, biased, capped}) {
      const TiledGradient clean = tiled_gradient(c);
      for (const int64_t key : {3, 66, 130}) {
        fill_rows(c.k, key, 1, d_k, value);
        fill_rows(c.v, key, 1, d_v, value);
        CHECK(rows(clean.dk, key, 1, d_k) == std::vector<float>(d_k, 0.0f));
        CHECK(rows(clean.dv, key, 1, d_v) == std::vector<float>(d_v, 0.0f));
      }
      CHECK(same_gradients(clean, tiled_gradient(c)));
      for (const int64_t query : {5, 65}) {
        fill_rows(c.q, query, 1, d_k, value);
        fill_rows(c.dout, query, 1, d_v, value);
        CHECK(rows(clean.dq, query, 1, d_k) == std::vector<float>(d_k, 0.0f));
      }
      CHECK(same_gradients(clean, tiled_gradient(c)));
    }
  }
}

TEST_CASE("tiled_attention_backward: NaN in the future or in padding changes no bit") {
  const int64_t n = 133, d = 8;
  AttentionCase causal(n, n, d, d);
  causal.causal = Causal::kTopLeft;
  for (const int64_t first : {1, 7, 64, 70, 132}) {  // NaN from this position on
    AttentionCase c = causal;
    const TiledGradient clean = tiled_gradient(c);
    fill_rows(c.k, first, n - first, d, NAN);
    fill_rows(c.v, first, n - first, d, NAN);
    fill_rows(c.q, first, n - first, d, NAN);
    const TiledGradient g = tiled_gradient(c);
    CHECK(same_bits(rows(g.dq, 0, first, d), rows(clean.dq, 0, first, d)));
    CHECK(std::isnan(g.dq[static_cast<size_t>(first * d)]));  // unmasked
    CHECK(std::isnan(g.dk[0]));                               // its future is NaN
  }
  for (const int32_t length : {1, 64, 66, 131}) {
    AttentionCase c(20, n, d, d);
    c.lengths = {length};
    const TiledGradient clean = tiled_gradient(c);
    fill_rows(c.k, length, n - length, d, NAN);
    fill_rows(c.v, length, n - length, d, INFINITY);
    CHECK(same_gradients(clean, tiled_gradient(c)));

    AttentionCase cut(20, length, d, d);  // the padding cut off: the same bits again
    cut.q = c.q, cut.dout = c.dout, cut.k = rows(c.k, 0, length, d), cut.v = rows(c.v, 0, length, d);
    const TiledGradient g = tiled_gradient(cut);
    CHECK(same_bits(g.dq, clean.dq));
    CHECK(same_bits(g.dk, rows(clean.dk, 0, length, d)));
    CHECK(same_bits(g.dv, rows(clean.dv, 0, length, d)));
    CHECK(rows(clean.dv, length, n - length, d) == std::vector<float>((n - length) * d, 0.0f));
  }
}

TEST_CASE(
    "tiled_attention_backward: an unmasked NaN or infinity reaches what depends on it, and nothing else") {
  const int64_t n = 70, d = 5;
  AttentionCase clean_case(n, n, d, d);
  clean_case.causal = Causal::kTopLeft;
  const TiledGradient clean = tiled_gradient(clean_case);
  for (const float value : {NAN, INFINITY}) {
    for (std::vector<float> AttentionCase::*x : {&AttentionCase::q, &AttentionCase::dout}) {
      AttentionCase c = clean_case;
      (c.*x)[static_cast<size_t>(66 * d)] = value;  // query 66 sees the keys 0 .. 66
      const TiledGradient g = tiled_gradient(c);
      for (int64_t i = 0; i < n; ++i) {
        CHECK(same_bits(rows(g.dq, i, 1, d), rows(clean.dq, i, 1, d)) == (i != 66));
        CHECK(same_bits(rows(g.dk, i, 1, d), rows(clean.dk, i, 1, d)) == (i > 66));
        CHECK(same_bits(rows(g.dv, i, 1, d), rows(clean.dv, i, 1, d)) == (i > 66));
        CHECK(std::isfinite(g.dq[static_cast<size_t>(i * d)]) == (i != 66));
        CHECK(std::isfinite(g.dk[static_cast<size_t>(i * d)]) == (i > 66));
      }
    }
    AttentionCase c = clean_case;
    c.v[static_cast<size_t>(66 * d)] = value;  // seen by the queries from 66 on
    const TiledGradient g = tiled_gradient(c);
    for (int64_t i = 0; i < n; ++i) CHECK(std::isfinite(g.dq[static_cast<size_t>(i * d)]) == (i < 66));
    CHECK(same_bits(rows(g.dq, 0, 66, d), rows(clean.dq, 0, 66, d)));
    CHECK_FALSE(std::isfinite(g.dk[0]));
    CHECK(std::isfinite(g.dv[0]));
  }
}

TEST_CASE("tiled_attention_backward: NaN in a row of weights stays with the keys that it sees") {
  const int64_t n_q = 9, n_k = 20, d = 8;
  AttentionCase c(n_q, n_k, d, d);
  c.mask.assign(static_cast<size_t>(n_q * n_k), 1);
  for (int64_t i = 0; i < n_q; ++i) c.mask[static_cast<size_t>(i * n_k + 3)] = i == 5;
  for (int64_t j = 0; j < n_k; ++j) c.mask[static_cast<size_t>(5 * n_k + j)] = j == 3 || j == 10;
  const TiledGradient clean = tiled_gradient(c);
  c.v[static_cast<size_t>(3 * d)] = NAN;  // only query 5 sees it, and key 10 beside it
  const TiledGradient g = tiled_gradient(c);
  CHECK(same_bits(g.dv, clean.dv));
  for (int64_t i = 0; i < n_q; ++i) CHECK(std::isnan(g.dq[static_cast<size_t>(i * d)]) == (i == 5));
  for (int64_t j = 0; j < n_k; ++j) {
    CHECK(same_bits(rows(g.dk, j, 1, d), rows(clean.dk, j, 1, d)) == (j != 3 && j != 10));
  }
}

TEST_CASE("tiled_attention_backward: a query's gradient depends on its own row only") {
  const int64_t n_q = 75, n_k = 140, d_k = 11, d_v = 6;
  for (const Causal causal : {Causal::kNo, Causal::kTopLeft}) {
    AttentionCase c(n_q, n_k, d_k, d_v);
    c.causal = causal, c.n_past = 50;
    const TiledGradient g = tiled_gradient(c);
    for (const int64_t i : {0, 1, 6, 8, 63, 64, 67, 74}) {
      AttentionCase alone(1, n_k, d_k, d_v);
      alone.k = c.k, alone.v = c.v, alone.causal = causal, alone.n_past = c.n_past + i;
      alone.q = rows(c.q, i, 1, d_k), alone.dout = rows(c.dout, i, 1, d_v);
      CHECK(same_bits(tiled_gradient(alone).dq, rows(g.dq, i, 1, d_k)));
    }
  }
}

TEST_CASE("tiled_attention_backward: a batch of heads and its parts give the same bits") {
  AttentionCase batch(30, 70, 6, 10, 3, 1, 4, 2);
  batch.lengths = {70, 33, 8};
  batch.causal = Causal::kBottomRight;
  const TiledGradient g = tiled_gradient(batch);
  for (int64_t i = 0; i < 3; ++i) {
    AttentionCase part(30, 70, 6, 10, 1, 1, 4, 2);
    part.lengths = {batch.lengths[static_cast<size_t>(i)]}, part.causal = batch.causal;
    part.q = rows(batch.q, i, 1, 4 * 30 * 6), part.dout = rows(batch.dout, i, 1, 4 * 30 * 10);
    part.k = rows(batch.k, i, 1, 2 * 70 * 6), part.v = rows(batch.v, i, 1, 2 * 70 * 10);
    const TiledGradient h = tiled_gradient(part);
    CHECK(same_bits(h.dq, rows(g.dq, i, 1, 4 * 30 * 6)));
    CHECK(same_bits(h.dk, rows(g.dk, i, 1, 2 * 70 * 6)));
    CHECK(same_bits(h.dv, rows(g.dv, i, 1, 2 * 70 * 10)));
  }
}

TEST_CASE("tiled_attention_backward: huge, tiny and zero values") {
  AttentionCase c(9, 12, 4, 4);
  for (float& x : c.q) x *= 1e30f;  // scores of 1e30: each row attends to one key
  const TiledGradient huge = tiled_gradient(c);
  CHECK(huge.dq == std::vector<float>(c.q.size(), 0.0f));
  for (const float x : huge.dv) CHECK(std::isfinite(x));
  for (const float size : {0.0f, -0.0f, 1e-40f, 1e-30f}) {
    AttentionCase tiny(9, 12, 4, 4);
    for (float& x : tiny.q) x *= size;
    const AttentionProblem p = tiny.problem();
    const TiledGradient g = tiled_gradient(tiny);
    const AttentionGradients exact =
        attention_gradients(p, reference::attention(p).weights, widen(tiny.dout));
    CHECK(compare(g.dq, exact.dq).absolute <= 1e-6);
    CHECK(compare(g.dk, exact.dk).absolute <= 1e-6 * size + 1e-44);
    CHECK(compare(g.dv, exact.dv).absolute <= 1e-6);
  }
}

TEST_CASE("tiled_attention_backward: unaligned memory, and nothing outside is touched") {
  for (const int64_t shift : {0, 1, 2, 3}) {
    for (const int64_t d : {1, 3, 8, 13}) {
      AttentionCase c(11 + shift, 69, d, d + shift);
      c.causal = Causal::kTopLeft;
      const TiledGradient expected = tiled_gradient(c);
      GuardedBuffer q(c.q, shift), k(c.k, shift), v(c.v, shift), dout(c.dout, shift),
          row_stats(expected.row_stats, shift);
      GuardedBuffer dq(c.q_shape().size(), shift), dk(c.k_shape().size(), shift),
          dv(c.v_shape().size(), shift);
      Arena scratch(tiled_attention_backward_scratch(c.q_view(), c.k_view(), c.v_view()));
      tiled_attention_backward({q.data(), c.q_shape()}, {k.data(), c.k_shape()}, {v.data(), c.v_shape()},
                               c.options(), {row_stats.data(), c.q_shape().with_last(c.n_q, 2)},
                               {dout.data(), c.out_shape()}, {dq.data(), c.q_shape()},
                               {dk.data(), c.k_shape()}, {dv.data(), c.v_shape()}, scratch);
      CHECK(same_bits(dq.values(), expected.dq));
      CHECK(same_bits(dk.values(), expected.dk));
      CHECK(same_bits(dv.values(), expected.dv));
      for (const GuardedBuffer* buffer : {&dq, &dk, &dv}) CHECK(buffer->intact());
    }
  }
}

TEST_CASE("tiled_attention_backward: sizes of zero") {
  for (const auto& [n_q, n_k, d_k, d_v, batch] : {std::array<int64_t, 5>{0, 5, 3, 2, 1},
                                                  {4, 0, 3, 2, 1},
                                                  {4, 5, 0, 2, 1},
                                                  {4, 5, 3, 0, 1},
                                                  {4, 5, 3, 2, 0}}) {
    AttentionCase c(n_q, n_k, d_k, d_v, batch);
    const TiledGradient g = tiled_gradient(c);
    CHECK(g.dq == std::vector<float>(c.q.size(), 0.0f));
    CHECK(g.dk == std::vector<float>(c.k.size(), 0.0f));
    if (d_k > 0) {
      CHECK(g.dv == std::vector<float>(c.v.size(), 0.0f));
    } else {  // all weights are 1/5
      const double sum = widen(c.dout)[0] + widen(c.dout)[2] + widen(c.dout)[4] + widen(c.dout)[6];
      for (size_t i = 0; i < c.v.size(); i += 2) CHECK(std::fabs(g.dv[i] - sum / 5) < 1e-6);
    }
  }
}

TEST_CASE("tiled_attention_backward: wrong shapes or too little scratch throw, and nothing is written") {
  AttentionCase c(3, 4, 2, 5);
  const Shape stats{1, 1, 3, 2};
  std::vector<float> dq(c.q.size(), 7.0f), dk(c.k.size(), 7.0f), dv(c.v.size(), 7.0f), row_stats(6, 1.0f);
  const int64_t floats = tiled_attention_backward_scratch(c.q_view(), c.k_view(), c.v_view());
  const auto run = [&](Shape stats_shape, Shape dout, Shape q, Shape k, Shape v, int64_t n) {
    Arena scratch(n);
    tiled_attention_backward(c.q_view(), c.k_view(), c.v_view(), c.options(), {row_stats.data(), stats_shape},
                             {c.dout.data(), dout}, {dq.data(), q}, {dk.data(), k}, {dv.data(), v}, scratch);
  };
  const Shape o = c.out_shape(), q = c.q_shape(), k = c.k_shape(), v = c.v_shape(), wrong{1, 1, 2, 2};
  CHECK_THROWS_AS(run({1, 1, 3}, o, q, k, v, floats), ShapeError);
  CHECK_THROWS_AS(run(stats, wrong, q, k, v, floats), ShapeError);
  CHECK_THROWS_AS(run(stats, o, wrong, k, v, floats), ShapeError);
  CHECK_THROWS_AS(run(stats, o, q, wrong, v, floats), ShapeError);
  CHECK_THROWS_AS(run(stats, o, q, k, wrong, floats), ShapeError);
  CHECK_THROWS_AS(run(stats, o, q, k, v, floats - 1), OutOfMemory);
  CHECK_THROWS_AS(tiled_attention_backward_scratch(c.q_view(), c.v_view(), c.v_view()), ShapeError);
  c.softcap = -1;
  CHECK_THROWS_AS(run(stats, o, q, k, v, floats), ValueError);
  c.softcap = 0;
  for (const std::vector<float>* x : {&dq, &dk, &dv}) CHECK(*x == std::vector<float>(x->size(), 7.0f));
  run(stats, o, q, k, v, floats);
  CHECK(dq[0] != 7.0f);
}
