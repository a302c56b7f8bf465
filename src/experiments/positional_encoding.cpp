// Attention by itself does not know the order of its input. Sinusoidal positions are added to the tokens,
// rotary ones turn queries and keys; what two positions have in common depends on their distance alone.
#include "layers/positional_encoding.h"

#include <algorithm>
#include <cmath>

#include "base/decimal.h"
#include "experiments/registry.h"
#include "kernels/product/matmul.h"
#include "kernels/rotary.h"
#include "lab/common_params.h"
#include "lab/heat_map.h"
#include "lab/token_rows.h"
#include "lab/work.h"
#include "layers/initialize.h"
#include "layers/multi_head_attention.h"
#include "simd/double_math.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "positional_encoding";
constexpr double kTwoPi = 6.283185307179586;
constexpr double kRounding = 1e-5;  // of what only the order of summation changes

double as_double(int64_t x) { return static_cast<double>(x); }

/// The angle by which pair i turns from one position to the next.
double frequency(double base, int64_t pair, int64_t d) {
  return simd::exp(-2 * as_double(pair) / as_double(d) * simd::log(base));
}

/// Numbers of all pairs of positions, by the offset of the second from the first.
struct ByOffset {
  std::vector<double> offset, mean, least, most;
  double spread() const {  // the largest range at one offset
    double largest = 0;
    for (size_t i = 0; i < mean.size(); ++i) largest = std::max(largest, most[i] - least[i]);
    return largest;
  }
};

ByOffset by_offset(const Tensor& products, double factor, int64_t first_offset) {
  const int64_t n = products.shape[0];
  ByOffset result;
  for (int64_t offset = first_offset; offset < n; ++offset) {
    double sum = 0, least = HUGE_VAL, most = -HUGE_VAL;
    const int64_t begin = std::max<int64_t>(0, -offset), end = std::min(n, n - offset);
    for (int64_t i = begin; i < end; ++i) {
      const double x = factor * static_cast<double>(products.values[static_cast<size_t>(i * n + i + offset)]);
      sum += x;
      least = std::min(least, x);
      most = std::max(most, x);
    }
    result.offset.push_back(as_double(offset));
    result.mean.push_back(sum / as_double(end - begin));
    result.least.push_back(least);
    result.most.push_back(most);
  }
  return result;
}

Tensor products_of(const Tensor& a, const Tensor& b) {
  Tensor products({a.shape[0], b.shape[0]});
  matmul(a.view(), Transpose::kNo, b.view(), Transpose::kYes, products.view());
  return products;
}

Figure encoding_figure(const Tensor& encoding) {
  Figure figure =
      heat_map("encoding", {}, encoding.view(), {.x = "dimension", .y = "position", .z = "encoding"});
  figure.y_max = 1;
  return figure;
}

Figure wavelength_figure(double base, int64_t n, int64_t d) {
  Series wavelength{.name = "wavelength"}, positions{.name = "positions", .role = Role::kReference};
  for (int64_t pair = 0; pair < d / 2; ++pair) {
    wavelength.add(2 * pair, kTwoPi / frequency(base, pair, d));
    positions.add(2 * pair, n);
  }
  return {.name = "wavelengths",
          .at = {},
          .x = "dimension",
          .y = "wavelength",
          .log_y = true,
          .series = {wavelength, positions}};
}

Figure offset_figure(const char* name, const char* x, const char* y, const ByOffset& measured,
                     const std::vector<double>& expected) {
  return {.name = name,
          .at = {},
          .x = x,
          .y = y,
          .series = {{.name = "measured", .x = measured.offset, .y = measured.mean},
                     {.name = "expected", .role = Role::kReference, .x = measured.offset, .y = expected}}};
}

/// PE_p · PE_(p+k) = sum over the pairs of cos(frequency k).
bool add_dot_products(Result& result, const Tensor& encoding, double base) {
  const int64_t d = encoding.shape[1];
  const ByOffset measured = by_offset(products_of(encoding, encoding), 1, 0);
  std::vector<double> expected;
  double error = 0;
  for (size_t i = 0; i < measured.offset.size(); ++i) {
    double sum = 0;
    for (int64_t pair = 0; pair < d / 2; ++pair)
      sum += simd::sincos(measured.offset[i] * frequency(base, pair, d)).cos;
    expected.push_back(sum);
    error = std::max(error, std::fabs(measured.mean[i] - sum));
  }
  result.add(offset_figure("dot_over_distance", "distance", "dot_product", measured, expected));
  result.add("dot_spread", {}, measured.spread(), 0);
  return measured.spread() <= 1e-6 * as_double(d) && error <= 1e-6 * as_double(d);
}

