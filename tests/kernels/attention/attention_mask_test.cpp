// What a mask promises: nothing that stands at a masked position changes a bit, forward or backward.
#include <doctest/doctest.h>

#include <cmath>

#include "reference/attention_checks.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

void set_row(std::vector<float>& x, int64_t row, int64_t d, float value) {
  for (int64_t c = 0; c < d; ++c) x[static_cast<size_t>(row * d + c)] = value;
}

bool row_is(const std::vector<float>& x, int64_t row, int64_t d, float value) {
  const auto begin = x.begin() + row * d;
  return same_bits({begin, begin + d}, std::vector<float>(static_cast<size_t>(d), value));
}

constexpr float kStrange[] = {NAN, INFINITY, -INFINITY, 1e38f};

}  // namespace

TEST_CASE("attention: a mask of all ones is no mask, bit by bit") {
  for (const int64_t n_k : {5, 300, 600}) {
    AttentionCase plain(7, n_k, 20, 37, 2), masked = plain;
    masked.mask.assign(static_cast<size_t>(7 * n_k), 1);
    AttentionCase per_batch = plain;
    per_batch.mask.assign(static_cast<size_t>(2 * 7 * n_k), 1);
    plain.run();
    CHECK(same_results(plain, masked.run()));
    CHECK(same_results(plain, per_batch.run()));
  }
}

TEST_CASE("attention: what stands in k and v at keys masked for all queries changes no bit") {
  AttentionCase clean(6, 11, 9, 13);
  clean.mask = random_mask(6 * 11, 1);
  for (const int64_t key : {0, 4, 10}) {
    for (int64_t i = 0; i < 6; ++i) clean.mask[static_cast<size_t>(i * 11 + key)] = 0;
  }
  clean.run();
  for (const float value : kStrange) {
    AttentionCase c = clean;
    for (const int64_t key : {0, 4, 10}) {
      set_row(c.k, key, 9, value);
      set_row(c.v, key, 13, value);
    }
    CHECK(same_results(clean, c.run()));
    for (const int64_t key : {0, 4, 10}) {
      CHECK(row_is(c.dk, key, 9, 0.0f));
      CHECK(row_is(c.dv, key, 13, 0.0f));
    }
  }
}

TEST_CASE("attention: NaN at a key reaches only the queries that attend to it") {
  AttentionCase clean(6, 11, 9, 13);
  clean.mask = random_mask(6 * 11, 2);
  clean.run();
  AttentionCase c = clean;
  set_row(c.k, 3, 9, NAN);
  set_row(c.v, 3, 13, NAN);
  c.run();
  for (int64_t i = 0; i < 6; ++i) {
    const auto expected = clean.out.begin() + i * 13;
    if (clean.unmasked(0, i, 3)) {
      CHECK(row_is(c.out, i, 13, NAN));
    } else {
      CHECK(same_bits({c.out.begin() + i * 13, c.out.begin() + (i + 1) * 13}, {expected, expected + 13}));
    }
    for (int64_t j = 0; j < 11; ++j) {
      if (clean.unmasked(0, i, j)) continue;
      CHECK(row_is(c.weights, i * 11 + j, 1, 0.0f));  // +0, also in a row of NaN
      CHECK(row_is(c.dscores, i * 11 + j, 1, 0.0f));
      CHECK(row_is(c.scores, i * 11 + j, 1, -INFINITY));
    }
  }
}

TEST_CASE("attention: what stands in the bias at a masked position changes no bit") {
  AttentionCase clean(5, 8, 4, 6, 2);
  clean.mask = random_mask(2 * 5 * 8, 3);
  clean.bias = Draws(4).normals(2 * 5 * 8);
  clean.run();
  for (const float value : kStrange) {
    AttentionCase c = clean;
    for (size_t i = 0; i < c.mask.size(); ++i) {
      if (!c.mask[i]) c.bias[i] = value;
    }
    CHECK(same_results(clean, c.run()));
  }
}

TEST_CASE("attention: a bias of exactly -inf masks, a very negative one does not") {
  AttentionCase by_mask(5, 8, 4, 6), by_bias = by_mask;
  by_mask.mask = random_mask(5 * 8, 5);
  by_mask.bias.assign(5 * 8, 0.0f);
  by_bias.bias.assign(5 * 8, 0.0f);
  for (size_t i = 0; i < by_mask.mask.size(); ++i) {
    if (!by_mask.mask[i]) by_bias.bias[i] = -INFINITY;
  }
  CHECK(same_results(by_mask.run(), by_bias.run()));

  AttentionCase finite(1, 3, 4, 2);
  finite.bias.assign(3, -1e9f);
  finite.run();
  for (const float weight : finite.weights) CHECK(weight == 1.0f / 3);  // at 1e9 floats lie 64 apart
}

