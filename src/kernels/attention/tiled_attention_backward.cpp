// A block of queries at a time. First over the tiles of keys, with the forward's statistics of each row:
//   weights = exp(scores - largest) / sum,   dweights = dout vᵀ,   mean = sum_j weights_j dweights_j,
//   dv += weightsᵀ dout
// and, once the means are known, over them again:
//   dscores = weights (dweights - mean),   dq += dscores k,   dk += dscoresᵀ q,   both times scale at the
//   end.
// In between, the weights and dweights of the block are kept: memory linear in n_k. dout · out would be the
// mean too and save that memory, but then the rounding errors of dweights would not cancel where a weight is
// nearly 1, which is where softmax saturates.
//
// Tiles begin at fixed keys, blocks at fixed queries; a tile's part of a sum is added up from zero, in order,
// and then added to the sum. Masked pairs add 0 to sums that are never -0, which changes no bit; where 0
// times what they meet would be NaN they are left out one by one, in the same order.
#include <utility>

#include "base/parallel.h"
#include "kernels/attention/attention_backward_tile.h"
#include "kernels/attention/masking.h"
#include "kernels/attention/tiled_attention.h"
#include "kernels/elementwise.h"
#include "kernels/product/packing.h"

namespace sqrtdk {
namespace {

using namespace attention_backward_tile;

struct ScratchSizes {
  explicit ScratchSizes(const AttentionCall& call)
      : k(rounded_up(call.n_k, 4) * call.d_k),
        v(rounded_up(call.n_k, 4) * call.d_v),
        k_columns(rounded_up(call.n_k, kTileKeys) * rounded_up(call.d_k, 8)),
        pairs(rounded_up(call.n_k, 4) * kTileQueries),
        q(kTileQueries * call.d_k),
        dout(kTileQueries * call.d_v),
        q_columns(kTileQueries * rounded_up(call.d_k, 8)),
        dout_columns(kTileQueries * rounded_up(call.d_v, 8)) {}
  int64_t k, v, k_columns, pairs, q, dout, q_columns, dout_columns;
  int64_t total() const {
    int64_t sum = 0;
    for (const int64_t n : {k, v, k_columns, pairs, pairs, q, dout, q_columns, dout_columns}) {
      sum += Arena::padded(n);
    }
    return sum;
  }
};

struct Head {
  const float *q, *dout, *row_stats;
  float *dq, *dk, *dv;
  HeadMask mask;
  float scale, query_factor;
};

class Backward {
 public:
  Backward(const AttentionCall& call, float* scratch) : call_(call) {
    const ScratchSizes sizes(call);
    const auto take = [&](int64_t n) { return std::exchange(scratch, scratch + Arena::padded(n)); };
    k_ = take(sizes.k), v_ = take(sizes.v), k_columns_ = take(sizes.k_columns);
    weights_ = take(sizes.pairs), dscores_ = take(sizes.pairs);
    q_ = take(sizes.q), dout_ = take(sizes.dout);
    q_columns_ = take(sizes.q_columns), dout_columns_ = take(sizes.dout_columns);
  }

  // k and v that the next heads share.
  void set_keys(const float* k, const float* v) {
    const int64_t n_k = call_.n_k, d_k = call_.d_k;
    pack_keys(k, n_k, d_k, k_);
    pack_keys(v, n_k, call_.d_v, v_);
    for (int64_t key = 0; key < n_k; key += kTileKeys) {
      pack_columns<8>(k + key * d_k, d_k, std::min<int64_t>(kTileKeys, n_k - key), d_k, kTileKeys,
                      k_columns_ + key * rounded_up(d_k, 8));
    }
    finite_keys_ = is_finite(k, n_k * d_k);
  }

  void run(const Head& head) {
    for (int64_t query = 0; query < call_.n_q; query += kTileQueries) {
      query_ = query;
      n_queries_ = static_cast<int>(std::min<int64_t>(kTileQueries, call_.n_q - query));
      block(head);
    }
  }

