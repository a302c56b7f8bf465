// Attention with every option: the explainable and the tiled form, forward and backward, against a reference
// in double; no key that no query sees changes a bit; what does not fit is refused by both forms, and nothing
// is written.
#include <algorithm>
#include <cmath>

#include "fuzz/fuzz.h"
#include "kernels/attention/tiled_attention.h"
#include "reference/attention_case.h"
#include "reference/compare.h"
#include "reference/tiled_gradient.h"

namespace sqrtdk::fuzz {
namespace {

using reference::AttentionCase;
using reference::Draws;
using reference::widen;

// Sizes with every tail, and now and then of more than one tile.
int64_t size_of(Choices& choices) {
  return choices.one_in(64) ? choices.between(1, 70) : choices.between(1, 6);
}

/// A shape that broadcasts to the scores'.
Shape broadcasting(Choices& choices, const Shape& scores) {
  const auto rank = static_cast<int>(choices.between(1, 4));
  int64_t dims[4];
  for (int i = 0; i < rank; ++i) dims[i] = choices.ConsumeBool() ? 1 : scores[4 - rank + i];
  return {dims, rank};
}

AttentionCase case_of(Choices& choices) {
  int64_t group = choices.between(1, 3), kv_heads = choices.between(1, 2);
  const int64_t n_q = size_of(choices), n_k = size_of(choices), d_k = size_of(choices),
                d_v = size_of(choices);
  int64_t batch = choices.between(1, 2);
  // Several heads of several tiles each would take most of the time, and show no more than one does.
  if (n_q * n_k * (d_k + d_v) > 1 << 13) batch = group = kv_heads = 1;
  AttentionCase c(n_q, n_k, d_k, d_v, batch, choices.between(0, 1 << 20), group * kv_heads, kv_heads);
  Draws draws(choices.between(0, 1 << 20));
  if (choices.ConsumeBool()) c.scale = static_cast<float>(choices.between(-12, 12)) / 8;
  if (choices.one_in(4)) {
    for (int64_t h = 0; h < c.heads; ++h)
      c.head_scales.push_back(static_cast<float>(choices.between(-4, 4)) / 4);
  }
  if (choices.one_in(3)) c.softcap = static_cast<float>(choices.between(1, 64)) / 8;
  c.causal = choices.one_of({Causal::kNo, Causal::kTopLeft, Causal::kBottomRight});
  if (c.causal == Causal::kTopLeft) c.n_past = choices.between(0, 3);
  if (choices.ConsumeBool()) {
    c.mask_shape = broadcasting(choices, c.scores_shape());
    for (int64_t i = 0; i < c.mask_shape->size(); ++i) c.mask.push_back(draws.uniform() < 0.6 ? 255 : 0);
  }
  if (choices.one_in(3)) {
    c.bias_shape = broadcasting(choices, c.scores_shape());
    c.bias = draws.normals(c.bias_shape->size());
    for (float& bias : c.bias) bias = draws.uniform() < 0.2 ? -INFINITY : bias;
  }
  if (choices.one_in(3)) {
    const int64_t count = choices.ConsumeBool() ? c.batch : c.batch * c.heads;
    for (int64_t i = 0; i < count; ++i) c.lengths.push_back(static_cast<int32_t>(choices.between(0, n_k)));
  }
  return c;
}

constexpr double kRounding = 64 * 0x1p-24;  // of sums of up to 70 terms

/// The largest sum of the sizes of a score's terms: what a score is off is proportional to it, also where the
/// terms cancel or a softcap makes the score itself small.
double largest_terms(reference::AttentionProblem p) {
  for (double& x : p.q) x = std::fabs(x);
  for (double& x : p.k) x = std::fabs(x);
  double largest = 0;
  reference::each_unmasked(p, [&](int64_t b, int64_t i, int64_t j) {
    const double bias = p.bias.empty() ? 0 : std::fabs(p.bias[p.at(b, i, j)]);
    const double terms = std::fabs(reference::scaled_product(p, b, i, j)) + bias;
    if (std::isfinite(terms)) largest = std::max(largest, terms);
  });
  return largest;
}

/// Errors of a score become relative ones of a weight; sums of d_k or n_k terms add a little.
bool near(const std::vector<float>& got, const std::vector<double>& exact, double terms) {
  double size = 1;
  for (const double x : exact) {
    if (std::isfinite(x)) size = std::max(size, std::fabs(x));
  }
  return reference::compare(got, exact).absolute <= kRounding * size * (1 + terms);
}

/// NaN in the rows of k and v that nobody attends to.
void poison(AttentionCase& c) {
  const int64_t group = c.heads / c.kv_heads;
  for (int64_t b = 0; b < c.batch * c.kv_heads; ++b) {
    for (int64_t j = 0; j < c.n_k; ++j) {
      bool seen = false;
      for (int64_t head = b * group; head < (b + 1) * group; ++head) {
        for (int64_t i = 0; i < c.n_q; ++i) seen = seen || c.unmasked(head, i, j);
      }
      if (seen) continue;
      std::fill_n(c.k.begin() + (b * c.n_k + j) * c.d_k, c.d_k, NAN);
      std::fill_n(c.v.begin() + (b * c.n_k + j) * c.d_v, c.d_v, INFINITY);
    }
  }
}

void check_case(AttentionCase c) {
  const reference::AttentionProblem problem = c.problem();
  const reference::AttentionValues exact = reference::attention(problem);
  const reference::AttentionGradients gradients =
      reference::attention_gradients(problem, exact.weights, widen(c.dout));
  const double terms = largest_terms(problem);
  // A softcap's derivative changes within the softcap, and what the product is off moves it so much further.
  const double steep = terms + (c.softcap > 0 ? 1 / static_cast<double>(c.softcap) : 0);
  c.run();
  CHECK(reference::compare(c.scores, exact.scores).absolute <= kRounding * (1 + terms));
  CHECK(near(c.weights, exact.weights, terms));
  CHECK(near(c.out, exact.out, terms));
  CHECK(near(c.dscores, gradients.dscores, steep));
  CHECK(near(c.dq, gradients.dq, steep));
  CHECK(near(c.dk, gradients.dk, steep));
  CHECK(near(c.dv, gradients.dv, terms));
  const reference::TiledGradient tiled = reference::tiled_gradient(c);
  CHECK(near(tiled.out, exact.out, terms));
  CHECK(near(tiled.dq, gradients.dq, steep));
  CHECK(near(tiled.dk, gradients.dk, steep));
  CHECK(near(tiled.dv, gradients.dv, terms));

  AttentionCase poisoned = c;
  poison(poisoned);
  poisoned.run();
  CHECK(reference::same_bits(poisoned.out, c.out));
  CHECK(reference::same_bits(poisoned.weights, c.weights));
  CHECK(reference::same_bits(poisoned.dq, c.dq));
  CHECK(reference::same_bits(poisoned.dk, c.dk));
  CHECK(reference::same_bits(poisoned.dv, c.dv));
  const reference::TiledGradient other = reference::tiled_gradient(poisoned);
  CHECK(reference::same_bits(other.out, tiled.out));
  CHECK(reference::same_gradients(other, tiled));
}

Shape any_shape(Choices& choices, int64_t lowest_rank) {
  const auto rank = static_cast<int>(choices.between(lowest_rank, 4));
  int64_t dims[4];
  for (int i = 0; i < rank; ++i) dims[i] = choices.between(0, 3);
  return {dims, rank};
}

/// Operands of any shapes and an output of the shape that fits q: both forms take them, or neither does.
void check_refusal(Choices& choices) {
  const Shape shape = any_shape(choices, 2);
  const auto with = [&](const Shape& other) { return choices.one_in(8) ? any_shape(choices, 0) : other; };
  const Shape q_shape = with(shape), k_shape = with(shape), v_shape = with(shape);
  const auto memory = [](const Shape& s) { return Draws(1).normals(s.size()); };
  const std::vector<float> q = memory(q_shape), k = memory(k_shape), v = memory(v_shape);
  const int64_t n_k = k_shape.rank() < 2 ? 1 : k_shape[-2], d_v = v_shape.rank() < 1 ? 1 : v_shape[-1];
  const Shape q2 = q_shape.rank() < 2 ? Shape{1, 1} : q_shape;
  const Shape scores_shape = with(q2.with_last(q2[-2], n_k)), out_shape = with(q2.with_last(q2[-2], d_v));
  AttentionOptions options;
  options.causal = choices.one_of({Causal::kNo, Causal::kTopLeft, Causal::kBottomRight});
  options.n_past = choices.one_of<int64_t>({0, 1, -1, INT64_MAX, INT64_MIN});
  options.scale = choices.one_of<float>({1, 0, NAN, INFINITY});
  options.softcap = choices.one_of<float>({0, 1, -1, NAN, INFINITY});
  const Shape mask_shape = any_shape(choices, 0), bias_shape = any_shape(choices, 0),
              lengths_shape = any_shape(choices, 0);
  const std::vector<uint8_t> mask(static_cast<size_t>(mask_shape.size()), 1);
  const std::vector<float> bias = memory(bias_shape),
                           head_scales(static_cast<size_t>(choices.between(0, 3)), 1.0f);
  const std::vector<int32_t> lengths(static_cast<size_t>(lengths_shape.size()),
                                     static_cast<int32_t>(choices.between(-1, 4)));
  if (choices.one_in(4)) options.mask = {mask.data(), mask_shape};
  if (choices.one_in(4)) options.bias = {bias.data(), bias_shape};
  if (choices.one_in(4)) options.lengths = {lengths.data(), lengths_shape};
  if (choices.one_in(4)) options.head_scales = head_scales;

  std::vector<float> scores(static_cast<size_t>(scores_shape.size()), 7.0f), weights = scores;
  std::vector<float> out(static_cast<size_t>(out_shape.size()), 7.0f), tiled = out;
  const ConstView q_view(q.data(), q_shape), k_view(k.data(), k_shape), v_view(v.data(), v_shape);
  const auto untouched = [](const std::vector<float>& x) {
    return std::all_of(x.begin(), x.end(), [](float value) { return value == 7.0f; });
  };
  const bool explainable_refused = refused([&] {
    attention_forward(q_view, k_view, v_view, options, {scores.data(), scores_shape},
                      {weights.data(), scores_shape}, {out.data(), out_shape});
  });
  if (explainable_refused) {
    CHECK(untouched(scores));
    CHECK(untouched(weights));
    CHECK(untouched(out));
  }
  const bool tiled_refused = refused([&] {
    Arena scratch(tiled_attention_forward_scratch(q_view, k_view, v_view));
    tiled_attention_forward(q_view, k_view, v_view, options, {tiled.data(), out_shape}, {}, scratch);
  });
  if (tiled_refused) CHECK(untouched(tiled));
  const Shape expected = q2.with_last(q2[-2], n_k);
  if (scores_shape == expected) CHECK(explainable_refused == tiled_refused);
}

}  // namespace

void run(Bytes input) {
  Choices choices(input);
  if (choices.one_in(4)) {
    check_refusal(choices);
  } else {
    check_case(case_of(choices));
  }
}

}  // namespace sqrtdk::fuzz
