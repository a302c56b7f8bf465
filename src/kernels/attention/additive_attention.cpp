#include "kernels/attention/additive_attention.h"

#include <algorithm>
#include <limits>

#include "kernels/attention/masked_products.h"
#include "kernels/product/matmul.h"
#include "simd/tanh.h"

namespace sqrtdk {
namespace {

using namespace simd;

constexpr float kMasked = -std::numeric_limits<float>::infinity();

AttentionCall pairs_of(const char* op, const ConstView& q, const ConstView& k, const ConstView& values,
                       const MaskView& mask) {
  check_rank(op, "q", q.shape, 2, "(.., n_q, d_q)");
  check_rank(op, "k", k.shape, 2, "(.., n_k, d_k)");
  const Shape k_shape = q.shape.with_last(k.shape[-2], k.shape[-1]);
  check_shape(op, "k", k.shape, k_shape);
  check_rank(op, "values", values.shape, 2, "(.., n_k, d_v)");
  check_shape(op, "values", values.shape, k_shape.with_last(k.shape[-2], values.shape[-1]));
  AttentionOptions options;
  options.mask = mask;
  // No components: what makes the scores here is no dot product.
  return AttentionCall(op, {q.data, q.shape.with_last(q.shape[-2], 0)},
                       {k.data, k.shape.with_last(k.shape[-2], 0)}, values, options);
}

// A call, its shapes checked.
struct AdditiveCall {
  AdditiveCall(const char* op, const ConstView& q, const ConstView& k, const ConstView& values,
               const AdditiveParameters& p, const MaskView& mask)
      : parameters(p), attention(pairs_of(op, q, k, values, mask)) {
    d_q = q.shape[-1], d_k = k.shape[-1];
    check_rank(op, "v", p.v.shape, 1, "(d_hidden,)");
    d_hidden = p.v.shape[0];
    check_shape(op, "v", p.v.shape, {d_hidden});
    check_shape(op, "w_q", p.w_q.shape, {d_hidden, d_q});
    check_shape(op, "w_k", p.w_k.shape, {d_hidden, d_k});
    if (p.b) check_shape(op, "b", p.b.shape, {d_hidden});
  }

  AdditiveParameters parameters;
  int64_t d_q, d_k, d_hidden;
  AttentionCall attention;  // of the same pairs and values