 private:
  // What a panel of eight queries sees of a tile: its first n_keys keys; no mask concerns the first
  // n_unmasked.
  struct Panel {
    int64_t query;
    int n_queries, n_keys, n_unmasked;
    int rows() const { return static_cast<int>(rounded_up(n_keys, 4)); }  // rows that are computed
    bool has_masked() const { return n_unmasked < rows(); }
  };

  Panel panel(const HeadMask& head_mask, int slot, int64_t key) const {
    const int64_t query = query_ + slot;
    const int n_queries = std::min(kLanes, n_queries_ - slot);
    const int64_t n_keys = std::clamp<int64_t>(head_mask.end(query + n_queries - 1) - key, 0, kTileKeys);
    const int64_t n_unmasked =
        head_mask.masked() ? 0 : std::clamp<int64_t>(head_mask.end(query) - key, 0, n_keys);
    return {query, n_queries, static_cast<int>(n_keys), static_cast<int>(n_unmasked)};
  }

  void block(const Head& head) {
    const int64_t d_k = call_.d_k, d_v = call_.d_v;
    set_queries(head);
    float* dq = head.dq + query_ * d_k;
    clear_elements({dq, {n_queries_, d_k}});
    const int64_t end = head.mask.end(query_ + n_queries_ - 1);
    for (int64_t key = 0; key < end; key += kTileKeys) {
      add_values_tile(head, key, head.dv + key * d_v);
    }
    for (int64_t key = 0; key < end; key += kTileKeys) {
      add_scores_tile(head.mask, key, dq, head.dk + key * d_k);
    }
    scale_elements({dq, {n_queries_, d_k}}, head.scale);
  }

  void set_queries(const Head& head) {
    const int64_t d_k = call_.d_k, d_v = call_.d_v;
    const float *q = head.q + query_ * d_k, *dout = head.dout + query_ * d_v;
    pack_rows<kLanes>(q, d_k, n_queries_, d_k, q_);
    pack_rows<kLanes>(dout, d_v, n_queries_, d_v, dout_);
    pack_columns<8>(q, d_k, n_queries_, d_k, kTileQueries, q_columns_);
    pack_columns<8>(dout, d_v, n_queries_, d_v, kTileQueries, dout_columns_);
    finite_ = finite_keys_ && is_finite(q, n_queries_ * d_k) && is_finite(dout, n_queries_ * d_v);
    if (head.query_factor != 1) scale_columns(head.query_factor);
    std::fill_n(means_, kTileQueries, 0.0f);
    for (int i = 0; i < kTileQueries; ++i) {
      const float* stats = head.row_stats + (query_ + i) * 2;
      largest_[i] = i < n_queries_ ? stats[0] : 0;
      factors_[i] = i < n_queries_ ? 1 / stats[1] : 0;  // not used in a fully masked row
    }
  }

  // Those of q: scaled they may overflow.
  void scale_columns(float factor) {
    for (int64_t column = 0; column < call_.d_k; column += 8) {
      float* panel = q_columns_ + column * kTileQueries;
      scale_elements({panel, {n_queries_ * 8}}, factor);
      finite_ = finite_ && is_finite(panel, n_queries_ * 8);
    }
  }

  // weights, dweights and means; dv += weightsᵀ dout
  void add_values_tile(const Head& head, int64_t key, float* dv) {
    const HeadMask& head_mask = head.mask;
    alignas(16) float derivatives[kTileKeys * kTileQueries];
    bool has_masked = false;
    for (int slot = 0; slot < n_queries_; slot += kLanes) {
      const Panel at = panel(head_mask, slot, key);
      if (at.n_keys == 0) continue;
      has_masked |= at.has_masked();
      weigh_panel(head, at, slot, key, derivatives + slot * kTileKeys);
    }
    add_to_keys(head_mask, key, has_masked, weights_, dout_columns_, call_.d_v, dv);
    if (call_.softcap == 0) return;
    for (int slot = 0; slot < n_queries_; slot += kLanes) {
      multiply_unmasked(derivatives + slot * kTileKeys, panel(head_mask, slot, key).rows(),
                        weights_ + key * kTileQueries + slot);
    }
  }

