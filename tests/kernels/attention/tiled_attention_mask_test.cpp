// What tiled attention leaves out: masks, biases, causality and lengths, in any combination, and that nothing
// that stands at a masked position changes a bit.
#include <doctest/doctest.h>

#include <cmath>

#include "reference/compare.h"
#include "reference/tiled_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

constexpr float kStrange[] = {NAN, INFINITY, -INFINITY, 1e38f};

std::vector<uint8_t> random_mask(int64_t n, uint64_t seed, double unmasked = 0.6) {
  Draws draws(seed);
  std::vector<uint8_t> mask(static_cast<size_t>(n));
  for (uint8_t& value : mask) value = draws.uniform() < unmasked ? 255 : 0;
  return mask;
}

std::vector<float> random_bias(int64_t n, uint64_t seed) {
  Draws draws(seed);
  std::vector<float> bias = Draws(seed + 1).normals(n);
  for (float& x : bias) x = draws.uniform() < 0.3 ? -INFINITY : x;
  return bias;
}

void set_row(std::vector<float>& x, int64_t row, int64_t d, float value) {
  for (int64_t c = 0; c < d; ++c) x[static_cast<size_t>(row * d + c)] = value;
}

void check_same(const AttentionCase& a, const AttentionCase& b) {
  const TiledValues x = tiled_forward(a), y = tiled_forward(b);
  CHECK(same_bits(x.out, y.out));
  CHECK(same_bits(x.row_stats, y.row_stats));
}

// Scores of a few units from sums of a few terms: errors are a few roundings.
void check_against_reference(const AttentionCase& c) {
  const AttentionValues exact = reference::attention(c.problem());
  const TiledValues got = tiled_forward(c);
  CHECK(compare(got.out, exact.out).absolute <= 6e-6);
  for (size_t row = 0; row < got.row_stats.size() / 2; ++row) {
    double largest = -INFINITY;
    for (int64_t j = 0; j < c.n_k; ++j) {
      largest = std::max(largest, exact.scores[row * static_cast<size_t>(c.n_k) + static_cast<size_t>(j)]);
    }
    CHECK(error_of(got.row_stats[2 * row], largest).absolute <= 6e-6);
  }
}

}  // namespace

TEST_CASE("tiled attention: all options in all combinations agree with the reference") {
  uint64_t seed = 0;
  for (const Causal causal : {Causal::kNo, Causal::kTopLeft, Causal::kBottomRight}) {
    for (int options = 0; options < 32; ++options) {
      for (const int64_t n_q : {2, 21}) {
        CAPTURE(options);
        ++seed;
        AttentionCase c(n_q, 147, 6, 10, 2, seed, 4, 2);
        c.causal = causal;
        c.softcap = options & 1 ? 1.5f : 0.0f;
        c.n_past = causal == Causal::kTopLeft && options & 2 ? 119 : 0;
        const auto broadcast = [&](uint64_t i) {
          const Shape shapes[] = {{n_q, 147}, {2, 4, n_q, 147}, {2, 1, 1, 147}, {1, 4, n_q, 1},
                                  {147},      {4, 1, 1}};
          return shapes[i % 6];
        };
        if (options & 4) c.mask_shape = broadcast(seed), c.mask = random_mask(c.mask_shape->size(), seed);
        if (options & 8) c.bias_shape = broadcast(seed + 1), c.bias = random_bias(c.bias_shape->size(), seed);
        if (options & 16) c.lengths = seed % 2 ? std::vector<int32_t>{130, 31} : std::vector<int32_t>{0, 147};
        check_against_reference(c);
      }
    }
  }
}

TEST_CASE("tiled attention: a mask of all ones and a bias of zeros are none, bit by bit") {
  for (const int64_t n_q : {2, 70}) {
    for (const int64_t n_k : {5, 128, 131, 300}) {
      const AttentionCase plain(n_q, n_k, 20, 37, 2);
      AttentionCase c = plain;
      c.mask.assign(static_cast<size_t>(n_q * n_k), 1);
      check_same(plain, c);
      c.bias.assign(static_cast<size_t>(n_q * n_k), 0.0f);
      check_same(plain, c);
    }
  }
}

