// For each row, tile by tile of kKeys keys counted from the first (largest m, sum l):
//   m' = max(m, scores)   w = exp(scores - m')   f = exp(m - m')   l = f l + sum w   out = f out + w v
// and out / l in the end. Tiles and the blocks within their sums begin at fixed keys and masked keys add +0
// to sums that are never -0, so that neither the other rows nor the number of masked keys change a bit. 0 · v
// is only added where v is finite: otherwise masked keys are left out one by one.
#include "kernels/attention/tiled_attention.h"

#include <utility>

#include "base/errors.h"
#include "base/parallel.h"
#include "kernels/attention/attention_adjust.h"
#include "kernels/attention/attention_tile.h"
#include "kernels/attention/tiled_attention_row.h"
#include "kernels/product/packing.h"

namespace sqrtdk {
namespace {

using namespace attention_tile;

constexpr int kBlock = 64;         // queries that go over the keys together
constexpr int kFewRows = 4;        // so many queries are faster one by one
constexpr int kPartsOfThread = 4;  // rows are not alike where causality masks

struct ScratchSizes {
  ScratchSizes(int64_t n_q, int64_t n_k, int64_t d_k, int64_t d_v)
      : queries(kBlock * d_k), out(kBlock * rounded_up(d_v, 8)) {
    if (n_q <= kFewRows) return;  // keys and values are read where they are
    keys = rounded_up(n_k, 4) * d_k;
    values = rounded_up(d_v, kTileColumns) * n_k;
    finite = rounded_up(n_k, kKeys) / kKeys;
  }
  int64_t keys = 0, values = 0, finite = 0, queries, out;
  int64_t total() const {
    int64_t sum = 0;
    for (const int64_t n : {keys, values, finite, queries, out}) sum += Arena::padded(n);
    return sum;
  }
};

class Forward {
 public:
  Forward(const AttentionCall& call, float* scratch) : call_(call) {
    const ScratchSizes sizes(call.n_q, call.n_k, call.d_k, call.d_v);
    const auto take = [&](int64_t n) { return std::exchange(scratch, scratch + Arena::padded(n)); };
    keys_ = take(sizes.keys);
    values_ = take(sizes.values);
    finite_ = take(sizes.finite);
    queries_ = take(sizes.queries);
    out_ = take(sizes.out);
    out_step_ = rounded_up(call.d_v, kTileColumns);
  }

  // k and v that the next heads share; `masks` says whether any of their tiles may be partly masked.
  void set_keys(const float* k, const float* v, bool masks) {
    if (only_rows()) return;
    const int64_t n_k = call_.n_k, d_v = call_.d_v;
    pack_keys(k, n_k, call_.d_k, keys_);
    pack_columns<kTileColumns>(v, d_v, n_k, d_v, n_k, values_);
    for (int64_t key = 0; masks && key < n_k; key += kKeys) {
      finite_[key / kKeys] = out_of_line(is_finite)(v + key * d_v, std::min<int64_t>(kKeys, n_k - key) * d_v);
    }
  }

  // Queries query .. end - 1, of which the first begins a block, as does `end` unless it is n_q.
  void run(const Head& head, int64_t query, int64_t end) {
    while (!only_rows() && end - query > kFewRows) {
      int64_t n = std::min<int64_t>(kBlock, end - query);
      if (n % kLanes <= kFewRows) n -= n % kLanes;
      block(head, query, n);
      query += n;
    }
    for (; query < end; ++query) attend_row(call_, head, query);
  }

 private:
  bool only_rows() const { return call_.n_q <= kFewRows || call_.d_k == 0; }

