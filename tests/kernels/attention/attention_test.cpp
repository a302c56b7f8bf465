// What attention computes; what it must leave alone is in attention_mask_test.cpp.
#include <doctest/doctest.h>

#include <cmath>

#include "base/errors.h"
#include "kernels/product/matmul.h"
#include "kernels/softmax.h"
#include "reference/attention_case.h"
#include "reference/compare.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

// Scores: a float sum of d_k products, then the scale, then the bias. A weight changes by its relative error
// times twice the scores'. Outputs: a sum of n_k terms whose weights add up to 1.
void check_against_reference(const AttentionCase& c) {
  const AttentionValues exact = reference::attention(c.problem());
  const double eps = 0x1p-24;
  double score_size = 0;
  const double scale = c.problem().scale;
  for (int64_t b = 0; b < c.batch; ++b) {
    for (int64_t i = 0; i < c.n_q; ++i) {
      for (int64_t j = 0; j < c.n_k; ++j) {
        double size = c.bias.empty() ? 0 : 4;
        for (int64_t x = 0; x < c.d_k; ++x) {
          size += std::fabs(scale * c.q[(b * c.n_q + i) * c.d_k + x] * c.k[(b * c.n_k + j) * c.d_k + x]);
        }
        score_size = std::max(score_size, size);
      }
    }
  }
  const auto steps = [](int64_t n) {
    const int64_t blocks = n / 32;
    return static_cast<double>(std::min<int64_t>(n, 32) + blocks + 2);
  };
  const double score_error = steps(c.d_k) * eps * score_size;
  const double weight_error = 2 * score_error + 4 * eps;
  const double out_error = (weight_error + steps(c.n_k) * eps) * max_abs(widen(c.v));
  CHECK(compare(c.scores, exact.scores).absolute <= score_error);
  CHECK(compare(c.weights, exact.weights).absolute <= weight_error);
  CHECK(compare(c.out, exact.out).absolute <= out_error);
}

}  // namespace

TEST_CASE("attention: the error at 512 x 64 is a few roundings of the largest output") {
  double worst = 0;
  for (const uint64_t seed : {1, 2, 3}) {
    AttentionCase c(512, 512, 64, 64, 1, seed);
    worst = std::max(worst, compare(c.run().out, reference::attention(c.problem()).out).absolute);
  }
  MESSAGE("largest error ", worst);
  CHECK(worst <= 3e-7);
}

TEST_CASE("attention agrees with the reference in double") {
  for (const int64_t d_k : {1, 3, 8, 64, 300}) {
    for (const Causal causal : {Causal::kNo, Causal::kTopLeft, Causal::kBottomRight}) {
      CAPTURE(d_k);
      AttentionCase c(6, 9, d_k, 5, 2);
      c.causal = causal;
      check_against_reference(c.run());
      c.scale = 0.3f;
      check_against_reference(c.run());
      c.scale = -1.0f;
      check_against_reference(c.run());
      c.scale = 0.0f;
      check_against_reference(c.run());
      c.scale.reset();
      c.bias = Draws(3).normals(2 * 6 * 9);
      check_against_reference(c.run());
      c.bias.resize(6 * 9);
      check_against_reference(c.run());
    }
  }
}

TEST_CASE("attention: every tail of n_q, n_k, d_k and d_v") {
  for (int64_t length = 1; length <= 33; ++length) {
    CAPTURE(length);
    for (const Causal causal : {Causal::kNo, Causal::kTopLeft}) {
      for (AttentionCase c : {AttentionCase(length, 5, 7, 6), AttentionCase(5, length, 7, 6),
                              AttentionCase(5, 6, length, 7), AttentionCase(5, 6, 7, length)}) {
        c.causal = causal;
        check_against_reference(c.run());
      }
    }
  }
}

TEST_CASE("attention: more keys than one block of the sum") {
  for (const Causal causal : {Causal::kNo, Causal::kTopLeft, Causal::kBottomRight}) {
    AttentionCase c(3, 700, 16, 33);
    c.causal = causal;
    check_against_reference(c.run());
  }
}

TEST_CASE("attention: the default scale is 1/sqrt(d_k), applied once to the scores") {
  for (const int64_t d_k : {1, 2, 64, 512}) {
    AttentionCase c(2, 3, d_k, 2);
    std::vector<float> expected(6);
    matmul({c.q.data(), {2, d_k}}, Transpose::kNo, {c.k.data(), {3, d_k}}, Transpose::kYes,
           {expected.data(), {2, 3}});
    const float scale = static_cast<float>(1 / std::sqrt(static_cast<double>(d_k)));
    for (float& score : expected) score *= scale;
    CHECK(same_bits(c.run().scores, expected));
    c.scale = scale;
    CHECK(same_bits(c.run().scores, expected));
  }
}

