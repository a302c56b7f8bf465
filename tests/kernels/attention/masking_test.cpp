#include "kernels/attention/masking.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "base/errors.h"
#include "reference/attention_case.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

AttentionCall call_of(const AttentionCase& c) {
  return {"test", c.q_view(), c.k_view(), c.v_view(), c.options()};
}

bool agrees(const AttentionCase& c) {
  const AttentionCall call = call_of(c);
  for (int64_t b = 0; b < call.heads; ++b) {
    const HeadMask head = call.mask_of(b);
    for (int64_t i = 0; i < c.n_q; ++i) {
      for (int64_t j = 0; j < c.n_k; ++j) {
        if (head.unmasked(i, j) != c.unmasked(b, i, j)) return false;
        if (j >= head.end(i) && c.unmasked(b, i, j)) return false;
      }
    }
  }
  return true;
}

}  // namespace

TEST_CASE("a call's sizes, with and without heads and batches") {
  const auto call = [](const Shape& q, const Shape& k, const Shape& v) {
    return AttentionCall("test", {nullptr, q}, {nullptr, k}, {nullptr, v}, {});
  };
  const AttentionCall plain = call({3, 16}, {4, 16}, {4, 5});
  CHECK(plain.heads == 1);
  CHECK(plain.group == 1);
  CHECK(plain.scale_of(0) == 0.25f);
  CHECK(plain.scores == Shape{3, 4});
  CHECK(plain.out == Shape{3, 5});
  const AttentionCall grouped = call({2, 7, 6, 3, 16}, {2, 7, 2, 4, 16}, {2, 7, 2, 4, 5});
  CHECK(grouped.heads == 84);
  CHECK(grouped.group == 3);
  CHECK(grouped.kv_heads() == 28);
  CHECK(grouped.scores == Shape{2, 7, 6, 3, 4});
  CHECK(grouped.out == Shape{2, 7, 6, 3, 5});
  const AttentionCall no_heads = call({2, 0, 3, 16}, {2, 4, 4, 16}, {2, 4, 4, 5});
  CHECK(no_heads.heads == 0);
  CHECK(no_heads.kv_heads() == 8);
  CHECK(call({2, 0, 3, 16}, {2, 0, 4, 16}, {2, 0, 4, 5}).kv_heads() == 0);
  CHECK(call({3, 0}, {4, 0}, {4, 5}).scale_of(0) == 1);
}

TEST_CASE("masks of every broadcast shape") {
  for (const Shape& shape :
       {Shape{}, Shape{5}, Shape{3, 5}, Shape{3, 1}, Shape{1, 5}, Shape{4, 3, 5}, Shape{4, 1, 1},
        Shape{1, 3, 1}, Shape{2, 4, 3, 5}, Shape{2, 1, 3, 5}, Shape{2, 1, 1, 5}, Shape{1, 4, 1, 5}}) {
    CAPTURE(shape.text());
    AttentionCase c(3, 5, 1, 1, 2, 1, 4, 2);
    Draws draws(7);
    for (int64_t i = 0; i < shape.size(); ++i) c.mask.push_back(draws.uniform() < 0.5);
    c.mask_shape = shape;
    CHECK(agrees(c));
    for (int64_t i = 0; i < shape.size(); ++i) c.bias.push_back(draws.uniform() < 0.5 ? -INFINITY : -1e9f);
    c.bias_shape = shape;
    CHECK(agrees(c));
  }
}

TEST_CASE("ends of rows: causality, lengths and a past") {
  for (const Causal causal : {Causal::kNo, Causal::kTopLeft, Causal::kBottomRight}) {
    for (int64_t n_q = 0; n_q <= 5; ++n_q) {
      for (int64_t n_k = 0; n_k <= 5; ++n_k) {
        for (int64_t n_past = 0; n_past <= 6; ++n_past) {
          AttentionCase c(n_q, n_k, 1, 1, 2, 1, 2, 1);
          c.causal = causal;
          c.n_past = n_past;
          CHECK(agrees(c));
          c.lengths = {static_cast<int32_t>(n_k), static_cast<int32_t>(n_k / 2)};
          CHECK(agrees(c));
          c.lengths = {0, static_cast<int32_t>(n_k), static_cast<int32_t>(n_k / 2), 0};
          CHECK(agrees(c));
        }
      }
    }
  }
}