TEST_CASE("attention: a fully masked row gives exact zeros and no gradient, whatever stands there") {
  for (const Causal causal : {Causal::kNo, Causal::kBottomRight}) {
    AttentionCase clean(5, 7, 4, 6);
    clean.causal = causal;
    clean.mask.assign(5 * 7, 1);
    for (int64_t j = 0; j < 7; ++j) clean.mask[static_cast<size_t>(2 * 7 + j)] = 0;
    clean.run();
    CHECK(row_is(clean.out, 2, 6, 0.0f));
    CHECK(row_is(clean.weights, 2, 7, 0.0f));
    CHECK(row_is(clean.scores, 2, 7, -INFINITY));
    CHECK(row_is(clean.dscores, 2, 7, 0.0f));
    CHECK(row_is(clean.dq, 2, 4, 0.0f));
    for (const float value : kStrange) {
      AttentionCase c = clean;
      set_row(c.q, 2, 4, value);
      set_row(c.dout, 2, 6, value);
      CHECK(same_results(clean, c.run()));
    }
  }
  AttentionCase all(3, 4, 5, 6);
  all.bias.assign(12, -INFINITY);
  all.run();
  for (const std::vector<float>& x : {all.out, all.weights, all.dscores, all.dq, all.dk, all.dv}) {
    CHECK(same_bits(x, std::vector<float>(x.size(), 0.0f)));
  }
}

TEST_CASE("attention: causal, which pairs are unmasked") {
  AttentionCase c(3, 5, 2, 2);
  const auto pattern = [&c](Causal causal) {
    c.causal = causal;
    c.run();
    std::string text;
    for (size_t i = 0; i < c.weights.size(); ++i) {
      if (i > 0 && i % static_cast<size_t>(c.n_k) == 0) text += ' ';
      text += c.weights[i] > 0 ? '1' : '0';
    }
    return text;
  };
  CHECK(pattern(Causal::kTopLeft) == "10000 11000 11100");
  CHECK(pattern(Causal::kBottomRight) == "11100 11110 11111");
  c = AttentionCase(5, 3, 2, 2);
  CHECK(pattern(Causal::kTopLeft) == "100 110 111 111 111");
  CHECK(pattern(Causal::kBottomRight) == "000 000 100 110 111");
}

TEST_CASE("attention: a future token changes no bit of the past") {
  AttentionCase clean(300, 300, 5, 7);
  clean.causal = Causal::kTopLeft;
  clean.run();
  for (const int64_t token : {1, 17, 32, 256, 299}) {
    for (const float value : {NAN, 3.0f}) {
      AttentionCase c = clean;
      set_row(c.q, token, 5, value);
      set_row(c.k, token, 5, value);
      set_row(c.v, token, 7, value);
      c.run();
      CHECK(same_bits({c.out.begin(), c.out.begin() + token * 7},
                      {clean.out.begin(), clean.out.begin() + token * 7}));
      CHECK(same_bits({c.dq.begin(), c.dq.begin() + token * 5},
                      {clean.dq.begin(), clean.dq.begin() + token * 5}));
      CHECK_FALSE(same_bits(c.out, clean.out));
    }
  }
}

TEST_CASE("attention: the number of masked trailing keys changes no bit") {
  for (const int64_t n_k : {3, 8, 31, 32, 255, 256}) {
    const AttentionCase base = AttentionCase(4, n_k, 6, 9).run();
    for (const int64_t more : {1, 2, 5, 300}) {
      AttentionCase c = base;
      c.n_k = n_k + more;
      c.k.resize(static_cast<size_t>(c.n_k * 6), NAN);
      c.v.resize(static_cast<size_t>(c.n_k * 9), INFINITY);
      c.mask.assign(static_cast<size_t>(4 * c.n_k), 0);
      for (int64_t i = 0; i < 4; ++i) {
        for (int64_t j = 0; j < n_k; ++j) c.mask[static_cast<size_t>(i * c.n_k + j)] = 1;
      }
      c.run();
      CHECK(same_bits(c.out, base.out));
      CHECK(same_bits(c.dq, base.dq));
      CHECK(same_bits({c.dk.begin(), c.dk.begin() + n_k * 6}, base.dk));
      CHECK(same_bits({c.dv.begin(), c.dv.begin() + n_k * 9}, base.dv));
      for (int64_t i = 0; i < 4; ++i) {
        const auto row = c.weights.begin() + i * c.n_k;
        const auto expected = base.weights.begin() + i * n_k;
        CHECK(same_bits({row, row + n_k}, {expected, expected + n_k}));
      }
    }
  }
}
