// Pairs are taken by tiles of kSumBlock queries and keys, so that every sum over them is one of short blocks.
#include <algorithm>

#include "kernels/additive_attention_call.h"
#include "kernels/matmul.h"
#include "simd/tanh.h"

namespace sqrtdk {
namespace {

using namespace simd;

constexpr int64_t kTile = kSumBlock;

struct Pair {
  int64_t query, key;  // in the tile
  float dscore;
};

struct Tile {
  const float *from_q, *from_k;  // [.., d_hidden]: the projections of its queries and keys
  float *dfrom_q, *dfrom_k;      // likewise, added to
  int64_t n_q, n_k;
  const Pair* pairs;  // the live ones
  int64_t n_pairs;
};

void add_first(float* out, f32x4 x, int64_t n) {
  if (n == 4) return store(out, add(load(out), x));
  store_first(out, n, add(load_first(out, n, zero()), x));
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
    const f32x4 t = simd::tanh(
        add(load_lanes(tile.from_q + pair.query * d + c), load_lanes(tile.from_k + pair.key * d + c)));
    const f32x4 dpre = mul(dscore, mul(vs, sub(one, mul(t, t))));
    of_queries[pair.query] = add(of_queries[pair.query], dpre);
    of_keys[pair.key] = add(of_keys[pair.key], dpre);
    of_v = add(of_v, mul(dscore, t));
  }
  for (int64_t i = 0; i < tile.n_q; ++i) add_first(tile.dfrom_q + i * d + c, of_queries[i], n);
  for (int64_t j = 0; j < tile.n_k; ++j) add_first(tile.dfrom_k + j * d + c, of_keys[j], n);
  add_first(dv + c, of_v, n);
}

// Of one plane: dscores [n_q, n_k], `all` the whole plane as a tile without pairs.
void add_pairs(const Tile& all, const MaskPlane& mask, const float* dscores, const float* v, int64_t d,
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
          if (!mask.live(i + query, j + key)) continue;
          pairs[tile.n_pairs++] = {query, key, dscores[(i + query) * all.n_k + j + key]};
        }
      }
      for (int64_t c = 0; c < d; c += 4) add_components(tile, v, d, c, std::min<int64_t>(4, d - c), dv);
    }
  }
}

// projected = w x for n rows x [n, d]: dx = dprojected · w, and dw += dprojectedᵀ · x over the live rows, as
// a masked one may be NaN.
template <class Live>
void project_backward(const float* dprojected, ConstView w, const float* x, int64_t n, Live live, float* dx,
                      View dw) {
  const int64_t d_hidden = w.shape[0], d = w.shape[1];
  matmul({dprojected, {n, d_hidden}}, Transpose::kNo, w, Transpose::kNo, {dx, {n, d}});
  for (int64_t start = 0, end = 0; start < n; start = end + 1) {
    for (end = start; end < n && live(end);) ++end;
    const int64_t rows = end - start;
    matmul({dprojected + start * d_hidden, {rows, d_hidden}}, Transpose::kYes, {x + start * d, {rows, d}},
           Transpose::kNo, dw, Write::kAccumulate);
  }
}

void add_column_sums(const float* x, int64_t n, int64_t d, float* sums) {
  for (int64_t start = 0; start < n; start += kSumBlock) {
    for (int64_t c = 0; c < d; ++c) {
      float sum = 0;
      for (int64_t i = start; i < std::min(start + kSumBlock, n); ++i) sum = sum + x[i * d + c];
      sums[c] = sums[c] + sum;
    }
  }
}

}  // namespace

void additive_attention_backward(ConstView q, ConstView k, ConstView values,
                                 const AdditiveParameters& parameters, MaskView mask, ConstView weights,
                                 ConstView dout, View dscores, View dq, View dk, View dvalues,
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
  sum_live_queries(pairs, weights.data, dout.data, pairs.d_v, dvalues.data);
  multiply_live_pairs(pairs, dout.data, values.data, pairs.d_v, dscores.data);  // dL/dweights
  // weights = softmax(scores)
  softmax_live_keys_backward(pairs, weights.data, dscores.data);

  for (int64_t plane = 0; plane < pairs.planes; ++plane) {
    const MaskPlane seen = pairs.plane(plane);
    const float* plane_q = q.data + plane * n_q * call.d_q;
    const float* plane_k = k.data + plane * n_k * call.d_k;
    // scores = v · tanh(from_q + from_k)
    call.project_queries(plane_q, n_q, from_q);
    call.project_keys(plane_k, n_k, from_k);
    std::fill_n(dfrom_q, n_q * d, 0.0f);
    std::fill_n(dfrom_k, n_k * d, 0.0f);
    add_pairs({from_q, from_k, dfrom_q, dfrom_k, n_q, n_k, nullptr, 0}, seen,
              dscores.data + plane * n_q * n_k, parameters.v.data, d, gradients.dv.data);
    // from_q = w_q q + b, from_k = w_k k
    const auto live_query = [&](int64_t i) {
      for (int64_t j = 0; j < n_k; ++j) {
        if (seen.live(i, j)) return true;
      }
      return false;
    };
    const auto live_key = [&](int64_t j) {
      for (int64_t i = 0; i < n_q; ++i) {
        if (seen.live(i, j)) return true;
      }
      return false;
    };
    project_backward(dfrom_q, parameters.w_q, plane_q, n_q, live_query, dq.data + plane * n_q * call.d_q,
                     gradients.dw_q);
    project_backward(dfrom_k, parameters.w_k, plane_k, n_k, live_key, dk.data + plane * n_k * call.d_k,
                     gradients.dw_k);
    if (parameters.b) add_column_sums(dfrom_q, n_q, d, gradients.db.data);
  }
}

}  // namespace sqrtdk
