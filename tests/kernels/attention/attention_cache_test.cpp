// Sequences of unequal lengths, and keys and values from a cache.
#include <doctest/doctest.h>

#include <cmath>

#include "base/errors.h"
#include "reference/attention_checks.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

TEST_CASE("attention: a head without keys leaves the others of its group alone") {
  for (const int64_t head : {1, 4}) {  // of the first group or the second, of three heads each
    AttentionCase clean(40, 7, 3, 5, 1, 1, 6, 2);
    clean.lengths.assign(6, 7);
    clean.lengths[static_cast<size_t>(head)] = 0;
    clean.run();
    AttentionCase c = clean;
    std::fill_n(c.q.begin() + head * 40 * 3, 40 * 3, NAN);
    std::fill_n(c.dout.begin() + head * 40 * 5, 40 * 5, NAN);
    CHECK(same_results(c.run(), clean));
    check_against_double(clean);
  }
}

TEST_CASE("attention: keys beyond a sequence's length are not there, bit by bit") {
  for (const Causal causal : {Causal::kNo, Causal::kTopLeft, Causal::kBottomRight}) {
    AttentionCase c(40, 50, 6, 9, 3, 1, 2, 1);
    c.causal = causal;
    c.lengths = {37, 0, 50};
    for (int64_t b = 0; b < 3; ++b) {
      const int64_t length = c.lengths[static_cast<size_t>(b)];
      std::fill(c.k.begin() + (b * 50 + length) * 6, c.k.begin() + (b + 1) * 50 * 6, NAN);
      std::fill(c.v.begin() + (b * 50 + length) * 9, c.v.begin() + (b + 1) * 50 * 9, INFINITY);
    }
    c.run();
    for (int64_t b = 0; b < 3; ++b) {
      const int64_t length = c.lengths[static_cast<size_t>(b)];
      AttentionCase one(40, length, 6, 9, 1, 1, 2, 1);
      one.causal = causal;
      const auto part = [b](const std::vector<float>& x, int64_t stride, int64_t size) {
        return std::vector<float>(x.begin() + b * stride, x.begin() + b * stride + size);
      };
      one.q = part(c.q, 80 * 6, 80 * 6);
      one.dout = part(c.dout, 80 * 9, 80 * 9);
      one.k = part(c.k, 50 * 6, length * 6);
      one.v = part(c.v, 50 * 9, length * 9);
      one.run();
      CHECK(same_bits(one.out, part(c.out, 80 * 9, 80 * 9)));
      CHECK(same_bits(one.dq, part(c.dq, 80 * 6, 80 * 6)));
      CHECK(same_bits(one.dk, part(c.dk, 50 * 6, length * 6)));
      CHECK(same_bits(one.dv, part(c.dv, 50 * 9, length * 9)));
      for (int64_t at = (b * 50 + length) * 6; at < (b + 1) * 50 * 6; ++at)
        CHECK(c.dk[static_cast<size_t>(at)] == 0);
    }
  }
}

TEST_CASE("attention: decoding step by step with a cache gives the rows of the whole, bit by bit") {
  AttentionCase whole(45, 45, 8, 5, 2);
  whole.causal = Causal::kTopLeft;
  whole.run();
  const auto rows = [](const std::vector<float>& x, int64_t d, int64_t begin, int64_t end) {
    std::vector<float> part;
    for (int64_t b = 0; b < 2; ++b) {
      part.insert(part.end(), x.begin() + (b * 45 + begin) * d, x.begin() + (b * 45 + end) * d);
    }
    return part;
  };
  std::vector<float> past_k, past_v;
  for (int64_t begin = 0, end; begin < 45; begin = end) {
    end = std::min<int64_t>(45, begin + 1 + begin % 7);
    const int64_t n = end - begin;
    std::vector<float> k(static_cast<size_t>(2 * end * 8)), v(static_cast<size_t>(2 * end * 5));
    const std::vector<float> new_k = rows(whole.k, 8, begin, end), new_v = rows(whole.v, 5, begin, end);
    append_rows({past_k.data(), {2, begin, 8}}, {new_k.data(), {2, n, 8}}, {k.data(), {2, end, 8}});
    append_rows({past_v.data(), {2, begin, 5}}, {new_v.data(), {2, n, 5}}, {v.data(), {2, end, 5}});
    CHECK(same_bits(k, rows(whole.k, 8, 0, end)));
    AttentionCase step(n, end, 8, 5, 2);
    step.q = rows(whole.q, 8, begin, end);
    step.k = past_k = k;
    step.v = past_v = v;
    step.causal = Causal::kTopLeft;
    step.n_past = begin;
    CHECK(same_bits(step.run().out, rows(whole.out, 5, begin, end)));
    step.causal = Causal::kBottomRight;
    step.n_past = 0;
    CHECK(same_bits(step.run().out, rows(whole.out, 5, begin, end)));
  }
}

TEST_CASE("attention: a past longer than the keys is no mask") {
  AttentionCase c(3, 4, 5, 2);
  c.run();
  AttentionCase past = c;
  past.causal = Causal::kTopLeft;
  past.n_past = INT64_MAX;
  CHECK(same_results(past.run(), c));
}

TEST_CASE("append_rows: shapes that do not fit are typed errors, and nothing is written") {
  const float x[64] = {};
  float y[64];
  std::fill(y, y + 64, 3.0f);
  const auto refused = [&](const Shape& past, const Shape& next, const Shape& present, const char* argument) {
    const ShapeError error = thrown_by<ShapeError>([&] { append_rows({x, past}, {x, next}, {y, present}); });
    CHECK(error.op == "append_rows");
    CHECK(error.argument == argument);
    for (const float value : y) CHECK(value == 3.0f);
  };
  refused({3}, {1, 3}, {2, 3}, "past");
  refused({1, 3}, {3}, {2, 3}, "x");
  refused({2, 1, 3}, {1, 3}, {2, 3}, "x");
  refused({1, 3}, {1, 2}, {2, 3}, "x");
  refused({1, 3}, {1, 3}, {3, 3}, "present");
}
