#include <doctest/doctest.h>

#include <cmath>

#include "base/errors.h"
#include "reference/attend_checks.h"
#include "reference/cosine_case.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

std::vector<CosineCase> small_cases() {
  std::vector<CosineCase> all;
  all.emplace_back(3, 4, 5, 2, 2);
  all.emplace_back(2, 3, 4, 3);
  all.back().tau = -1.5f;
  all.emplace_back(2, 3, 4, 3);
  all.back().tau = 0;
  all.emplace_back(3, 5, 2, 3, 2);
  all.back().mask = random_mask(30, 4);
  for (int64_t j = 0; j < 5; ++j) all.back().mask[static_cast<size_t>(5 + j)] = 0;  // a fully masked row
  all.emplace_back(2, 2, 1, 1);  // cosines of +-1: no gradient
  return all;
}

// A unit vector has components rounded once, so a cosine is off by 2 eps and its sum of d terms.
void check_against_formula(const CosineCase& c) {
  check_against_formula(c, c.v, std::fabs(c.tau) * 0x1p-24 * (std::min<double>(c.d, 34) + 4));
}

}  // namespace

TEST_CASE("cosine attention agrees with the formula in double, for every tail") {
  for (CosineCase& c : small_cases()) check_against_formula(c.run());
  for (int64_t length = 1; length <= 33; ++length) {
    CAPTURE(length);
    for (CosineCase c : {CosineCase(length, 3, 4, 5), CosineCase(3, length, 4, 5),
                         CosineCase(3, 4, length, 5), CosineCase(3, 4, 5, length)}) {
      check_against_formula(c.run());
    }
  }
}

TEST_CASE("cosine_attention_backward: the derivative three ways") {
  for (CosineCase& c : small_cases()) check_gradients(c);
}

TEST_CASE("cosine_attention_backward is the transpose of the derivative") {
  CosineCase c(35, 70, 19, 13, 2);
  c.mask = random_mask(2 * 35 * 70, 6);
  check_transposed_derivative(c);
}

TEST_CASE("cosine attention: a norm below eps is the constant eps") {
  CosineCase c(3, 4, 5, 2);
  for (size_t i = 0; i < 5; ++i) c.q[5 + i] *= 1e-14f, c.k[10 + i] *= 1e-13f;
  std::fill_n(c.q.begin(), 5, 0.0f);
  check_against_formula(c.run());
  const auto out_of = [&c](const auto& inputs) { return c.formula(inputs).out; };
  const std::vector<double> exact = gradient_of(out_of, widen(c.inputs()), widen(c.dout));
  for (size_t i = 0; i < exact.size(); ++i) {  // up to 1e12 here and there
    CHECK(error_of(c.gradients()[i], exact[i]).absolute <= 1e-5 * (1 + std::fabs(exact[i])));
  }
  for (size_t j = 0; j < 4; ++j) CHECK(c.scores[j] == 0);
}

TEST_CASE("cosine attention: the length of a vector does not matter, however long or short") {
  const CosineCase c = CosineCase(3, 4, 5, 2).run();
  for (const float factor : {0x1p-20f, 0x1p100f}) {
    CosineCase scaled = c;
    for (float& x : scaled.q) x *= factor;
    for (float& x : scaled.k) x *= factor;
    scaled.run();
    CHECK(same_bits(scaled.out, c.out));
    CHECK(scaled.dtau == c.dtau);
    for (size_t i = 0; i < c.dq.size(); ++i) CHECK(scaled.dq[i] == c.dq[i] / factor);
  }
}

TEST_CASE("cosine attention: one row alone and the same row in a batch have the same bits") {
  const CosineCase c = CosineCase(5, 40, 7, 3).run();
  for (int64_t i = 0; i < 5; ++i) {
    CosineCase row(1, 40, 7, 3);
    row.k = c.k, row.v = c.v;
    row.q.assign(c.q.begin() + i * 7, c.q.begin() + (i + 1) * 7);
    row.run();
    CHECK(same_bits(row.out, {c.out.begin() + i * 3, c.out.begin() + (i + 1) * 3}));
    CHECK(same_bits(row.weights, {c.weights.begin() + i * 40, c.weights.begin() + (i + 1) * 40}));
  }
}

