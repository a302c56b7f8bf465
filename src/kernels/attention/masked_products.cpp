#include "kernels/attention/masked_products.h"

#include <algorithm>

#include "kernels/product/matmul.h"
#include "kernels/product/tile.h"
#include "kernels/softmax.h"

namespace sqrtdk {
namespace {

using namespace product;

// At most kSumBlock unmasked rows of a matrix, and their factors: one block of a sum in matmul's order.
struct UnmaskedRows {
  int64_t count = 0;
  float factors[kSumBlock];
  const float* rows[kSumBlock];

  void add(float factor, const float* row) {
    factors[count] = factor;
    rows[count++] = row;
  }
};

// A right operand of the micro-kernel whose rows lie anywhere, from column j on.
struct ScatteredRows {
  const float* const* row;
  int64_t j;
  f32x4 columns(int v) const { return load(*row + j + 4 * v); }
  void next() { ++row; }
};

// out[0 .. 4 kVectors) += sum of factor * row[j ..]
template <int kVectors>
void add_columns(const UnmaskedRows& unmasked, int64_t j, float* out) {
  f32x4 sums[1][kVectors];
  clear(sums);
  PanelOfRows<1> left(unmasked.factors);
  ScatteredRows right{unmasked.rows, j};
  for (int64_t i = 0; i < unmasked.count; ++i) add_step(left, right, sums);
  for (int v = 0; v < kVectors; ++v) store(out + 4 * v, load(out + 4 * v) + sums[0][v]);
}

// out[0 .. d) += sum of factor * row
void add_rows(const UnmaskedRows& unmasked, int64_t d, float* out) {
  int64_t j = 0;
  for (; j + 32 <= d; j += 32) add_columns<8>(unmasked, j, out + j);
  for (; j + 4 <= d; j += 4) add_columns<1>(unmasked, j, out + j);
  for (; j < d; ++j) {
    float sum = 0;
    for (int64_t i = 0; i < unmasked.count; ++i) sum = sum + unmasked.factors[i] * unmasked.rows[i][j];
    out[j] = out[j] + sum;
  }
}

// Rows of `from` floats become rows of `to` >= `from`, in place.
void widen_rows(float* x, int64_t rows, int64_t from, int64_t to) {
  for (int64_t row = rows - 1; row > 0; --row) {
    std::copy_backward(x + row * from, x + row * from + from, x + row * to + from);
  }
}

// Where no pair of a tile is masked it is a product of matrices: factors are copied to lie together, and one
// block of a sum is added to out.
constexpr int64_t kTile = 128;

// out [rows, d] += factors [rows, kSumBlock] · keys [kSumBlock, d]
void add_whole_keys(const float* factors, int64_t step, int64_t rows, const float* keys, int64_t d,
                    float* out) {
  float tile[kTile * kSumBlock];
  for (int64_t start = 0; start < rows; start += kTile) {
    const int64_t n = std::min(kTile, rows - start);
    for (int64_t i = 0; i < n; ++i) {
      std::copy_n(factors + (start + i) * step, kSumBlock, tile + i * kSumBlock);
    }
    matmul({tile, {n, kSumBlock}}, Transpose::kNo, {keys, {kSumBlock, d}}, Transpose::kNo,
           {out + start * d, {n, d}}, Write::kAccumulate);
  }
}

// out [n_keys, d] += factorsᵀ · queries, of factors [count, n_keys] and queries [count, d], count <=
// kSumBlock
void add_whole_queries(const float* factors, int64_t step, int64_t count, int64_t n_keys,
                       const float* queries, int64_t d, float* out) {
  float tile[kSumBlock * kTile];
  for (int64_t start = 0; start < n_keys; start += kTile) {
    const int64_t n = std::min(kTile, n_keys - start);
    for (int64_t i = 0; i < count; ++i) std::copy_n(factors + i * step + start, n, tile + i * n);
    matmul({tile, {count, n}}, Transpose::kYes, {queries, {count, d}}, Transpose::kNo,
           {out + start * d, {n, d}}, Write::kAccumulate);
  }
}

bool group_all_unmasked(const AttentionCall& call, int64_t kv_head) {
  for (int64_t i = 0; i < call.group; ++i) {
    if (!call.mask_of(kv_head * call.group + i).all_unmasked()) return false;
  }
  return true;
}

// out [n_k, d] += factorsᵀ · queries over `count` <= kSumBlock rows of pairs, the first of which is `first`.
void add_unmasked_queries(const AttentionCall& call, int64_t first, int64_t count, const float* factors,
                          const float* queries, int64_t d, float* out) {
  HeadMask masks[kSumBlock];
  int64_t numbers[kSumBlock], ends[kSumBlock], whole_end = call.n_k, last_end = 0;
  for (int64_t i = 0; i < count; ++i) {
    numbers[i] = (first + i) % call.n_q;
    masks[i] = i > 0 && numbers[i] > 0 ? masks[i - 1] : call.mask_of((first + i) / call.n_q);
    ends[i] = masks[i].end(numbers[i]);
    whole_end = std::min(whole_end, masks[i].masked() ? 0 : ends[i]);
    last_end = std::max(last_end, ends[i]);
  }
  add_whole_queries(factors, call.n_k, count, whole_end, queries, d, out);
  constexpr int64_t kLine = 16;  // keys in a cache line: read once, as rows may compete for the same place
  for (int64_t start = whole_end; start < last_end; start += kLine) {
    const int64_t keys = std::min(kLine, last_end - start);
    float lines[kSumBlock][kLine];
    for (int64_t i = 0; i < count; ++i) std::copy_n(factors + i * call.n_k + start, keys, lines[i]);
    for (int64_t j = 0; j < keys; ++j) {
      const int64_t key = start + j;
      UnmaskedRows unmasked;
      for (int64_t i = 0; i < count; ++i) {
        if (key >= ends[i] || (masks[i].masked() && !masks[i].unmasked(numbers[i], key))) continue;
        unmasked.add(lines[i][j], queries + i * d);
      }
      add_rows(unmasked, d, out + key * d);
    }
  }
}

}  // namespace

void multiply_unmasked_pairs(const AttentionCall& call, const float* queries, const float* keys, int64_t d,
                             float* products) {
  const int64_t n_q = call.n_q, n_k = call.n_k;
  for (int64_t head = 0; head < call.heads; ++head) {
    const HeadMask mask = call.mask_of(head);
    const bool all_end_alike = mask.end(0) == mask.end(n_q - 1);
    const int64_t step = all_end_alike ? std::max<int64_t>(n_q, 1) : kSumBlock;
    for (int64_t start = 0; start < n_q; start += step) {
      const int64_t rows = std::min(step, n_q - start), end = mask.end(start + rows - 1);
      float* out = products + (head * n_q + start) * n_k;
      matmul({queries + (head * n_q + start) * d, {rows, d}}, Transpose::kNo,
             {keys + head / call.group * n_k * d, {end, d}}, Transpose::kYes, {out, {rows, end}});
      widen_rows(out, rows, end, n_k);
    }
  }
}

void set_masked(const AttentionCall& call, float* pairs, float value) {
  each_row(call, [&](const HeadMask& mask, int64_t query, int64_t begin) {
    const int64_t end = mask.end(query);
    float* row = pairs + begin;
    for (int64_t key = 0; mask.masked() && key < end; ++key) {
      if (!mask.unmasked(query, key)) row[key] = value;
    }
    std::fill(row + end, row + call.n_k, value);
  });
}

void softmax_unmasked_keys(const AttentionCall& call, const float* scores, float* weights) {
  each_row(call, [&](const HeadMask& mask, int64_t query, int64_t begin) {
    const Shape seen{mask.end(query)};
    softmax_forward({scores + begin, seen}, {weights + begin, seen});
  });
  set_masked(call, weights, 0);  // also where the whole row is masked, or NaN
}

void softmax_unmasked_keys_backward(const AttentionCall& call, const float* weights, float* dpairs) {
  set_masked(call, dpairs, 0);
  each_row(call, [&](const HeadMask& mask, int64_t query, int64_t begin) {
    const Shape seen{mask.end(query)};
    softmax_backward({weights + begin, seen}, {dpairs + begin, seen}, {dpairs + begin, seen});
  });
  set_masked(call, dpairs, 0);  // where a row is NaN
}

void sum_unmasked_keys(const AttentionCall& call, const float* factors, const float* keys, int64_t d,
                       float* out) {
  const int64_t n_q = call.n_q, n_k = call.n_k;
  for (int64_t head = 0; head < call.heads; ++head) {
    const HeadMask mask = call.mask_of(head);
    const float* head_factors = factors + head * n_q * n_k;
    const float* head_keys = keys + head / call.group * n_k * d;
    float* head_out = out + head * n_q * d;
    if (mask.all_unmasked()) {
      matmul({head_factors, {n_q, n_k}}, Transpose::kNo, {head_keys, {n_k, d}}, Transpose::kNo,
             {head_out, {n_q, d}});
      continue;
    }
    std::fill_n(head_out, n_q * d, 0.0f);
    for (int64_t start = 0; start < n_k; start += kSumBlock) {  // keys stay in the cache for all queries
      int64_t whole = mask.masked() ? n_q : 0;                  // from here on queries see the whole block
      while (whole < n_q && mask.end(whole) < start + kSumBlock) ++whole;
      add_whole_keys(head_factors + whole * n_k + start, n_k, n_q - whole, head_keys + start * d, d,
                     head_out + whole * d);
      for (int64_t query = 0; query < whole; ++query) {
        const int64_t end = std::min(start + kSumBlock, mask.end(query));
        UnmaskedRows unmasked;
        for (int64_t key = start; key < end; ++key) {
          if (mask.masked() && !mask.unmasked(query, key)) continue;
          unmasked.add(head_factors[query * n_k + key], head_keys + key * d);
        }
        if (unmasked.count > 0) add_rows(unmasked, d, head_out + query * d);
      }
    }
  }
}

void sum_unmasked_queries(const AttentionCall& call, const float* factors, const float* queries, int64_t d,
                          float* out) {
  const int64_t n_k = call.n_k, rows = call.group * call.n_q;  // those that share a head of keys, as one
  for (int64_t head = 0; head < call.kv_heads(); ++head) {
    const float* head_factors = factors + head * rows * n_k;
    const float* head_queries = queries + head * rows * d;
    float* head_out = out + head * n_k * d;
    if (group_all_unmasked(call, head)) {
      matmul({head_factors, {rows, n_k}}, Transpose::kYes, {head_queries, {rows, d}}, Transpose::kNo,
             {head_out, {n_k, d}});
      continue;
    }
    std::fill_n(head_out, n_k * d, 0.0f);
    for (int64_t start = 0; start < rows; start += kSumBlock) {
      add_unmasked_queries(call, head * rows + start, std::min(kSumBlock, rows - start),
                           head_factors + start * n_k, head_queries + start * d, d, head_out);
    }
  }
}

}  // namespace sqrtdk