/// One query and one key put at every position: q turned by m times the frequencies, k by n times, have the
/// product sum of (q_a k_a + q_b k_b) cos + (q_b k_a - q_a k_b) sin of frequency (n - m). With sinusoidal
/// positions added instead, scores of one offset differ.
bool add_turned_products(Result& result, const Tensor& encoding, double base, uint64_t seed) {
  const int64_t n = encoding.shape[0], d = encoding.shape[1];
  const Tensor vectors = normal_tokens(seed, 1, {2, d});
  Tensor q({n, d}), k({n, d}), cos({n, d / 2}), sin({n, d / 2});
  for (int64_t i = 0; i < n * d; ++i) {
    q.values[static_cast<size_t>(i)] = vectors.values[static_cast<size_t>(i % d)];
    k.values[static_cast<size_t>(i)] = vectors.values[static_cast<size_t>(d + i % d)];
  }
  Tensor added_q = q, added_k = k;
  add_positions(encoding.view(), 0, added_q.view());
  add_positions(encoding.view(), 0, added_k.view());
  rotary_table(base, cos.view(), sin.view());
  for (Tensor* x : {&q, &k})
    rotary_forward(x->view(), cos.view(), sin.view(), {}, RotaryPairs::kHalves, x->view());

  const double scale = 1 / std::sqrt(as_double(d));
  const ByOffset turned = by_offset(products_of(q, k), scale, 1 - n);
  const ByOffset added = by_offset(products_of(added_q, added_k), scale, 1 - n);
  std::vector<double> expected;
  double error = 0;
  for (size_t i = 0; i < turned.offset.size(); ++i) {
    double sum = 0;
    for (int64_t pair = 0; pair < d / 2; ++pair) {
      const simd::SinCosF64 angle = simd::sincos(turned.offset[i] * frequency(base, pair, d));
      const float* a = vectors.values.data() + pair;
      const double q_a = static_cast<double>(a[0]), q_b = static_cast<double>(a[d / 2]);
      const double k_a = static_cast<double>(a[d]), k_b = static_cast<double>(a[d + d / 2]);
      sum += (q_a * k_a + q_b * k_b) * angle.cos + (q_b * k_a - q_a * k_b) * angle.sin;
    }
    expected.push_back(scale * sum);
    error = std::max(error, std::fabs(turned.mean[i] - expected.back()));
  }
  result.add(offset_figure("rotary_over_offset", "offset", "score", turned, expected));
  result.add("score_spread", {{"positions", "sinusoidal"}}, added.spread());
  result.add("score_spread", {{"positions", "rotary"}}, turned.spread(), 0);
  return turned.spread() <= 1e-6 * as_double(d) && error <= 1e-6 * as_double(d);
}

/// Self-attention with one head, and what permuting its input does to its output.
class PermutedAttention {
 public:
  PermutedAttention(int64_t d, double rotary_base, uint64_t seed)
      : attention_(parameters_, "attention", {.d_model = d, .n_heads = 1, .rotary_base = rotary_base}) {
    parameters_.allocate();
    initialize(parameters_, {}, seed);
  }
  Tensor run(const Tensor& query, const Tensor& key, Causal causal = Causal::kNo) {
    AttentionOptions options;
    options.causal = causal;
    return copied(attention_.forward(query.view(), key.view(), key.view(), options, true, cache_, {}));
  }

 private:
  Parameters parameters_;
  Cache cache_;
  MultiHeadAttention attention_;
};

constexpr int kPermutations = 7;  // that add_permuted compares

/// One comparison: two outputs of as many tokens, at most.
double attention_work(int64_t n, int64_t d) { return product_work(2 * n * (4 * d * d + 2 * n * d)); }

/// The four matrices of one PermutedAttention.
double matrices_work(int64_t d) { return weight_work(4 * d * d); }

/// The numbers of the heat map as text, of which the result is made: each takes as long as many draws.
double written_work(int64_t n, int64_t d) { return 40 * as_double(n * d); }

