#include <doctest/doctest.h>

#include <cmath>

#include "base/errors.h"
#include "reference/additive_case.h"
#include "reference/attend_checks.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

std::vector<AdditiveCase> small_cases() {
  std::vector<AdditiveCase> all;
  all.emplace_back(3, 4, 2, 5, 3, 6, 2);
  all.emplace_back(2, 3, 3, 2, 2, 4);
  all.back().b.clear();
  all.emplace_back(3, 5, 2, 2, 3, 5, 2);
  all.back().mask = random_mask(30, 4);
  for (int64_t j = 0; j < 5; ++j) all.back().mask[static_cast<size_t>(5 + j)] = 0;  // a fully masked row
  all.emplace_back(4, 5, 2, 2, 3, 5);
  all.back().mask.assign(20, 1);
  for (size_t j = 0; j < 5; ++j) all.back().mask[5 + j] = 0;      // query 1
  for (size_t i = 0; i < 4; ++i) all.back().mask[i * 5 + 2] = 0;  // key 2
  all.emplace_back(1, 1, 1, 1, 1, 1);
  return all;
}

// Energies are float sums of d_hidden terms of size |v|; a tanh is off by the error of its argument, a sum of
// d_q + d_k products. Then as for attention.
void check_against_formula(const AdditiveCase& c) {
  const double norm = max_abs(widen(c.v)) * static_cast<double>(c.d_hidden);
  check_against_formula(c, c.values, 0x1p-24 * norm * (8 + static_cast<double>(c.d_q + c.d_k) + 4));
}

}  // namespace

TEST_CASE("additive attention agrees with the formula in double, for every tail") {
  for (AdditiveCase& c : small_cases()) check_against_formula(c.run());
  for (int64_t length = 1; length <= 33; ++length) {
    CAPTURE(length);
    for (AdditiveCase c : {AdditiveCase(length, 3, 2, 3, 2, 5), AdditiveCase(3, length, 2, 3, 2, 5),
                           AdditiveCase(3, 4, length, 3, 2, 5), AdditiveCase(3, 4, 2, length, 2, 5),
                           AdditiveCase(3, 4, 2, 3, length, 5), AdditiveCase(3, 4, 2, 3, 2, length)}) {
      check_against_formula(c.run());
    }
  }
}

TEST_CASE("additive attention: both forms give the same bits") {
  std::vector<AdditiveCase> all = small_cases();
  all.emplace_back(9, 40, 37, 65, 5, 43, 2);
  for (AdditiveCase& projected : all) {
    AdditiveCase naive = projected;
    naive.form = AdditiveForm::kNaive;
    check_same_results(projected.run(), naive.run());
  }
}

TEST_CASE("additive_attention_backward: the derivative three ways") {
  for (AdditiveCase& c : small_cases()) check_gradients(c);
}

TEST_CASE("additive_attention_backward is the transpose of the derivative, more than one tile") {
  AdditiveCase c(35, 70, 9, 5, 7, 13, 2);
  c.mask = random_mask(2 * 35 * 70, 6);
  check_transposed_derivative(c);
}

TEST_CASE("additive_attention_backward adds to the parameters' gradients, over batches") {
  AdditiveCase both(3, 4, 2, 3, 2, 5, 2);
  both.run();
  std::vector<double> sum(both.w_k.size());
  for (int64_t i = 0; i < 2; ++i) {
    AdditiveCase one(3, 4, 2, 3, 2, 5);
    one.w_q = both.w_q, one.w_k = both.w_k, one.v = both.v, one.b = both.b;
    one.q.assign(both.q.begin() + i * 6, both.q.begin() + (i + 1) * 6);
    one.k.assign(both.k.begin() + i * 12, both.k.begin() + (i + 1) * 12);
    one.values.assign(both.values.begin() + i * 8, both.values.begin() + (i + 1) * 8);
    one.dout.assign(both.dout.begin() + i * 6, both.dout.begin() + (i + 1) * 6);
    one.run();
    CHECK(same_bits(one.out, {both.out.begin() + i * 6, both.out.begin() + (i + 1) * 6}));
    CHECK(same_bits(one.dq, {both.dq.begin() + i * 6, both.dq.begin() + (i + 1) * 6}));
    for (size_t at = 0; at < sum.size(); ++at) sum[at] += one.dw_k[at];
  }
  CHECK(compare(both.dw_k, sum).absolute <= tolerance(sum));
}

