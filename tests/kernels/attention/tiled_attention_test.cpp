// What tiled attention computes, at all sizes; masks are in tiled_attention_mask_test.cpp.
#include <doctest/doctest.h>

#include <cmath>

#include "base/errors.h"
#include "reference/compare.h"
#include "reference/thrown_by.h"
#include "reference/tiled_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

constexpr double kEps = 0x1p-24;

void set_uniform(std::vector<float>& x, uint64_t seed, double bound) {
  Draws draws(seed);
  for (float& value : x) value = static_cast<float>((2 * draws.uniform() - 1) * bound);
}

AttentionCase uniform_case(int64_t heads, int64_t n, int64_t d, uint64_t seed) {
  AttentionCase c(n, n, d, d, 1, 1, heads, heads);
  set_uniform(c.q, seed, 2);
  set_uniform(c.k, seed + 1, 2);
  set_uniform(c.v, seed + 2, 1);
  return c;
}

// How far a score may be off: the rounding of its products and blocked sums, of bias and softcap.
double score_error(const AttentionCase& c) {
  double largest = 0;
  const AttentionProblem p = c.problem();
  each_unmasked(p, [&](int64_t b, int64_t i, int64_t j) {
    double size = c.bias.empty() ? 0 : std::fabs(p.bias[static_cast<size_t>(p.at(b, i, j))]);
    for (int64_t x = 0; x < c.d_k; ++x) {
      size += std::fabs(p.scale * p.q[p.row(b, i) * c.d_k + x] * p.k[p.key(b, j) * c.d_k + x]);
    }
    largest = std::max(largest, size);
  });
  const int64_t steps = std::min<int64_t>(c.d_k, 32) + c.d_k / 32 + 8;
  return static_cast<double>(steps) * kEps * largest;
}

void check_against_reference(const AttentionCase& c) {
  const AttentionValues exact = reference::attention(c.problem());
  const TiledValues got = tiled_forward(c);
  const double score = score_error(c), tiles = static_cast<double>(c.n_k) / 128;
  const double steps = static_cast<double>(std::min<int64_t>(c.n_k, 128)) + 2 * tiles + 8;
  CHECK(compare(got.out, exact.out).absolute <= (2 * score + steps * kEps) * max_abs(widen(c.v)));
  for (int64_t row = 0; row < c.heads * c.batch * c.n_q; ++row) {
    double largest = -INFINITY, sum = 0;
    for (int64_t j = 0; j < c.n_k; ++j) largest = std::max(largest, exact.scores[row * c.n_k + j]);
    for (int64_t j = 0; j < c.n_k; ++j) {
      if (largest > -INFINITY) sum += std::exp(exact.scores[row * c.n_k + j] - largest);
    }
    CHECK(error_of(got.row_stats[2 * row], largest).absolute <= score + 1e-44);
    CHECK(error_of(got.row_stats[2 * row + 1], sum).absolute <= (2 * score + steps * kEps) * sum);
  }
}

}  // namespace

TEST_CASE("tiled attention: the error at 8 x 512 x 64 is a few roundings of the largest output") {
  const AttentionCase c = uniform_case(8, 512, 64, 1);
  const double error = compare(tiled_forward(c).out, reference::attention(c.problem()).out).absolute;
  MESSAGE("largest error ", error);
  CHECK(error <= 3e-7);
}

TEST_CASE("tiled attention agrees with the reference: every tail of n_q, n_k, d_k and d_v") {
  for (int64_t length = 1; length <= 33; ++length) {
    CAPTURE(length);
    for (const AttentionCase& c :
         {AttentionCase(length, 6, 7, 6), AttentionCase(9, length, 7, 6), AttentionCase(2, length, 7, 6),
          AttentionCase(9, 6, length, 7), AttentionCase(2, 6, length, 7), AttentionCase(9, 6, 7, length),
          AttentionCase(2, 6, 7, length), AttentionCase(length, length, 8, 8)}) {
      check_against_reference(c);
      AttentionCase causal = c;
      causal.causal = Causal::kTopLeft;
      check_against_reference(causal);
    }
  }
}