  void weigh_panel(const Head& head, const Panel& at, int slot, int64_t key, float* derivatives) {
    const HeadMask& head_mask = head.mask;
    const int rows = at.rows();
    float* weights = weights_ + key * kTileQueries + slot;
    alignas(16) float products[kTileKeys * kLanes];
    pair_products(k_, q_, call_.d_k, slot, key, rows, head.scale, products);
    if (call_.softcap > 0) cap_panel(products, rows, call_.softcap, derivatives);
    if (head_mask.bias) add_bias(head_mask, at, key, products);
    weight_panel(products, rows, largest_ + slot, factors_ + slot, weights);
    pair_products(v_, dout_, call_.d_v, slot, key, rows, 1, products);
    if (at.has_masked()) mark_masked(head_mask, at, key, weights, products);
    dweight_panel(products, rows, weights, dscores_ + key * kTileQueries + slot, means_ + slot);
  }

  // dscores; dk += dscoresᵀ q; dq += dscores k
  void add_scores_tile(const HeadMask& head_mask, int64_t key, float* dq, float* dk) {
    bool has_masked = false;
    for (int slot = 0; slot < n_queries_; slot += kLanes) {
      const Panel at = panel(head_mask, slot, key);
      const auto dscores = at.has_masked() ? dscore_panel<true> : dscore_panel<false>;
      const int64_t first = key * kTileQueries + slot;
      dscores(weights_ + first, at.rows(), means_ + slot, dscores_ + first);
      has_masked |= at.has_masked();
    }
    add_to_keys(head_mask, key, has_masked, dscores_, q_columns_, call_.d_k, dk);
    const float* k = k_columns_ + key * rounded_up(call_.d_k, 8);
    for (int slot = 0; slot < n_queries_; slot += 4) {
      const int n_keys = panel(head_mask, slot / kLanes * kLanes, key).n_keys;
      const int64_t first = key * kTileQueries + slot;
      add_rows<kTileQueries, 1>(marks(has_masked, first), dscores_ + first, k, kTileKeys, n_keys,
                                dq + slot * call_.d_k, call_.d_k, n_queries_ - slot);
    }
  }

  // out[key] += sum over the queries of pairs[key][query] rows[query]
  void add_to_keys(const HeadMask& head_mask, int64_t key, bool has_masked, const float* pairs,
                   const float* columns, int64_t d, float* out) {
    const int n_keys = panel(head_mask, (n_queries_ - 1) / kLanes * kLanes, key).n_keys;
    int slot = 0;  // the first panel that sees the four keys
    for (int i = 0; i < n_keys; i += 4) {
      while (panel(head_mask, slot, key).n_keys <= i) slot += kLanes;
      const int64_t first = (key + i) * kTileQueries + slot;
      add_rows<1, kTileQueries>(marks(has_masked, first), pairs + first, columns + slot * 8, kTileQueries,
                                n_queries_ - slot, out + i * d, d, n_keys - i);
    }
  }

  // The weights by which masked pairs are known; null where these need not be left out.
  const float* marks(bool has_masked, int64_t first) const {
    return has_masked && !finite_ ? weights_ + first : nullptr;
  }

  // products [key][8] = factor · keys queriesᵀ, as in the forward
  void pair_products(const float* keys, const float* queries, int64_t d, int slot, int64_t key, int n_keys,
                     float factor, float* products) const {
    alignas(16) float largest[kLanes] = {};  // not used
    if (d > 0) {
      score_tile(keys, call_.n_k, key, queries + slot * d, static_cast<int>(d), n_keys, &factor, largest,
                 products);
    } else {
      std::fill_n(products, n_keys * kLanes, 0.0f);
    }
  }