TEST_CASE("additive attention: one row alone and the same row in a batch have the same bits") {
  const AdditiveCase c = AdditiveCase(5, 40, 7, 9, 3, 11).run();
  for (int64_t i = 0; i < 5; ++i) {
    AdditiveCase row(1, 40, 7, 9, 3, 11);
    row.k = c.k, row.values = c.values, row.w_q = c.w_q, row.w_k = c.w_k, row.v = c.v, row.b = c.b;
    row.q.assign(c.q.begin() + i * 7, c.q.begin() + (i + 1) * 7);
    row.run();
    CHECK(same_bits(row.out, {c.out.begin() + i * 3, c.out.begin() + (i + 1) * 3}));
    CHECK(same_bits(row.weights, {c.weights.begin() + i * 40, c.weights.begin() + (i + 1) * 40}));
  }
}

TEST_CASE("additive attention: what stands at masked keys and queries changes no bit") {
  AdditiveCase clean(6, 7, 3, 4, 5, 9);
  clean.mask = random_mask(42, 2);
  for (int64_t i = 0; i < 6; ++i) clean.mask[static_cast<size_t>(i * 7 + 4)] = 0;  // key 4
  for (int64_t j = 0; j < 7; ++j) clean.mask[static_cast<size_t>(2 * 7 + j)] = 0;  // query 2
  for (const AdditiveForm form : {AdditiveForm::kNaive, AdditiveForm::kProjected}) {
    clean.form = form;
    clean.run();
    for (const float value : {NAN, INFINITY, -INFINITY, 1e38f}) {
      AdditiveCase c = clean;
      std::fill_n(c.k.begin() + 4 * 4, 4, value);
      std::fill_n(c.values.begin() + 4 * 5, 5, value);
      std::fill_n(c.q.begin() + 2 * 3, 3, value);
      std::fill_n(c.dout.begin() + 2 * 5, 5, value);
      check_same_results(clean, c.run());
    }
    for (int64_t x = 0; x < 5; ++x) CHECK(clean.out[static_cast<size_t>(2 * 5 + x)] == 0);
    for (int64_t x = 0; x < 3; ++x) CHECK(clean.dq[static_cast<size_t>(2 * 3 + x)] == 0);
    for (int64_t x = 0; x < 4; ++x) CHECK(clean.dk[static_cast<size_t>(4 * 4 + x)] == 0);
  }
}

TEST_CASE("additive attention: a mask of all ones is no mask, bit by bit") {
  AdditiveCase plain(5, 40, 3, 4, 5, 9, 2), masked = plain;
  masked.mask.assign(2 * 5 * 40, 1);
  check_same_results(plain.run(), masked.run());
}

TEST_CASE("additive attention: unmasked NaN spreads, infinity saturates") {
  const AdditiveCase clean = AdditiveCase(3, 4, 2, 2, 2, 5).run();
  AdditiveCase c = clean;
  c.q[2] = NAN;  // query 1
  c.run();
  for (size_t i = 0; i < 6; ++i) CHECK(std::isnan(c.out[i]) == (i / 2 == 1));
  c = clean;
  c.k[0] = INFINITY;
  c.run();
  for (const float x : c.out) CHECK(std::isfinite(x));  // tanh = +-1
  c = clean;
  c.v[3] = INFINITY;
  c.run();
  for (const float x : c.out) CHECK(std::isnan(x));
  for (const float value : {0.0f, -0.0f, 1e-40f, 1e30f, -1e30f}) {
    c = clean;
    c.q.assign(c.q.size(), value);
    check_against_formula(c.run());
  }
}

TEST_CASE("additive attention: sizes of zero") {
  const AdditiveCase no_keys = AdditiveCase(3, 0, 2, 2, 4, 5).run();
  CHECK(same_bits(no_keys.out, std::vector<float>(12, 0.0f)));
  CHECK(same_bits(no_keys.dq, std::vector<float>(6, 0.0f)));
  const AdditiveCase no_queries = AdditiveCase(0, 3, 2, 2, 4, 5).run();
  CHECK(same_bits(no_queries.dk, std::vector<float>(6, 0.0f)));
  CHECK(same_bits(no_queries.dw_q, std::vector<float>(10, 0.0f)));
  AdditiveCase(2, 3, 2, 2, 4, 5, 0).run();
  const AdditiveCase no_hidden = AdditiveCase(2, 4, 2, 2, 4, 0).run();
  for (const float weight : no_hidden.weights) CHECK(weight == 0.25f);
  for (const AdditiveForm form : {AdditiveForm::kNaive, AdditiveForm::kProjected}) {
    AdditiveCase no_components(2, 4, 0, 0, 4, 5);
    no_components.form = form;
    no_components.run();
    for (const float weight : no_components.weights) CHECK(weight == 0.25f);
  }
}