TEST_CASE("tiled attention: a causal row has the bits of that query alone against the keys so far") {
  for (const float softcap : {0.0f, 2.0f}) {
    AttentionCase c(300, 300, 9, 13);
    for (float& x : c.q) x *= 3;
    c.softcap = softcap;
    c.causal = Causal::kTopLeft;
    const TiledValues all = tiled_forward(c);
    for (int64_t i = 0; i < 300; i += i < 20 ? 1 : 7) {
      const TiledValues alone = tiled_forward(one_query(c, i, i + 1));
      CHECK(same_bits(alone.out, row_of(all.out, i, 13)));
      CHECK(same_bits(alone.row_stats, row_of(all.row_stats, i, 2)));
    }
    c.n_q = 50;  // with a cache of 250 keys
    c.q.erase(c.q.begin(), c.q.begin() + 250 * 9);
    const std::vector<float> last(all.out.begin() + 250 * 13, all.out.end());
    c.n_past = 250;
    CHECK(same_bits(tiled_forward(c).out, last));
    c.causal = Causal::kBottomRight;
    CHECK(same_bits(tiled_forward(c).out, last));
  }
}

TEST_CASE("tiled attention: a future token changes no bit of the past") {
  AttentionCase clean(300, 300, 5, 7);
  clean.causal = Causal::kTopLeft;
  const TiledValues expected = tiled_forward(clean);
  for (const int64_t token : {1, 17, 127, 128, 256, 299}) {
    for (const float value : {NAN, INFINITY, 3.0f}) {
      AttentionCase c = clean;
      set_row(c.q, token, 5, value);
      set_row(c.k, token, 5, value);
      set_row(c.v, token, 7, value);
      const TiledValues got = tiled_forward(c);
      CHECK(same_bits({got.out.begin(), got.out.begin() + token * 7},
                      {expected.out.begin(), expected.out.begin() + token * 7}));
      CHECK_FALSE(same_bits(got.out, expected.out));
    }
  }
}

TEST_CASE("tiled attention: what stands at masked positions changes no bit") {
  for (const int64_t n_q : {2, 21}) {
    AttentionCase clean(n_q, 200, 9, 13);
    clean.mask = random_mask(n_q * 200, 1);
    const int64_t keys[] = {0, 4, 127, 128, 199};
    for (const int64_t key : keys) {
      for (int64_t i = 0; i < n_q; ++i) clean.mask[static_cast<size_t>(i * 200 + key)] = 0;
    }
    std::fill_n(clean.mask.begin(), 200, uint8_t{0});  // query 0 sees nothing
    for (const float value : kStrange) {
      AttentionCase c = clean;
      set_row(c.q, 0, 9, value);
      for (const int64_t key : keys) set_row(c.k, key, 9, value), set_row(c.v, key, 13, value);
      check_same(clean, c);
      c.bias.assign(c.mask.size(), 0.0f);
      for (size_t i = 0; i < c.mask.size(); ++i) c.bias[i] = c.mask[i] ? 0 : value;
      check_same(clean, c);
    }
    AttentionCase c = clean;  // one that some queries attend to reaches those alone
    set_row(c.v, 3, 13, NAN);
    set_row(c.v, 150, 13, INFINITY);
    const TiledValues got = tiled_forward(c), expected = tiled_forward(clean);
    for (int64_t i = 0; i < n_q; ++i) {
      const bool nan = clean.unmasked(0, i, 3), infinite = clean.unmasked(0, i, 150);
      const std::vector<float> all(13, nan ? NAN : INFINITY);
      CHECK(same_bits(row_of(got.out, i, 13), nan || infinite ? all : row_of(expected.out, i, 13)));
    }
  }
}

TEST_CASE(
    "tiled attention: a query that reads many keys by turns has the bits of the same one among others") {
  constexpr int64_t n_q = 8, n_k = 2 * 4096 + 130, d_k = 5, d_v = 7;
  AttentionCase all(n_q, n_k, d_k, d_v);
  all.softcap = 4;
  all.mask = random_mask(n_q * n_k, 1);
  for (int64_t i = 0; i < n_q; ++i) {
    uint8_t* const row = all.mask.data() + i * n_k;
    for (const int64_t key : {int64_t{100}, int64_t{4096}, n_k - 1}) row[key] = 0;  // of all
    std::fill_n(row + i * 1024, 1024, uint8_t{0});  // whole tiles, and where i is 3 or 4, to an end of a turn
  }
  for (const int64_t key : {int64_t{100}, int64_t{4096}, n_k - 1}) {
    set_row(all.k, key, d_k, NAN), set_row(all.v, key, d_v, INFINITY);
  }
  check_against_reference(all);
  const TiledValues expected = tiled_forward(all);
  for (int64_t i = 0; i < n_q; ++i) {
    AttentionCase alone = one_query(all, i, n_k);
    alone.mask.assign(all.mask.begin() + i * n_k, all.mask.begin() + (i + 1) * n_k);
    const TiledValues got = tiled_forward(alone);
    CHECK(same_bits(got.out, row_of(expected.out, i, d_v)));
    CHECK(same_bits(got.row_stats, row_of(expected.row_stats, i, 2)));
  }
}

