// Grouped heads, softcap, and masks of every broadcast shape; lengths and a cache are in
// attention_cache_test.cpp.
#include <doctest/doctest.h>

#include <cmath>

#include "reference/attention_checks.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

const Shape kBroadcast[] = {{},           {7},          {1},          {5, 7},       {5, 1},
                            {1, 7},       {4, 5, 7},    {1, 5, 7},    {4, 1, 7},    {4, 5, 1},
                            {2, 4, 5, 7}, {2, 1, 5, 7}, {2, 1, 1, 7}, {1, 4, 1, 1}, {2, 4, 1, 1}};

}  // namespace

TEST_CASE("attention: all options together agree with the reference in double") {
  for (const Causal causal : {Causal::kNo, Causal::kTopLeft, Causal::kBottomRight}) {
    for (const int64_t kv_heads : {1, 2, 4}) {
      for (const float softcap : {0.0f, 0.5f, 20.0f}) {
        AttentionCase c(5, 7, 3, 6, 2, 1, 4, kv_heads);
        c.causal = causal;
        c.softcap = softcap;
        check_against_double(c);
        c.n_past = 2;
        c.lengths = {6, 4};
        check_against_double(c);
        c.lengths = {7, 0, 1, 2, 3, 4, 5, 6};  // of each head
        c.mask = random_mask(2 * 4 * 5 * 7, 2);
        check_against_double(c);
        c.bias = Draws(3).normals(2 * 4 * 5 * 7);
        c.bias[17] = -INFINITY;
        check_against_double(c);
        c.head_scales = {0.5f, -0.25f, 0.0f, 1.5f};
        check_against_double(c);
      }
    }
  }
}

TEST_CASE("attention: masks and biases of every broadcast shape") {
  for (const Shape& shape : kBroadcast) {
    CAPTURE(shape.text());
    AttentionCase c(5, 7, 3, 6, 2, 1, 4, 2);
    c.mask = random_mask(shape.size(), 5);
    c.mask_shape = shape;
    check_against_double(c);
    c.bias = Draws(6).normals(shape.size());
    c.bias_shape = shape;
    check_against_double(c);
    // Mask and bias written out in the shape of the scores give equal bits.
    AttentionCase full = c;
    full.mask.clear();
    full.bias.clear();
    for (int64_t b = 0; b < 8; ++b) {
      for (int64_t i = 0; i < 5; ++i) {
        for (int64_t j = 0; j < 7; ++j) full.mask.push_back(c.unmasked(b, i, j));
      }
    }
    for (const double bias : c.problem().bias) full.bias.push_back(static_cast<float>(bias));
    full.mask_shape = full.bias_shape = Shape{2, 4, 5, 7};
    CHECK(same_results(full.run(), c));
  }
}

TEST_CASE("attention: grouped heads are repeated heads, bit for bit; their gradients are the sum") {
  for (const bool masked : {false, true}) {
    AttentionCase grouped(40, 7, 5, 6, 2, 1, 6, 2), repeated(40, 7, 5, 6, 2, 1, 6, 6);
    if (masked) grouped.mask = repeated.mask = random_mask(40 * 7, 3);
    repeated.q = grouped.q;
    repeated.dout = grouped.dout;
    const auto head = [](std::vector<float>& x, int64_t index, int64_t size) {
      return x.begin() + index * size;
    };
    for (int64_t b = 0; b < 12; ++b) {
      std::copy_n(head(grouped.k, b / 3, 35), 35, head(repeated.k, b, 35));
      std::copy_n(head(grouped.v, b / 3, 42), 42, head(repeated.v, b, 42));
    }
    grouped.run();
    repeated.run();
    CHECK(same_bits(grouped.scores, repeated.scores));
    CHECK(same_bits(grouped.weights, repeated.weights));
    CHECK(same_bits(grouped.out, repeated.out));
    CHECK(same_bits(grouped.dq, repeated.dq));
    std::vector<double> dk(grouped.dk.size()), dv(grouped.dv.size());
    for (size_t i = 0; i < repeated.dk.size(); ++i) dk[i / 105 * 35 + i % 35] += repeated.dk[i];
    for (size_t i = 0; i < repeated.dv.size(); ++i) dv[i / 126 * 42 + i % 42] += repeated.dv[i];
    CHECK(near(grouped.dk, dk));
    CHECK(near(grouped.dv, dv));
  }
}

TEST_CASE("attention: grouped heads, a mask of all ones is no mask, bit by bit") {
  AttentionCase plain(40, 70, 5, 37, 2, 1, 6, 2), masked = plain;
  masked.mask.assign(40 * 70, 1);
  plain.softcap = masked.softcap = 2;
  plain.run();
  CHECK(same_results(plain, masked.run()));
}