  // Up to kBlock queries against all keys.
  void block(const Head& head, int64_t first, int64_t n_queries) {
    const int64_t d_k = call_.d_k;
    pack_rows<kLanes>(head.q + first * d_k, d_k, n_queries, d_k, queries_);
    std::fill_n(largest_, kBlock, -kInfinity);
    std::fill_n(sums_, kBlock, 0.0f);
    std::fill_n(started_, kBlock / kLanes, false);
    const int64_t end = head.mask.end(first + n_queries - 1);
    for (int64_t key = 0; key < end; key += kKeys) {
      for (int i = 0; i < n_queries; i += kLanes) {
        const int n_lanes = static_cast<int>(std::min<int64_t>(kLanes, n_queries - i));
        const int64_t last = head.mask.end(first + i + n_lanes - 1);
        if (last > key)
          tile(head, first + i, i, n_lanes, key, static_cast<int>(std::min<int64_t>(kKeys, last - key)));
      }
    }
    for (int i = 0; i < n_queries; ++i) {
      float* out = out_ + i * out_step_;
      if (!started_[i / kLanes]) std::fill_n(out, out_step_, 0.0f);
      finish_row(call_, head, first + i, largest_[i], sums_[i], out);
    }
  }

  // Queries query .. query + n_lanes - 1, at `slot` of the block, against n_keys keys.
  void tile(const Head& head, int64_t query, int slot, int n_lanes, int64_t key, int n_keys) {
    const HeadMask& head_mask = head.mask;
    const bool same_end = head_mask.end(query) >= key + n_keys, masked = head_mask.masked();
    alignas(16) float added[kLanes][kKeys];
    if (masked) {
      bool any = false;
      for (int lane = 0; lane < kLanes; ++lane) {
        if (lane < n_lanes) {
          any |= out_of_line(mask_row)(head_mask, query + lane, key, n_keys, added[lane]);
        } else {
          std::fill_n(added[lane], kKeys, 0.0f);
        }
      }
      if (!any) return;
    }
    float* largest = largest_ + slot;
    alignas(16) float scores[kKeys * kLanes], before[kLanes], factor[kLanes], sums[kLanes];
    std::copy_n(largest, kLanes, before);
    out_of_line(score_tile)(keys_, call_.n_k, key, queries_ + slot * call_.d_k, static_cast<int>(call_.d_k),
                            n_keys, &head.scale, largest, scores);
    if (masked || !same_end || call_.softcap > 0 || n_keys % 4 != 0) {
      std::copy_n(before, kLanes, largest);
      adjust(head_mask, query, n_lanes, key, n_keys, masked ? added[0] : nullptr, scores);
      out_of_line(largest_scores)(scores, n_keys, largest);
    }
    alignas(16) float shifts[kLanes];
    const f32x4 shift[] = {shift_of(load(largest)), shift_of(load(largest + 4))};
    f32x4 factors[] = {load(before) - shift[0], load(before + 4) - shift[1]};
    exp_nonpositive(factors, exp_constants());
    for (int i = 0; i < 2; ++i) store(shifts + 4 * i, shift[i]), store(factor + 4 * i, factors[i]);
    out_of_line(weight_tile)(scores, n_keys, shifts, sums);
    for (int i = 0; i < kLanes; i += 4) {
      store(sums_ + slot + i, load(sums_ + slot + i) * load(factor + i) + load(sums + i));
    }
    bool& started = started_[slot / kLanes];
    float* out = out_ + slot * out_step_;
    if (!started) std::fill_n(out, kLanes * out_step_, 0.0f);
    started = true;
    if ((masked || !same_end) && finite_[key / kKeys] == 0) {
      for (int lane = 0; lane < n_lanes; ++lane) {
        if (!masked) out_of_line(mask_row)(head_mask, query + lane, key, n_keys, added[lane]);
        out_of_line(add_unmasked_values)(scores + lane, added[lane], head.v + key * call_.d_v, call_.d_v,
                                         n_keys, factor[lane], out + lane * out_step_, kLanes);
      }
    } else {
      int unmasked[] = {0, 0};  // keys of four queries
      for (int half = 0; half < n_lanes; half += 4) {
        const int64_t end = head_mask.end(query + std::min(half + 4, n_lanes) - 1);
        unmasked[half / 4] = static_cast<int>(std::clamp<int64_t>(end - key, 0, n_keys));
      }
      out_of_line(value_tile)(scores, values_ + key * kTileColumns, call_.n_k * kTileColumns, out_step_,
                              unmasked, factor, out, out_step_);
    }
  }