TEST_CASE("cosine attention: what stands at masked keys and queries changes no bit") {
  CosineCase clean(6, 7, 3, 5);
  clean.mask = random_mask(42, 2);
  for (int64_t i = 0; i < 6; ++i) clean.mask[static_cast<size_t>(i * 7 + 4)] = 0;  // key 4
  for (int64_t j = 0; j < 7; ++j) clean.mask[static_cast<size_t>(2 * 7 + j)] = 0;  // query 2
  clean.run();
  for (const float value : {NAN, INFINITY, -INFINITY, 1e38f}) {
    CosineCase c = clean;
    std::fill_n(c.k.begin() + 4 * 3, 3, value);
    std::fill_n(c.v.begin() + 4 * 5, 5, value);
    std::fill_n(c.q.begin() + 2 * 3, 3, value);
    std::fill_n(c.dout.begin() + 2 * 5, 5, value);
    check_same_results(clean, c.run());
    CHECK(c.dtau == clean.dtau);
  }
  for (int64_t x = 0; x < 5; ++x) CHECK(clean.out[static_cast<size_t>(2 * 5 + x)] == 0);
  for (int64_t x = 0; x < 3; ++x) {
    CHECK(clean.dq[static_cast<size_t>(2 * 3 + x)] == 0);
    CHECK(clean.dk[static_cast<size_t>(4 * 3 + x)] == 0);
  }
  CosineCase plain(5, 40, 3, 4, 2), ones = plain;
  ones.mask.assign(2 * 5 * 40, 1);
  check_same_results(plain.run(), ones.run());
}

TEST_CASE("cosine attention: unmasked NaN and infinity spread") {
  const CosineCase clean = CosineCase(3, 4, 2, 2).run();
  for (const float value : {NAN, INFINITY}) {
    CosineCase c = clean;
    c.q[2] = value;  // query 1; infinity / infinity
    c.run();
    for (size_t i = 0; i < 6; ++i) {
      CHECK(std::isnan(c.out[i]) == (i / 2 == 1));
      CHECK(std::isnan(c.dq[i]) == (i / 2 == 1));
    }
    CHECK(std::isnan(c.dtau));
    c = clean;
    c.tau = value;
    c.run();
    for (const float x : c.out) CHECK(std::isnan(x));
  }
}

TEST_CASE("cosine attention: sizes of zero") {
  const CosineCase no_keys = CosineCase(3, 0, 2, 4).run();
  CHECK(same_bits(no_keys.out, std::vector<float>(12, 0.0f)));
  CHECK(same_bits(no_keys.dq, std::vector<float>(6, 0.0f)));
  CHECK(no_keys.dtau == 0);
  const CosineCase no_queries = CosineCase(0, 3, 2, 4).run();
  CHECK(same_bits(no_queries.dk, std::vector<float>(6, 0.0f)));
  CosineCase(2, 3, 2, 4, 0).run();
  const CosineCase no_components = CosineCase(2, 4, 0, 4).run();
  for (const float weight : no_components.weights) CHECK(weight == 0.25f);
}

TEST_CASE("cosine attention: shapes that do not fit are typed errors, and nothing is written") {
  const float x[64] = {};
  const uint8_t mask[64] = {};
  float y[64];
  std::fill(y, y + 64, 3.0f);
  struct Shapes {
    Shape q{2, 3}, k{4, 3}, v{4, 5}, mask{2, 4}, scores{2, 4}, weights{2, 4}, out{2, 5}, dq{2, 3}, dk{4, 3},
        dv{4, 5};
  };
  const auto refused = [&](const Shapes& s, bool backward, const char* argument) {
    CAPTURE(argument);
    const MaskView mask_view(mask, s.mask);
    Arena scratch(1000);
    const ShapeError error = thrown_by<ShapeError>([&] {
      if (backward) {
        cosine_attention_backward({x, s.q}, {x, s.k}, {x, s.v}, 1, mask_view, {x, s.weights}, {x, s.out},
                                  {y, s.scores}, {y, s.dq}, {y, s.dk}, {y, s.dv}, scratch);
      } else {
        cosine_attention_forward({x, s.q}, {x, s.k}, {x, s.v}, 1, mask_view, {y, s.scores}, {y, s.weights},
                                 {y, s.out}, scratch);
      }
    });
    CHECK(error.op == (backward ? "cosine_attention_backward" : "cosine_attention"));
    CHECK(error.argument == argument);
    for (const float value : y) CHECK(value == 3.0f);
  };
  Shapes s;
  for (const bool backward : {false, true}) {
    refused((s = {}, s.q = {3}, s), backward, "q");
    refused((s = {}, s.k = {4, 2}, s), backward, "k");
    s = {};
    s.q = {2, 2, 3}, s.k = {1, 4, 3}, s.v = {1, 4, 5};  // no grouped heads here
    refused(s, backward, "k");
    refused((s = {}, s.v = {3, 5}, s), backward, "v");
    refused((s = {}, s.mask = {3, 4}, s), backward, "mask");
    refused((s = {}, s.weights = {4, 2}, s), backward, "weights");
  }
  refused((s = {}, s.scores = {8}, s), false, "scores");
  refused((s = {}, s.out = {2, 4}, s), false, "out");
  refused((s = {}, s.out = {2, 4}, s), true, "dout");
  refused((s = {}, s.scores = {8}, s), true, "dscores");
  refused((s = {}, s.dq = {3, 2}, s), true, "dq");
  refused((s = {}, s.dk = {3, 4}, s), true, "dk");
  refused((s = {}, s.dv = {5, 4}, s), true, "dv");
}