  static void add_bias(const HeadMask& head_mask, const Panel& at, int64_t key, float* scores) {
    for (int i = 0; i < at.n_queries; ++i) {
      const int64_t end = std::min(head_mask.end(at.query + i), key + at.n_keys);
      for (int64_t j = key; j < end; ++j)
        scores[(j - key) * kLanes + i] += head_mask.bias_at(at.query + i, j);
    }
  }

  static void mark_masked(const HeadMask& head_mask, const Panel& at, int64_t key, float* weights,
                          float* dweights) {
    const bool only_ends = !head_mask.masked();
    for (int i = 0; i < at.n_queries; ++i) {
      const int64_t end = std::max<int64_t>(head_mask.end(at.query + i) - key, at.n_unmasked);
      const int first = only_ends ? static_cast<int>(std::min<int64_t>(end, at.rows())) : at.n_unmasked;
      for (int j = first; j < at.rows(); ++j) {
        if (!only_ends && head_mask.unmasked(at.query + i, key + j)) continue;
        weights[j * kTileQueries + i] = kMasked;
        dweights[j * kLanes + i] = 0;
      }
    }
  }

  const AttentionCall& call_;
  float *k_, *v_;              // of pack_keys
  float* k_columns_;           // of each tile, panels of 8 columns
  float *weights_, *dscores_;  // [key][query] of the block
  float *q_, *dout_;           // panels of 8 rows
  float *q_columns_, *dout_columns_;
  bool finite_keys_ = true, finite_ = true;
  int64_t query_ = 0;
  int n_queries_ = 0;
  alignas(16) float largest_[kTileQueries], factors_[kTileQueries], means_[kTileQueries];
};

}  // namespace

int64_t tiled_attention_backward_scratch(const ConstView& q, const ConstView& k, const ConstView& v,
                                         int threads) {
  return ScratchSizes(AttentionCall("tiled_attention_backward", q, k, v, {})).total() *
         (threads > 0 ? threads : n_threads());
}

void tiled_attention_backward(const ConstView& q, const ConstView& k, const ConstView& v,
                              const AttentionOptions& options, const ConstView& row_stats,
                              const ConstView& dout, const View& dq, const View& dk, const View& dv,
                              Arena& scratch) {
  const char* op = "tiled_attention_backward";
  const AttentionCall call(op, q, k, v, options);
  check_shape(op, "row_stats", row_stats.shape, q.shape.with_last(call.n_q, 2));
  check_shape(op, "dout", dout.shape, call.out);
  check_shape(op, "dq", dq.shape, q.shape);
  check_shape(op, "dk", dk.shape, k.shape);
  check_shape(op, "dv", dv.shape, v.shape);

  const int64_t size = ScratchSizes(call).total();
  float* const floats = scratch.floats(size * n_threads());
  const int64_t n_q = call.n_q, n_k = call.n_k, d_k = call.d_k, d_v = call.d_v;
  // The rows of dk and dv are sums over queries, in order: a head of keys is not divided.
  const int64_t work = 3 * call.group * n_q * n_k * (d_k + d_v);
  parallel_for(call.kv_heads(), work, call.kv_heads(), [&](int64_t begin, int64_t end, int thread) noexcept {
    Backward backward(call, floats + thread * size);
    for (int64_t index = begin * call.group; index < end * call.group; ++index) {
      const int64_t kv = index / call.group;
      const Head head{
          q.data + index * n_q * d_k,  dout.data + index * n_q * d_v, row_stats.data + index * n_q * 2,
          dq.data + index * n_q * d_k, dk.data + kv * n_k * d_k,      dv.data + kv * n_k * d_v,
          call.mask_of(index),         call.scale_of(index),          call.query_factor(index)};
      if (index % call.group == 0) {
        backward.set_keys(k.data + kv * n_k * d_k, v.data + kv * n_k * d_v);
        clear_elements({head.dk, {n_k, d_k}});
        clear_elements({head.dv, {n_k, d_v}});
      }
      backward.run(head);
      if ((index + 1) % call.group == 0) scale_elements({head.dk, {n_k, d_k}}, call.key_factor(kv));
    }
  });
}

}  // namespace sqrtdk