  // From what the scores are to what the softmax sees. added: of each lane, or null without mask and bias.
  void adjust(const HeadMask& head_mask, int64_t query, int n_lanes, int64_t key, int n_keys,
              const float* added, float* scores) {
    if (call_.softcap > 0) out_of_line(cap_scores)(scores, n_keys * kLanes, call_.softcap);
    if (added) {
      out_of_line(add_rows)(added, static_cast<int>(rounded_up(n_keys, 4)), scores);
      return;
    }
    for (int lane = 0; lane < n_lanes; ++lane) {
      const int64_t end = std::max<int64_t>(head_mask.end(query + lane) - key, 0);
      for (int64_t i = end; i < n_keys; ++i) scores[i * kLanes + lane] = -kInfinity;
    }
  }

  const AttentionCall& call_;
  int64_t out_step_;
  float *keys_, *values_, *finite_, *queries_, *out_;
  alignas(16) float largest_[kBlock], sums_[kBlock];
  bool started_[kBlock / kLanes];  // has out been written?
};

}  // namespace

int64_t tiled_attention_forward_scratch(const ConstView& q, const ConstView& k, const ConstView& v,
                                        int threads) {
  check_rank("tiled_attention", "q", q.shape, 2, "(.., n_q, d_k)");
  check_rank("tiled_attention", "k", k.shape, 2, "(.., n_k, d_k)");
  check_rank("tiled_attention", "v", v.shape, 2, "(.., n_k, d_v)");
  return ScratchSizes(q.shape[-2], k.shape[-2], k.shape[-1], v.shape[-1]).total() *
         (threads > 0 ? threads : n_threads());
}

void tiled_attention_forward(const ConstView& q, const ConstView& k, const ConstView& v,
                             const AttentionOptions& options, const View& out, const View& row_stats,
                             Arena& scratch) {
  const AttentionCall call("tiled_attention", q, k, v, options);
  check_shape("tiled_attention", "out", out.shape, call.out);
  if (row_stats) check_shape("tiled_attention", "row_stats", row_stats.shape, q.shape.with_last(call.n_q, 2));
  if (call.heads == 0 || call.n_q == 0) return;

  const int64_t size = ScratchSizes(call.n_q, call.n_k, call.d_k, call.d_v).total();
  float* const floats = scratch.floats(size * n_threads());
  const int64_t blocks = (call.n_q + kBlock - 1) / kBlock;  // of each head
  // Whole heads of keys where these are as many for each thread; else parts whose keys are packed again.
  const int64_t pieces = call.kv_heads() % n_threads() == 0 ? call.kv_heads() : kPartsOfThread * n_threads();
  const int64_t work = std::min<int64_t>(kBlock, call.n_q) * call.n_k * (call.d_k + call.d_v);
  parallel_for(call.heads * blocks, work, pieces, [&](int64_t block, int64_t end, int thread) noexcept {
    Forward forward(call, floats + thread * size);
    for (int64_t packed = -1; block < end;) {
      const int64_t index = block / blocks, kv = index / call.group, first = block - index * blocks;
      Head head{q.data + index * call.n_q * call.d_k,
                k.data + kv * call.n_k * call.d_k,
                v.data + kv * call.n_k * call.d_v,
                out.data + index * call.n_q * call.d_v,
                row_stats ? row_stats.data + index * call.n_q * 2 : nullptr,
                call.mask_of(index),
                call.scale_of(index)};
      if (kv != packed) {
        forward.set_keys(head.k, head.v, head.mask.masked() || options.causal != Causal::kNo);
        packed = kv;
      }
      const int64_t last = std::min(end - index * blocks, blocks);
      forward.run(head, first * kBlock, std::min(last * kBlock, call.n_q));
      block = index * blocks + last;
    }
  });
}

}  // namespace sqrtdk