TEST_CASE("attention: the weights are softmax_forward of the scores") {
  AttentionCase c(4, 13, 8, 3);
  c.causal = Causal::kBottomRight;
  c.run();
  std::vector<float> weights(c.scores.size());
  softmax_forward({c.scores.data(), {4, 13}}, {weights.data(), {4, 13}});
  CHECK(same_bits(c.weights, weights));
}

TEST_CASE("attention: one key gets the weight 1") {
  const AttentionCase c = AttentionCase(3, 1, 5, 4).run();
  for (const float weight : c.weights) CHECK(weight == 1);
  for (size_t i = 0; i < c.out.size(); ++i) CHECK(c.out[i] == c.v[i % 4]);
}

TEST_CASE("attention: one row alone and the same row in a batch have the same bits") {
  for (const Causal causal : {Causal::kNo, Causal::kBottomRight}) {
    AttentionCase c(6, 300, 70, 19, 2);
    c.causal = causal;
    c.run();
    for (int64_t b = 0; b < 2; ++b) {
      for (int64_t i = 0; i < 6; ++i) {
        const int64_t n_k = causal == Causal::kNo ? 300 : 300 - 5 + i;  // the row's own last position
        AttentionCase row(1, n_k, 70, 19);
        row.causal = causal;
        row.q.assign(c.q.begin() + (b * 6 + i) * 70, c.q.begin() + (b * 6 + i + 1) * 70);
        row.k.assign(c.k.begin() + b * 300 * 70, c.k.begin() + (b * 300 + n_k) * 70);
        row.v.assign(c.v.begin() + b * 300 * 19, c.v.begin() + (b * 300 + n_k) * 19);
        row.run();
        const auto out = c.out.begin() + (b * 6 + i) * 19;
        CHECK(same_bits(row.out, {out, out + 19}));
        const auto weights = c.weights.begin() + (b * 6 + i) * 300;
        CHECK(same_bits(row.weights, {weights, weights + n_k}));
      }
    }
  }
}

TEST_CASE("attention: sizes of zero") {
  const AttentionCase no_keys = AttentionCase(3, 0, 5, 4).run();
  CHECK(same_bits(no_keys.out, std::vector<float>(12, 0.0f)));
  CHECK(same_bits(no_keys.dq, std::vector<float>(15, 0.0f)));
  AttentionCase(0, 3, 5, 4).run();
  AttentionCase(2, 3, 5, 0).run();
  AttentionCase(2, 3, 5, 4, 0).run();
  const AttentionCase no_queries = AttentionCase(0, 3, 5, 4).run();
  CHECK(same_bits(no_queries.dk, std::vector<float>(15, 0.0f)));
  CHECK(same_bits(no_queries.dv, std::vector<float>(12, 0.0f)));
  const AttentionCase no_components = AttentionCase(2, 4, 0, 3).run();  // every score is the empty sum 0
  for (const float weight : no_components.weights) CHECK(weight == 0.25f);
}

TEST_CASE("attention: unmasked NaN and infinity spread where the formula takes them") {
  const auto row_is_nan = [](const std::vector<float>& x, size_t row, size_t n) {
    for (size_t i = row * n; i < (row + 1) * n; ++i) {
      if (!std::isnan(x[i])) return false;
    }
    return true;
  };
  AttentionCase clean(3, 4, 5, 6);
  clean.run();
  AttentionCase c = clean;
  c.q[5 + 2] = NAN;  // query 1
  c.run();
  CHECK(row_is_nan(c.out, 1, 6));
  CHECK(row_is_nan(c.weights, 1, 4));
  CHECK(same_bits({c.out.begin(), c.out.begin() + 6}, {clean.out.begin(), clean.out.begin() + 6}));
  CHECK(same_bits({c.out.begin() + 12, c.out.end()}, {clean.out.begin() + 12, clean.out.end()}));

  c = clean;
  c.k[3] = NAN;  // key 0: every query sees it
  c.run();
  for (size_t row = 0; row < 3; ++row) CHECK(row_is_nan(c.out, row, 6));

  c = clean;
  c.v[6 + 2] = NAN;  // value 1, column 2
  c.run();
  for (size_t i = 0; i < c.out.size(); ++i) CHECK(std::isnan(c.out[i]) == (i % 6 == 2));

  c = clean;
  c.bias.assign(12, 0.0f);
  c.bias[4 + 1] = INFINITY;  // a score of +inf
  c.run();
  CHECK(row_is_nan(c.out, 1, 6));
  CHECK_FALSE(row_is_nan(c.out, 0, 6));

  c = clean;
  for (float& x : c.q) x = 1e30f;  // scores overflow to -inf without being masked
  for (float& x : c.k) x = -1e30f;
  c.run();
  for (size_t row = 0; row < 3; ++row) CHECK(row_is_nan(c.out, row, 6));
}