/// How far the output of permuted tokens is from the permuted output of the tokens.
bool add_permuted(Result& result, const Tensor& tokens, double base, uint64_t seed, ProgressMeter& meter) {
  const int64_t n = tokens.shape[1], d = tokens.shape[2];
  const std::vector<int64_t> order = random_cycle(seed, n);
  const Tensor permuted = permuted_rows(tokens.view(), order);
  const auto change = [&](const char* positions, const char* what, const Tensor& expected, const Tensor& got,
                          double theory = kNone) {
    const double difference = relative_difference(expected.view(), got.view());
    result.add("permuted_change", {{"positions", positions}, {"permuted", what}}, difference, theory);
    meter.add(attention_work(n, d));
    return difference;
  };

  PermutedAttention plain(d, 0, seed);
  meter.add(matrices_work(d));
  const Tensor out = plain.run(tokens, tokens), permuted_out = permuted_rows(out.view(), order);
  const Tensor by_queries = plain.run(permuted, tokens);
  const int64_t different = n_different(permuted_out.view(), by_queries.view());
  change("none", "queries", permuted_out, by_queries, 0);
  result.add("different_elements", {{"positions", "none"}, {"permuted", "queries"}}, as_double(different), 0);
  bool invisible = different == 0;
  invisible &= change("none", "keys", out, plain.run(tokens, permuted), 0) <= kRounding;
  invisible &= change("none", "both", permuted_out, plain.run(permuted, permuted), 0) <= kRounding;

  bool visible = true;
  const auto see = [&](const char* positions, const Tensor& before, const Tensor& after) {
    const double difference = change(positions, "both", permuted_rows(before.view(), order), after);
    visible = visible && difference > 100 * kRounding;
  };
  Tensor encoding({n, d}), first = tokens, second = permuted;
  sinusoidal_encoding(encoding.view(), base);
  add_positions(encoding.view(), 0, first.view());
  add_positions(encoding.view(), 0, second.view());
  see("sinusoidal", plain.run(first, first), plain.run(second, second));
  const Tensor moved = permuted_rows(first.view(), order);
  invisible &= change("sinusoidal", "with_positions", permuted_rows(plain.run(first, first).view(), order),
                      plain.run(moved, moved), 0) <= kRounding;
  PermutedAttention turning(d, base, seed);
  meter.add(matrices_work(d));
  see("rotary", turning.run(tokens, tokens), turning.run(permuted, permuted));
  see("causal", plain.run(tokens, tokens, Causal::kTopLeft), plain.run(permuted, permuted, Causal::kTopLeft));
  return invisible && visible;
}

Result run(const Params& params, ProgressMeter& meter) {
  const int64_t n = params.integer("n_positions"), d = params.integer("d_model");
  const int64_t n_tokens = params.integer("n");
  const double base = params.real("base");
  const uint64_t seed = params.seed("seed");
  if (d % 2 != 0) {
    throw ValueError(ErrorCode::kOutOfRange, kId, "d_model", "an even number", to_text(d));
  }
  // A frequency and its sine: of the encoding, of each distance, and of each offset to either side.
  const double encoding_work = function_work(n * d), pairs_work = product_work(n * n * d);
  const double tokens_work = attention_work(n_tokens, d);
  meter.begin(4 * encoding_work + 3 * pairs_work + kPermutations * tokens_work + 2 * matrices_work(d) +
              written_work(n, d));
  Result result;
  Tensor encoding({n, d});
  sinusoidal_encoding(encoding.view(), base);
  meter.add(encoding_work + written_work(n, d));
  result.figures = {encoding_figure(encoding), wavelength_figure(base, n, d)};
  const std::vector<double>& wavelengths = result.figures[1].series[0].y;
  result.add("wavelength_shortest", {}, wavelengths.front());
  result.add("wavelength_longest", {}, wavelengths.back());
  const auto longer = std::count_if(wavelengths.begin(), wavelengths.end(),
                                    [&](double length) { return length > as_double(n); });
  result.add("share_longer_than_text", {}, as_double(longer) / as_double(d / 2));

  const bool by_distance = add_dot_products(result, encoding, base);
  meter.add(encoding_work + pairs_work);
  const bool by_difference = add_turned_products(result, encoding, base, seed);
  meter.add(2 * (encoding_work + pairs_work));
  const bool permuted = add_permuted(result, normal_tokens(seed, 0, {1, n_tokens, d}), base, seed, meter);

  const bool agree = by_distance && by_difference && (permuted || n_tokens == 1);
  if (agree && n_tokens == 1) {
    result.cannot_be_judged("nothing_permuted");
  } else {
    result.judge(agree, "order_needs_positions", "positions_differ");
  }
  return result;
}

constexpr Param kParams[] = {int_param("n_positions", "100", 1, 256), int_param("d_model", "512", 2, 1024),
                             real_param("base", "10000", 1, 1e6), int_param("n", "10", 1, 64), kSeedParam};

}  // namespace

const Experiment positional_encoding = {
    .id = kId,
    .question = "How does attention, blind to order, learn where a token stands?",
    .source = "article 5, section 1.6: positional encoding",
    .group = Group::kRest,
    .chapter = 14,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"order_needs_positions", "positions_differ", "nothing_permuted"},
              .scalars = {"wavelength_shortest", "wavelength_longest", "share_longer_than_text", "dot_spread",
                          "score_spread", "permuted_change", "different_elements"},
              .labels = {"positions", "permuted"},
              .figures = {"encoding", "wavelengths", "dot_over_distance", "rotary_over_offset"},
              .axes = {"dimension", "position", "encoding", "wavelength", "distance", "dot_product", "offset",
                       "score"},
              .series = {"wavelength", "positions", "measured", "expected"},
              .values = {"sinusoidal", "rotary", "none", "queries", "keys", "both", "with_positions",
                         "causal"}},
};

}  // namespace sqrtdk::experiments