TEST_CASE("tiled attention: the number of masked trailing keys changes no bit") {
  for (const int64_t n_q : {2, 12}) {
    for (const int64_t n_k : {3, 8, 31, 127, 128, 255}) {
      const AttentionCase base(n_q, n_k, 6, 9);
      for (const int64_t more : {1, 2, 5, 300}) {
        AttentionCase padded = base;
        padded.n_k = n_k + more;
        padded.k.resize(static_cast<size_t>(padded.n_k * 6), NAN);
        padded.v.resize(static_cast<size_t>(padded.n_k * 9), INFINITY);
        AttentionCase by_length = padded, by_mask = padded;
        by_length.lengths = {static_cast<int32_t>(n_k)};
        check_same(base, by_length);
        by_mask.mask_shape = Shape{padded.n_k};
        by_mask.mask.assign(static_cast<size_t>(padded.n_k), 0);
        std::fill_n(by_mask.mask.begin(), n_k, uint8_t{1});
        check_same(base, by_mask);
      }
    }
  }
}

TEST_CASE("tiled attention: fully masked rows are exact zeros with the statistics -inf and 0") {
  for (const int64_t n_q : {3, 11}) {
    AttentionCase c(n_q, 140, 4, 6);
    c.mask = random_mask(n_q * 140, 7);
    std::fill_n(c.mask.begin() + 2 * 140, 140, uint8_t{0});
    const TiledValues got = tiled_forward(c);
    CHECK(same_bits(row_of(got.out, 2, 6), std::vector<float>(6, 0.0f)));
    CHECK(same_bits(row_of(got.row_stats, 2, 2), {-INFINITY, 0.0f}));
    CHECK(got.row_stats[2] > -INFINITY);
    c.mask.clear();
    c.bias.assign(static_cast<size_t>(n_q * 140), -INFINITY);
    CHECK(same_bits(tiled_forward(c).out, std::vector<float>(static_cast<size_t>(n_q * 6), 0.0f)));
    c.bias.assign(c.bias.size(), -1e9f);  // finite is not masked; at 1e9 floats lie 64 apart
    CHECK(same_bits(row_of(tiled_forward(c).row_stats, 0, 2), {-1e9f, 140.0f}));
  }
  for (const int64_t n_k : {1, 3, 4, 7}) {
    AttentionCase causal(8, n_k, 4, 6);
    causal.causal = Causal::kBottomRight;
    const int64_t blind = 8 - n_k;  // the first queries, which see nothing
    const TiledValues got = tiled_forward(causal);
    CHECK(same_bits({got.out.begin(), got.out.begin() + 6 * blind},
                    std::vector<float>(static_cast<size_t>(6 * blind), 0.0f)));
    CHECK(row_of(got.row_stats, blind, 2)[1] == 1);
    check_against_reference(causal);
  }
}

TEST_CASE("tiled attention: unmasked NaN and infinity spread where the formula takes them") {
  for (const int64_t n_q : {3, 12}) {
    const AttentionCase clean(n_q, 140, 5, 6);
    const TiledValues expected = tiled_forward(clean);
    const std::vector<float> nan(6, NAN);
    const auto only_row_1_is_nan = [&](const AttentionCase& c) {
      const TiledValues got = tiled_forward(c);
      CHECK(std::isnan(got.row_stats[3]));
      for (int64_t i = 0; i < n_q; ++i) {
        CHECK(same_bits(row_of(got.out, i, 6), i == 1 ? nan : row_of(expected.out, i, 6)));
      }
    };
    AttentionCase c = clean;
    c.q[5 + 2] = NAN;
    only_row_1_is_nan(c);
    const uint32_t payload = 0x7fc00001;
    std::memcpy(&c.q[5 + 2], &payload, sizeof payload);
    only_row_1_is_nan(c);
    for (const float value : {NAN, INFINITY}) {
      for (const int64_t key : {1, 139}) {
        c = clean;
        c.bias.assign(static_cast<size_t>(n_q * 140), 0.0f);
        c.bias[static_cast<size_t>(140 + key)] = value;
        only_row_1_is_nan(c);
      }
    }
    c = clean;
    c.q.assign(c.q.size(), 1e30f);  // every score overflows to -inf without being masked
    c.k.assign(c.k.size(), -1e30f);
    for (const float x : tiled_forward(c).out) CHECK(std::isnan(x));
    CHECK(tiled_forward(c).row_stats[0] == -INFINITY);
    c.k.assign(c.k.begin(), c.k.end() - 5), c.k.resize(clean.k.size(), 0.0f);  // but for one
    for (int64_t i = 0; i < n_q; ++i) CHECK(row_of(tiled_forward(c).out, i, 6) == row_of(c.v, 139, 6));
  }
}