TEST_CASE("attention: zeros of both signs, subnormal and large numbers") {
  AttentionCase c(2, 3, 4, 5);
  for (const float value : {0.0f, -0.0f, 1e-40f}) {
    c.q.assign(c.q.size(), value);
    c.run();
    for (const float weight : c.weights) CHECK(weight == 1.0f / 3);
  }
  AttentionCase large(2, 3, 4, 5);
  large.scale = 1.0f;
  for (float& x : large.q) x *= 1e15f;
  for (float& x : large.k) x *= 1e15f;
  large.run();  // one-hot
  for (const float weight : large.weights) CHECK((weight == 0 || weight == 1));
  check_against_reference(AttentionCase(large));
}

TEST_CASE("attention: shapes that do not fit are typed errors, and nothing is written") {
  const float x[64] = {};
  const uint8_t mask[64] = {};
  float y[64];
  std::fill(y, y + 64, 3.0f);
  struct Shapes {
    Shape q{2, 3}, k{4, 3}, v{4, 5}, scores{2, 4}, weights{2, 4}, out{2, 5}, dout{2, 5}, dscores{2, 4},
        dq{2, 3}, dk{4, 3}, dv{4, 5}, mask{2, 4}, bias{2, 4};
  };
  const auto run = [&](const Shapes& s, bool backward) {
    AttentionOptions options;
    options.mask = {mask, s.mask};
    options.bias = {x, s.bias};
    if (backward) {
      attention_backward({x, s.q}, {x, s.k}, {x, s.v}, options, {x, s.scores}, {x, s.weights}, {x, s.dout},
                         {y, s.dscores}, {y, s.dq}, {y, s.dk}, {y, s.dv});
    } else {
      attention_forward({x, s.q}, {x, s.k}, {x, s.v}, options, {y, s.scores}, {y, s.weights}, {y, s.out});
    }
  };
  const auto refused = [&](const Shapes& shapes, bool backward, const char* argument, const char* expected) {
    CAPTURE(argument);
    const ShapeError error = thrown_by<ShapeError>([&] { run(shapes, backward); });
    CHECK(error.op == (backward ? "attention_backward" : "attention"));
    CHECK(error.argument == argument);
    CHECK(error.expected == expected);
    for (const float value : y) CHECK(value == 3.0f);
  };
  for (const bool backward : {false, true}) {
    Shapes s;
    refused((s = {}, s.q = {3}, s), backward, "q", "(.., n_q, d_k)");
    refused((s = {}, s.k = {4, 2}, s), backward, "k", "(4, 3)");
    refused((s = {}, s.k = {1, 4, 3}, s), backward, "k", "(4, 3)");
    refused((s = {}, s.v = {3, 5}, s), backward, "v", "(4, 5)");
    refused((s = {}, s.mask = {4, 2}, s), backward, "mask", "broadcastable to (2, 4)");
    refused((s = {}, s.bias = {1, 2, 4}, s), backward, "bias", "broadcastable to (2, 4)");
    refused((s = {}, s.weights = {4, 2}, s), backward, "weights", "(2, 4)");
  }
  Shapes s;
  refused((s = {}, s.scores = {8}, s), false, "scores", "(2, 4)");
  refused((s = {}, s.out = {2, 3}, s), false, "out", "(2, 5)");
  refused((s = {}, s.scores = {4, 2}, s), true, "scores", "(2, 4)");
  refused((s = {}, s.dout = {2, 3}, s), true, "dout", "(2, 5)");
  refused((s = {}, s.dscores = {2, 3}, s), true, "dscores", "(2, 4)");
  refused((s = {}, s.dq = {2, 4}, s), true, "dq", "(2, 3)");
  refused((s = {}, s.dk = {2, 3}, s), true, "dk", "(4, 3)");
  refused((s = {}, s.dv = {2, 5}, s), true, "dv", "(4, 5)");
}