TEST_CASE("additive attention: shapes that do not fit are typed errors, and nothing is written") {
  const float x[64] = {};
  const uint8_t mask[64] = {};
  float y[64];
  std::fill(y, y + 64, 3.0f);
  struct Shapes {
    Shape q{2, 3}, k{4, 2}, values{4, 5}, w_q{6, 3}, w_k{6, 2}, v{6}, b{6}, mask{2, 4}, scores{2, 4},
        weights{2, 4}, out{2, 5}, dq{2, 3}, dk{4, 2}, dvalues{4, 5}, dw_q{6, 3}, dw_k{6, 2}, dv{6}, db{6};
  };
  const auto refused = [&](const Shapes& s, bool backward, const char* argument) {
    CAPTURE(argument);
    const AdditiveParameters parameters{{x, s.w_q}, {x, s.w_k}, {x, s.v}, {x, s.b}};
    const MaskView mask_view(mask, s.mask);
    Arena scratch(1000);
    const ShapeError error = thrown_by<ShapeError>([&] {
      if (backward) {
        additive_attention_backward({x, s.q}, {x, s.k}, {x, s.values}, parameters, mask_view, {x, s.weights},
                                    {x, s.out}, {y, s.scores}, {y, s.dq}, {y, s.dk}, {y, s.dvalues},
                                    {{y, s.dw_q}, {y, s.dw_k}, {y, s.dv}, {y, s.db}}, scratch);
      } else {
        additive_attention_forward(AdditiveForm::kProjected, {x, s.q}, {x, s.k}, {x, s.values}, parameters,
                                   mask_view, {y, s.scores}, {y, s.weights}, {y, s.out}, scratch);
      }
    });
    CHECK(error.op == (backward ? "additive_attention_backward" : "additive_attention"));
    CHECK(error.argument == argument);
    for (const float value : y) CHECK(value == 3.0f);
  };
  Shapes s;
  for (const bool backward : {false, true}) {
    refused((s = {}, s.q = {3}, s), backward, "q");
    refused((s = {}, s.k = {2, 4, 2}, s), backward, "k");
    refused((s = {}, s.q = {2, 2, 3}, s.k = {1, 4, 2}, s), backward, "k");  // no grouped heads here
    refused((s = {}, s.values = {3, 5}, s), backward, "values");
    refused((s = {}, s.w_q = {6, 2}, s), backward, "w_q");
    refused((s = {}, s.w_k = {5, 2}, s), backward, "w_k");
    refused((s = {}, s.v = {6, 1}, s), backward, "v");
    refused((s = {}, s.b = {5}, s), backward, "b");
    refused((s = {}, s.mask = {3, 4}, s), backward, "mask");
    refused((s = {}, s.weights = {4, 2}, s), backward, "weights");
  }
  refused((s = {}, s.scores = {8}, s), false, "scores");
  refused((s = {}, s.out = {2, 4}, s), false, "out");
  refused((s = {}, s.out = {2, 4}, s), true, "dout");
  refused((s = {}, s.scores = {8}, s), true, "dscores");
  refused((s = {}, s.dq = {3, 2}, s), true, "dq");
  refused((s = {}, s.dk = {2, 4}, s), true, "dk");
  refused((s = {}, s.dvalues = {5, 4}, s), true, "dvalues");
  refused((s = {}, s.dw_q = {3, 6}, s), true, "dw_q");
  refused((s = {}, s.dw_k = {2, 6}, s), true, "dw_k");
  refused((s = {}, s.dv = {5}, s), true, "dv");
  refused((s = {}, s.db = {5}, s), true, "db");
}

TEST_CASE("additive attention: without a batch it takes the room of a batch of one") {
  const std::vector<float> v(5);
  const AdditiveParameters parameters{{}, {}, {v.data(), {5}}, {}};
  const auto room = [&](const Shape& q, const Shape& k) {
    return additive_attention_scratch({nullptr, q}, {nullptr, k}, parameters);
  };
  CHECK(room({40, 3}, {70, 3}) == room({1, 40, 3}, {1, 70, 3}));
  CHECK(room({3}, {3}) == room({1, 3}, {1, 3}));  // which the call refuses
}

TEST_CASE("additive attention: an arena too small is refused before anything is written") {
  AdditiveCase c(2, 3, 2, 2, 2, 5);
  std::vector<float> scores(6, 3.0f), weights(6, 3.0f), out(4, 3.0f);
  const AdditiveParameters parameters{
      {c.w_q.data(), {5, 2}}, {c.w_k.data(), {5, 2}}, {c.v.data(), {5}}, {c.b.data(), {5}}};
  Arena scratch(12);
  CHECK_THROWS_AS(
      additive_attention_forward(AdditiveForm::kProjected, {c.q.data(), {2, 2}}, {c.k.data(), {3, 2}},
                                 {c.values.data(), {3, 2}}, parameters, {}, {scores.data(), {2, 3}},
                                 {weights.data(), {2, 3}}, {out.data(), {2, 2}}, scratch),
      OutOfMemory);
  for (const std::vector<float>* x : {&scores, &weights, &out}) {
    CHECK(*x == std::vector<float>(x->size(), 3.0f));
  }
}