TEST_CASE("tiled attention agrees with the reference: sizes around the edges of tiles") {
  for (const int64_t n_k : {63, 64, 65, 127, 128, 129, 255, 256, 257}) {
    for (const int64_t n_q : {1, 4, 63, 64, 65, 129}) {
      CAPTURE(n_k);
      CAPTURE(n_q);
      for (const Causal causal : {Causal::kNo, Causal::kTopLeft, Causal::kBottomRight}) {
        AttentionCase c(n_q, n_k, 5, 6, 1, static_cast<uint64_t>(n_k + n_q));
        c.causal = causal;
        check_against_reference(c);
      }
    }
  }
  for (const int64_t d : {31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 300}) {
    CAPTURE(d);
    check_against_reference(AttentionCase(11, 21, d, 9));
    check_against_reference(AttentionCase(3, 21, d, 9));
    check_against_reference(AttentionCase(11, 21, 9, d));
    check_against_reference(AttentionCase(3, 21, 9, d));
  }
}

TEST_CASE("tiled attention: 16384 keys stay as accurate") {
  for (const int64_t n_q : {1, 5}) {
    AttentionCase c(n_q, 16384, 64, 64);
    set_uniform(c.q, 1, 2);
    set_uniform(c.k, 2, 2);
    set_uniform(c.v, 3, 1);
    CHECK(compare(tiled_forward(c).out, reference::attention(c.problem()).out).absolute <= 2.4e-7);
  }
}

TEST_CASE("tiled attention: the explainable form within rounding") {
  for (const Causal causal : {Causal::kNo, Causal::kBottomRight}) {
    AttentionCase c = uniform_case(2, 200, 40, 5);
    c.causal = causal;
    c.softcap = 3;
    c.run();
    CHECK(compare(tiled_forward(c).out, widen(c.out)).absolute <= 5e-7);
  }
}

TEST_CASE("tiled attention: a query alone and the same one among others have the same bits") {
  for (const auto& [d, d_v] :
       {std::pair<int64_t, int64_t>{1, 3}, {7, 9}, {32, 300}, {64, 66}, {83, 85}, {130, 40}}) {
    AttentionCase c(75, 300, d, d_v);
    for (float& x : c.q) x *= 3;
    for (const float softcap : {0.0f, 5.0f}) {
      c.softcap = softcap;
      const TiledValues all = tiled_forward(c);
      for (const int64_t i : {0, 1, 7, 8, 63, 64, 71, 72, 74}) {
        const TiledValues alone = tiled_forward(one_query(c, i, 300));
        CHECK(same_bits(alone.out, row_of(all.out, i, d_v)));
        CHECK(same_bits(alone.row_stats, row_of(all.row_stats, i, 2)));
      }
    }
  }
}

TEST_CASE("tiled attention: a scale of any sign, one key, heads that share keys") {
  for (const float scale : {0.0f, -1.0f, 0.3f}) {
    AttentionCase c(9, 50, 6, 5, 2, 1, 6, 2);
    c.scale = scale;
    check_against_reference(c);
    c.n_q = 2;
    c.q.resize(static_cast<size_t>(c.q_shape().size()));
    check_against_reference(c);
  }
  for (const int64_t n_q : {1, 9}) {
    const AttentionCase c(n_q, 1, 5, 11);
    const TiledValues got = tiled_forward(c);
    for (int64_t i = 0; i < n_q; ++i) CHECK(same_bits(row_of(got.out, i, 11), c.v));
  }
}

TEST_CASE("tiled attention: sizes of zero") {
  for (const int64_t n_q : {1, 9}) {
    const TiledValues no_keys = tiled_forward(AttentionCase(n_q, 0, 5, 4));
    CHECK(same_bits(no_keys.out, std::vector<float>(static_cast<size_t>(4 * n_q), 0.0f)));
    CHECK(same_bits(row_of(no_keys.row_stats, n_q - 1, 2), {-INFINITY, 0.0f}));
    const TiledValues no_values = tiled_forward(AttentionCase(n_q, 3, 5, 0));
    CHECK(no_values.row_stats[1] >= 1);
    AttentionCase no_components(n_q, 3, 0, 4);  // every score is the empty sum 0
    no_components.scale = 1.0f;
    check_against_reference(no_components);
  }
  CHECK(tiled_forward(AttentionCase(0, 3, 5, 4)).out.empty());
  CHECK(tiled_forward(AttentionCase(2, 3, 5, 4, 0)).out.empty());
  CHECK(tiled_forward(AttentionCase(0, 0, 0, 0, 0)).out.empty());
}