TEST_CASE("attention: softcap bounds the scores before the bias, every tail alike") {
  for (int64_t n_k = 1; n_k <= 33; ++n_k) {
    AttentionCase c(3, n_k, 4, 2);
    c.softcap = 1;
    c.scale = 10.0f;
    c.run();
    for (const float score : c.scores) CHECK(std::fabs(score) <= 1);
    AttentionCase one(3, 1, 4, 2);  // the last key alone
    one.q = c.q;
    one.k.assign(c.k.end() - 4, c.k.end());
    one.softcap = c.softcap;
    one.scale = c.scale;
    one.run();
    for (size_t i = 0; i < 3; ++i) CHECK(one.scores[i] == c.scores[(i + 1) * static_cast<size_t>(n_k) - 1]);
  }
  AttentionCase infinite(1, 3, 1, 1);
  infinite.softcap = 5;
  infinite.q = {1};
  infinite.k = {INFINITY, -INFINITY, 0};
  infinite.run();
  CHECK(same_bits(infinite.scores, {5, -5, 0}));
  CHECK(infinite.dscores[0] == 0);
  infinite.k[1] = NAN;
  infinite.run();
  CHECK(std::isnan(infinite.out[0]));
  CHECK(std::isnan(infinite.dscores[2]));
}

TEST_CASE("attention: softcap's gradient beside a large bias") {
  for (const float bias : {1.0f, 100.0f, -1e4f, 1e9f}) {
    AttentionCase c(4, 6, 3, 2);
    c.softcap = 0.7f;
    c.bias.assign(24, bias);
    c.run();
    const AttentionProblem p = c.problem();
    const AttentionGradients exact = attention_gradients(p, reference::attention(p).weights, widen(c.dout));
    const double lost = std::fabs(bias) * 0x1p-23;  // from each score, when the bias was added
    if (lost < 0.1) {
      CHECK(compare(c.dscores, exact.dscores).absolute <= 1e-6 + 8 * lost);
    } else {
      for (const float x : c.dscores) CHECK(std::fabs(x) <= 2);  // tanh' stays within 0 .. 1
    }
  }
}

TEST_CASE("attention: where a bias rounds a capped score beyond the cap, the gradient is 0") {
  AttentionCase c(1, 2, 1, 1);
  c.softcap = 0.7f;
  c.q = {1};
  c.k = {30, -30};
  c.v = {1, 0};
  c.bias = {1e4f, 1e4f};
  c.run();
  CHECK(c.scores[0] - 1e4f > 0.7f);
  CHECK(same_bits(c.dk, {0, 0}));
}

TEST_CASE("attention: nothing outside its views is read into results or written, whatever their alignment") {
  for (const int64_t shift : {0, 1, 2, 3}) {
    AttentionCase c(7, 9, 5, 6, 2, 1, 4, 2);
    c.causal = Causal::kTopLeft;
    c.n_past = 1;
    c.softcap = 3;
    c.bias = Draws(4).normals(63);
    c.run();
    GuardedBuffer q(c.q, shift), k(c.k, shift + 1), v(c.v, shift + 2), dout(c.dout, shift),
        bias(c.bias, shift);
    GuardedBuffer scores(c.scores_shape().size(), shift), weights(c.scores_shape().size(), shift + 1);
    GuardedBuffer dscores(c.scores_shape().size(), shift + 3), out(c.out_shape().size(), shift);
    GuardedBuffer dq(c.q_shape().size(), shift), dk(c.k_shape().size(), shift), dv(c.v_shape().size(), shift);
    AttentionOptions options = c.options();
    options.bias.data = bias.data();
    attention_forward({q.data(), c.q_shape()}, {k.data(), c.k_shape()}, {v.data(), c.v_shape()}, options,
                      {scores.data(), c.scores_shape()}, {weights.data(), c.scores_shape()},
                      {out.data(), c.out_shape()});
    attention_backward({q.data(), c.q_shape()}, {k.data(), c.k_shape()}, {v.data(), c.v_shape()}, options,
                       {scores.data(), c.scores_shape()}, {weights.data(), c.scores_shape()},
                       {dout.data(), c.out_shape()}, {dscores.data(), c.scores_shape()},
                       {dq.data(), c.q_shape()}, {dk.data(), c.k_shape()}, {dv.data(), c.v_shape()});
    CHECK(same_bits(out.values(), c.out));
    CHECK(same_bits(weights.values(), c.weights));
    CHECK(same_bits(dq.values(), c.dq));
    CHECK(same_bits(dk.values(), c.dk));
    CHECK(same_bits(dv.values(), c.dv));
    for (const GuardedBuffer* buffer :
         {&q, &k, &v, &dout, &bias, &scores, &weights, &dscores, &out, &dq, &dk, &dv}) {
      CHECK(buffer->intact());
    }
  }
}