TEST_CASE("all_unmasked: no mask, no bias, and every query sees the last key") {
  AttentionCase c(2, 3, 1, 1);
  const auto all_unmasked = [&c] { return call_of(c).mask_of(0).all_unmasked(); };
  CHECK(all_unmasked());
  c.causal = Causal::kTopLeft;
  CHECK_FALSE(all_unmasked());
  c.n_past = 2;
  CHECK(all_unmasked());
  c.causal = Causal::kBottomRight;
  CHECK_FALSE(all_unmasked());
  c.causal = Causal::kNo;
  c.lengths = {2};
  CHECK_FALSE(all_unmasked());
  c.lengths = {3};
  CHECK(all_unmasked());
  c.mask.assign(6, 1);
  CHECK_FALSE(all_unmasked());
}

TEST_CASE("shapes that do not fit are typed errors") {
  struct Given {
    Shape q{2, 6, 3, 8}, k{2, 2, 4, 8}, v{2, 2, 4, 5}, mask{2, 6, 3, 4}, bias{3, 4}, lengths{2};
  };
  const uint8_t mask = 1;
  const float bias = 0;
  const int32_t lengths[] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
  const auto refused = [&](const Given& g, const std::string& argument, const std::string& expected) {
    CAPTURE(argument);
    AttentionOptions options;
    options.mask = {&mask, g.mask};
    options.bias = {&bias, g.bias};
    options.lengths = {lengths, g.lengths};
    const ShapeError error = thrown_by<ShapeError>([&] {
      AttentionCall("test", {nullptr, g.q}, {nullptr, g.k}, {nullptr, g.v}, options);
    });
    CHECK(error.op == "test");
    CHECK(error.argument == argument);
    CHECK(error.expected == expected);
  };
  Given g;
  refused((g = {}, g.q = {8}, g), "q", "(.., n_q, d_k)");
  refused((g = {}, g.k = {8}, g), "k", "(.., n_k, d_k)");
  refused((g = {}, g.v = {8}, g), "v", "(.., n_k, d_v)");
  refused((g = {}, g.k = {2, 2, 4, 7}, g), "k", "(2, 6, 4, 8)");
  refused((g = {}, g.k = {3, 2, 4, 8}, g), "k", "(2, 6, 4, 8)");
  refused((g = {}, g.k = {2, 4, 4, 8}, g), "k", "(2, 6, 4, 8)");
  refused((g = {}, g.k = {2, 0, 4, 8}, g), "k", "(2, 6, 4, 8)");
  refused((g = {}, g.k = {2, 4, 8}, g), "k", "(2, 6, 4, 8)");
  refused((g = {}, g.v = {2, 6, 4, 5}, g), "v", "(2, 2, 4, 5)");
  refused((g = {}, g.v = {2, 2, 3, 5}, g), "v", "(2, 2, 4, 5)");
  refused((g = {}, g.mask = {2, 3, 3, 4}, g), "mask", "broadcastable to (2, 6, 3, 4)");
  refused((g = {}, g.mask = {2, 2, 6, 3, 4}, g), "mask", "broadcastable to (2, 6, 3, 4)");
  refused((g = {}, g.mask = {0}, g), "mask", "broadcastable to (2, 6, 3, 4)");
  refused((g = {}, g.bias = {4, 3}, g), "bias", "broadcastable to (2, 6, 3, 4)");
  refused((g = {}, g.lengths = {6}, g), "lengths", "(2,)");
  refused((g = {}, g.lengths = {2, 2}, g), "lengths", "(2, 6)");
  refused((g = {}, g.lengths = {2, 6, 3}, g), "lengths", "(2, 6)");
}

TEST_CASE("values out of range are typed errors") {
  const auto refused = [](const AttentionCase& c, const std::string& argument, const std::string& got) {
    const ValueError error = thrown_by<ValueError>([&] { call_of(c); });
    CHECK(error.code == ErrorCode::kOutOfRange);
    CHECK(error.argument == argument);
    CHECK(error.got == got);
  };
  AttentionCase c(2, 3, 1, 1, 2);
  refused((c.softcap = -1, c), "softcap", "-1");
  refused((c.softcap = NAN, c), "softcap", "NaN");
  refused((c.softcap = INFINITY, c), "softcap", "Infinity");
  refused((c.softcap = -INFINITY, c), "softcap", "-Infinity");
  c.softcap = 0;
  refused((c.n_past = -1, c), "n_past", "-1");
  c.n_past = 0;
  refused((c.lengths = {3, 4}, c), "lengths", "4");
  refused((c.lengths = {-1, 3}, c), "lengths", "-1");
}