  // w_q q + b of n queries, w_k k of n keys: [n, d_hidden].
  void project_queries(const float* q, int64_t n, float* out) const {
    matmul({q, {n, d_q}}, Transpose::kNo, parameters.w_q, Transpose::kYes, {out, {n, d_hidden}},
           Write::kOverwrite, parameters.b);
  }
  void project_keys(const float* k, int64_t n, float* out) const {
    matmul({k, {n, d_k}}, Transpose::kNo, parameters.w_k, Transpose::kYes, {out, {n, d_hidden}});
  }
};

// ---- Forward

// v · tanh(a + b), of d components
float energy(const float* a, const float* b, const float* v, int64_t d) {
  f32x4 sums = zero();
  int64_t c = 0;
  for (; c + 4 <= d; c += 4) {
    sums = sums + load(v + c) * simd::tanh(load(a + c) + load(b + c));
  }
  if (c < d) {
    const int64_t n = d - c;
    const f32x4 pre = load_first(a + c, n, zero()) + load_first(b + c, n, zero());
    sums = sums + (load_first(v + c, n, zero()) * simd::tanh(pre));
  }
  return sum(sums);
}

// Scores of the unmasked pairs; the others hold anything.
void projected_scores(const AdditiveCall& call, const ConstView& q, const ConstView& k, const View& scores,
                      Arena& scratch) {
  const AttentionCall& pairs = call.attention;
  const int64_t n_q = pairs.n_q, n_k = pairs.n_k, d = call.d_hidden;
  float* from_q = scratch.floats(n_q * d);
  float* from_k = scratch.floats(n_k * d);
  for (int64_t head = 0; head < pairs.heads; ++head) {
    const HeadMask mask = pairs.mask_of(head);
    call.project_queries(q.data + head * n_q * call.d_q, n_q, from_q);
    call.project_keys(k.data + head * n_k * call.d_k, n_k, from_k);
    for (int64_t i = 0; i < n_q; ++i) {
      float* row = scores.data + (head * n_q + i) * n_k;
      for (int64_t j = 0; j < n_k; ++j) {
        if (mask.unmasked(i, j)) row[j] = energy(from_q + i * d, from_k + j * d, call.parameters.v.data, d);
      }
    }
  }
}

void naive_scores(const AdditiveCall& call, const ConstView& q, const ConstView& k, const View& scores,
                  Arena& scratch) {
  const AttentionCall& pairs = call.attention;
  const int64_t n_q = pairs.n_q, n_k = pairs.n_k, d = call.d_hidden;
  float* from_q = scratch.floats(d);
  float* from_k = scratch.floats(d);
  for (int64_t head = 0; head < pairs.heads; ++head) {
    const HeadMask mask = pairs.mask_of(head);
    for (int64_t i = 0; i < n_q; ++i) {
      float* row = scores.data + (head * n_q + i) * n_k;
      for (int64_t j = 0; j < n_k; ++j) {
        if (!mask.unmasked(i, j)) continue;
        call.project_queries(q.data + (head * n_q + i) * call.d_q, 1, from_q);
        call.project_keys(k.data + (head * n_k + j) * call.d_k, 1, from_k);
        row[j] = energy(from_q, from_k, call.parameters.v.data, d);
      }
    }
  }
}

}  // namespace

int64_t additive_attention_scratch(const ConstView& q, const ConstView& k,
                                   const AdditiveParameters& parameters) {
  const int64_t n_q = q.shape.rank() < 2 ? 0 : q.shape[-2], n_k = k.shape.rank() < 2 ? 0 : k.shape[-2];
  const int64_t d_hidden = parameters.v.shape.size();
  return 2 * (Arena::padded(std::max<int64_t>(n_q, 1) * d_hidden) +
              Arena::padded(std::max<int64_t>(n_k, 1) * d_hidden));
}

void additive_attention_forward(AdditiveForm form, const ConstView& q, const ConstView& k,
                                const ConstView& values, const AdditiveParameters& parameters,
                                const MaskView& mask, const View& scores, const View& weights,
                                const View& out, Arena& scratch) {
  const char* op = "additive_attention";
  const AdditiveCall call(op, q, k, values, parameters, mask);
  check_shape(op, "scores", scores.shape, call.attention.scores);
  check_shape(op, "weights", weights.shape, call.attention.scores);
  check_shape(op, "out", out.shape, call.attention.out);

  const auto write_scores = form == AdditiveForm::kNaive ? naive_scores : projected_scores;
  write_scores(call, q, k, scores, scratch);
  set_masked(call.attention, scores.data, kMasked);
  softmax_unmasked_keys(call.attention, scores.data, weights.data);
  sum_unmasked_keys(call.attention, weights.data, values.data, call.attention.d_v, out.data);
}

// ---- Backward

namespace {

// Pairs are taken by tiles of kSumBlock queries and keys, so that every sum over them is one of short blocks.
constexpr int64_t kTile = kSumBlock;

struct Pair {
  int64_t query, key;  // in the tile
  float dscore;
};

struct Tile {
  const float *from_q, *from_k;  // [.., d_hidden]: the projections of its queries and keys
  float *dfrom_q, *dfrom_k;      // of the same shapes; gradients are added to them
  int64_t n_q, n_k;
  const Pair* pairs;  // the unmasked ones
  int64_t n_pairs;
};

void add_first(float* out, f32x4 x, int64_t n) {
  if (n == 4) return store(out, load(out) + x);
  store_first(out, n, load_first(out, n, zero()) + x);
}

// score = v · t with t = tanh(from_q + from_k), so dv = dscore t and, as tanh' = 1 - tanh²,
// dfrom_q = dfrom_k = dscore v (1 - t²). For the components c .. c + n, n <= 4.
void add_components(const Tile& tile, const float* v, int64_t d, int64_t c, int64_t n, float* dv) {
  const auto load_lanes = [n](const float* x) { return load_first(x, n, zero()); };
  f32x4 of_queries[kTile], of_keys[kTile], of_v = zero();
  std::fill(of_queries, of_queries + kTile, zero());
  std::fill(of_keys, of_keys + kTile, zero());
  const f32x4 vs = load_lanes(v + c), one = splat(1.0f);
  for (int64_t i = 0; i < tile.n_pairs; ++i) {
    const Pair& pair = tile.pairs[i];
    const f32x4 dscore = splat(pair.dscore);
    const f32x4 t =
        simd::tanh(load_lanes(tile.from_q + pair.query * d + c) + load_lanes(tile.from_k + pair.key * d + c));
    const f32x4 dpre = dscore * (vs * (one - t * t));
    of_queries[pair.query] = of_queries[pair.query] + dpre;
    of_keys[pair.key] = of_keys[pair.key] + dpre;
    of_v = of_v + dscore * t;
  }
  for (int64_t i = 0; i < tile.n_q; ++i) add_first(tile.dfrom_q + i * d + c, of_queries[i], n);
  for (int64_t j = 0; j < tile.n_k; ++j) add_first(tile.dfrom_k + j * d + c, of_keys[j], n);
  add_first(dv + c, of_v, n);
}

// Adds the gradients of one head. dscores: [n_q, n_k]; `all` is the whole head as a tile without pairs.
void add_pairs(const Tile& all, const HeadMask& mask, const float* dscores, const float* v, int64_t d,
               float* dv) {
  for (int64_t i = 0; i < all.n_q; i += kTile) {
    for (int64_t j = 0; j < all.n_k; j += kTile) {
      Pair pairs[kTile * kTile];
      Tile tile{all.from_q + i * d,
                all.from_k + j * d,
                all.dfrom_q + i * d,
                all.dfrom_k + j * d,
                std::min(kTile, all.n_q - i),
                std::min(kTile, all.n_k - j),
                pairs,
                0};
      for (int64_t query = 0; query < tile.n_q; ++query) {
        for (int64_t key = 0; key < tile.n_k; ++key) {
          if (!mask.unmasked(i + query, j + key)) continue;
          pairs[tile.n_pairs++] = {query, key, dscores[(i + query) * all.n_k + j + key]};
        }
      }
      for (int64_t c = 0; c < d; c += 4) add_components(tile, v, d, c, std::min<int64_t>(4, d - c), dv);
    }
  }
}

// projected = w x for n rows x [n, d]: dx = dprojected · w, and dw += dprojectedᵀ · x over the unmasked rows,
// as a masked one may be NaN.
template <class Unmasked>
void project_backward(const float* dprojected, const ConstView& w, const float* x, int64_t n,
                      Unmasked unmasked, float* dx, const View& dw) {
  const int64_t d_hidden = w.shape[0], d = w.shape[1];
  matmul({dprojected, {n, d_hidden}}, Transpose::kNo, w, Transpose::kNo, {dx, {n, d}});
  for (int64_t start = 0, end = 0; start < n; start = end + 1) {
    for (end = start; end < n && unmasked(end);) ++end;
    const int64_t rows = end - start;
    matmul({dprojected + start * d_hidden, {rows, d_hidden}}, Transpose::kYes, {x + start * d, {rows, d}},
           Transpose::kNo, dw, Write::kAccumulate);
  }
}

void add_block_sums(const float* x, int64_t n, int64_t d, float* sums) {
  for (int64_t start = 0; start < n; start += kSumBlock) {
    for (int64_t c = 0; c < d; ++c) {
      float sum = 0;
      for (int64_t i = start; i < std::min(start + kSumBlock, n); ++i) sum = sum + x[i * d + c];
      sums[c] = sums[c] + sum;
    }
  }
}

}  // namespace

void additive_attention_backward(const ConstView& q, const ConstView& k, const ConstView& values,
                                 const AdditiveParameters& parameters, const MaskView& mask,
                                 const ConstView& weights, const ConstView& dout, const View& dscores,
                                 const View& dq, const View& dk, const View& dvalues,
                                 const AdditiveGradients& gradients, Arena& scratch) {
  const char* op = "additive_attention_backward";
  const AdditiveCall call(op, q, k, values, parameters, mask);
  const AttentionCall& pairs = call.attention;
  check_shape(op, "weights", weights.shape, pairs.scores);
  check_shape(op, "dout", dout.shape, pairs.out);
  check_shape(op, "dscores", dscores.shape, pairs.scores);
  check_shape(op, "dq", dq.shape, q.shape);
  check_shape(op, "dk", dk.shape, k.shape);
  check_shape(op, "dvalues", dvalues.shape, values.shape);
  check_shape(op, "dw_q", gradients.dw_q.shape, parameters.w_q.shape);
  check_shape(op, "dw_k", gradients.dw_k.shape, parameters.w_k.shape);
  check_shape(op, "dv", gradients.dv.shape, parameters.v.shape);
  if (parameters.b) check_shape(op, "db", gradients.db.shape, parameters.b.shape);

  const int64_t n_q = pairs.n_q, n_k = pairs.n_k, d = call.d_hidden;
  float* from_q = scratch.floats(n_q * d);
  float* from_k = scratch.floats(n_k * d);
  float* dfrom_q = scratch.floats(n_q * d);
  float* dfrom_k = scratch.floats(n_k * d);

  // out = weights · values
  sum_unmasked_queries(pairs, weights.data, dout.data, pairs.d_v, dvalues.data);
  multiply_unmasked_pairs(pairs, dout.data, values.data, pairs.d_v, dscores.data);  // dL/dweights
  // weights = softmax(scores)
  softmax_unmasked_keys_backward(pairs, weights.data, dscores.data);

  for (int64_t head = 0; head < pairs.heads; ++head) {
    const HeadMask seen = pairs.mask_of(head);
    const float* head_q = q.data + head * n_q * call.d_q;
    const float* head_k = k.data + head * n_k * call.d_k;
    // scores = v · tanh(from_q + from_k)
    call.project_queries(head_q, n_q, from_q);
    call.project_keys(head_k, n_k, from_k);
    std::fill_n(dfrom_q, n_q * d, 0.0f);
    std::fill_n(dfrom_k, n_k * d, 0.0f);
    add_pairs({from_q, from_k, dfrom_q, dfrom_k, n_q, n_k, nullptr, 0}, seen, dscores.data + head * n_q * n_k,
              parameters.v.data, d, gradients.dv.data);
    // from_q = w_q q + b, from_k = w_k k
    const auto unmasked_query = [&](int64_t i) {
      bool any = false;
      for (int64_t j = 0; j < n_k && !any; ++j) any = seen.unmasked(i, j);
      return any;
    };
    const auto unmasked_key = [&](int64_t j) {
      bool any = false;
      for (int64_t i = 0; i < n_q && !any; ++i) any = seen.unmasked(i, j);
      return any;
    };
    project_backward(dfrom_q, parameters.w_q, head_q, n_q, unmasked_query, dq.data + head * n_q * call.d_q,
                     gradients.dw_q);
    project_backward(dfrom_k, parameters.w_k, head_k, n_k, unmasked_key, dk.data + head * n_k * call.d_k,
                     gradients.dw_k);
    if (parameters.b) add_block_sums(dfrom_q, n_q, d, gradients.db.data);
  }
}

}  // namespace sqrtdk