TEST_CASE("tiled attention: zeros of both signs, subnormal and large numbers") {
  for (const int64_t n_q : {2, 9}) {
    AttentionCase c(n_q, 3, 4, 5);
    for (float& x : c.k) x = std::fabs(x);  // so that -0 · k is -0
    for (const float value : {0.0f, -0.0f, 1e-40f}) {
      c.q.assign(c.q.size(), value);
      const TiledValues got = tiled_forward(c);
      if (value == 0) CHECK(same_bits(row_of(got.row_stats, 0, 2), {0.0f, 3.0f}));
      check_against_reference(c);
    }
    AttentionCase large(n_q, 3, 4, 5);
    large.scale = 1.0f;
    for (float& x : large.q) x *= 1e15f;
    for (float& x : large.k) x *= 1e15f;
    for (float& x : large.v) x *= 1e30f;
    check_against_reference(large);  // one-hot
    AttentionCase small = c;
    for (float& x : small.v) x = 1e-40f;
    for (const float x : tiled_forward(small).out) CHECK(std::fabs(x - 1e-40f) <= 3e-45f);
  }
}

TEST_CASE("tiled attention: an arena too small is OutOfMemory, and nothing is written") {
  for (const int64_t n_q : {1, 20}) {
    AttentionCase c(n_q, 30, 8, 7);
    GuardedBuffer out(c.out_shape().size());
    const std::vector<float> before = out.values();
    const int64_t needed = tiled_attention_forward_scratch(c.q_view(), c.k_view(), c.v_view());
    Arena small(needed - 16), enough(needed);
    CHECK_THROWS_AS(tiled_attention_forward(c.q_view(), c.k_view(), c.v_view(), {},
                                            {out.data(), c.out_shape()}, {}, small),
                    OutOfMemory);
    CHECK(same_bits(out.values(), before));
    tiled_attention_forward(c.q_view(), c.k_view(), c.v_view(), {}, {out.data(), c.out_shape()}, {}, enough);
    CHECK(enough.used() == needed);
    CHECK(same_bits(out.values(), tiled_forward(c).out));
  }
  const float x = 0;
  const auto row_floats = [&x](int64_t n_k) {  // one query reads its keys where they are
    const ConstView keys(&x, {n_k, 64});
    return tiled_attention_forward_scratch({&x, {1, 64}}, keys, keys);
  };
  CHECK(row_floats(4096) == row_floats(1));
  // Grows with n, not with its square.
  const auto bytes = [&x](int64_t n) {
    const ConstView view(&x, {1, n, 64});
    return 4 * tiled_attention_forward_scratch(view, view, view);
  };
  CHECK(bytes(16384) + 4 * 4 * 16384 * 64 < 32 << 20);
  CHECK(bytes(32768) < 2.1 * static_cast<double>(bytes(16384)));
}

TEST_CASE("tiled attention: shapes that do not fit are typed errors, and nothing is written") {
  const float x[64] = {};
  float y[64];
  std::fill(y, y + 64, 3.0f);
  Arena scratch(4096);
  const auto refused = [&](Shape q, Shape k, Shape v, Shape out, Shape stats, const char* argument) {
    CAPTURE(argument);
    const ShapeError error = thrown_by<ShapeError>([&] {
      tiled_attention_forward({x, q}, {x, k}, {x, v}, {}, {y, out}, {y, stats}, scratch);
    });
    CHECK(error.op == "tiled_attention");
    CHECK(error.argument == argument);
    for (const float value : y) CHECK(value == 3.0f);
  };
  refused({3}, {4, 3}, {4, 5}, {2, 5}, {2, 2}, "q");
  refused({2, 3}, {4, 2}, {4, 5}, {2, 5}, {2, 2}, "k");
  refused({2, 3}, {4, 3}, {3, 5}, {2, 5}, {2, 2}, "v");
  refused({2, 3}, {4, 3}, {4, 5}, {2, 4}, {2, 2}, "out");
  refused({2, 3}, {4, 3}, {4, 5}, {2, 5}, {2, 1}, "row_stats");
  const auto no_scratch = [&](const Shape& q, const Shape& k, const Shape& v) {
    return thrown_by<ShapeError>([&] { tiled_attention_forward_scratch({x, q}, {x, k}, {x, v}); }).argument;
  };
  CHECK(no_scratch({3}, {4, 3}, {4, 5}) == "q");
  CHECK(no_scratch({2, 3}, {3}, {4, 5}) == "k");
  CHECK(no_scratch({2, 3}, {4, 3}, {5}) == "v");
}
