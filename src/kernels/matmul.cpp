// Every path computes each element alike: over each block of kSumBlock values of k, sum = sum + a·b in order
// from zero, then out = out + sum. To overwrite is to clear first: a sum that begins at +0 is never -0, so 0
// + sum is sum. Padding is computed with but never written.
#include "kernels/matmul.h"

#include <algorithm>

#include "simd/f32x4.h"

namespace sqrtdk {
namespace {

using namespace simd;

constexpr int64_t kTileRows = 4;  // the micro-kernel: 4 rows x 8 columns in registers
constexpr int64_t kTileColumns = 8;
constexpr int64_t kDepth = 8 * kSumBlock;  // of k packed at a time
constexpr int64_t kPanelColumns = 32;      // of b packed at a time: 32 kB, the size of a first-level cache

// op(x)[row, column] = data[row * row_step + column * column_step]
struct Operand {
  const float* data;
  int64_t row_step, column_step;
  const float* at(int64_t row, int64_t column) const { return data + row * row_step + column * column_step; }
};

struct Size {
  int64_t m, n, k;
};

inline void add_to(float* out, f32x4 sum) { store(out, add(load(out), sum)); }

// ---- One row of a, for b [k, n]: lanes are columns.

template <int kVectors>
void row_times_columns(const float* a, int64_t a_step, const float* b, int64_t b_step, int64_t k,
                       float* out) {
  for (int64_t start = 0; start < k; start += kSumBlock) {
    f32x4 sums[kVectors];
    for (f32x4& sum : sums) sum = zero();
    for (int64_t i = start; i < std::min(start + kSumBlock, k); ++i) {
      const f32x4 x = load_splat(a + i * a_step);
      for (int v = 0; v < kVectors; ++v) sums[v] = add(sums[v], mul(x, load(b + i * b_step + 4 * v)));
    }
    for (int v = 0; v < kVectors; ++v) add_to(out + 4 * v, sums[v]);
  }
}

// ---- One row of a, for b [n, k]: lanes are columns of op(b), four of its rows transposed in registers.

template <int kVectors>
void row_times_rows(const float* a, int64_t a_step, const float* b, int64_t b_step, int64_t k, float* out) {
  for (int64_t start = 0; start < k; start += kSumBlock) {
    const int64_t end = std::min(start + kSumBlock, k);
    f32x4 sums[kVectors];
    for (f32x4& sum : sums) sum = zero();
    int64_t i = start;
    for (; i + 4 <= end; i += 4) {
      const f32x4 x0 = load_splat(a + i * a_step), x1 = load_splat(a + (i + 1) * a_step);
      const f32x4 x2 = load_splat(a + (i + 2) * a_step), x3 = load_splat(a + (i + 3) * a_step);
      for (int v = 0; v < kVectors; ++v) {
        const float* rows = b + 4 * v * b_step + i;
        f32x4 b0 = load(rows), b1 = load(rows + b_step);
        f32x4 b2 = load(rows + 2 * b_step), b3 = load(rows + 3 * b_step);
        transpose4(b0, b1, b2, b3);
        sums[v] = add(add(add(add(sums[v], mul(x0, b0)), mul(x1, b1)), mul(x2, b2)), mul(x3, b3));
      }
    }
    for (; i < end; ++i) {
      const f32x4 x = load_splat(a + i * a_step);
      for (int v = 0; v < kVectors; ++v) {
        const float* rows = b + 4 * v * b_step + i;
        sums[v] = add(sums[v], mul(x, make(rows[0], rows[b_step], rows[2 * b_step], rows[3 * b_step])));
      }
    }
    for (int v = 0; v < kVectors; ++v) add_to(out + 4 * v, sums[v]);
  }
}

void row_times_column(const float* a, int64_t a_step, const float* b, int64_t b_step, int64_t k, float* out) {
  for (int64_t start = 0; start < k; start += kSumBlock) {
    float sum = 0;
    for (int64_t i = start; i < std::min(start + kSumBlock, k); ++i)
      sum = sum + a[i * a_step] * b[i * b_step];
    *out = *out + sum;
  }
}

void one_row(const float* a, int64_t a_step, Operand b, int64_t n, int64_t k, float* out) {
  const int64_t row_step = b.row_step, column_step = b.column_step;
  int64_t j = 0;
  if (column_step == 1) {
    for (; j + 16 <= n; j += 16) row_times_columns<4>(a, a_step, b.at(0, j), row_step, k, out + j);
    for (; j + 4 <= n; j += 4) row_times_columns<1>(a, a_step, b.at(0, j), row_step, k, out + j);
  } else {
    for (; j + 8 <= n; j += 8) row_times_rows<2>(a, a_step, b.at(0, j), column_step, k, out + j);
    for (; j + 4 <= n; j += 4) row_times_rows<1>(a, a_step, b.at(0, j), column_step, k, out + j);
  }
  for (; j < n; ++j) row_times_column(a, a_step, b.at(0, j), row_step, k, out + j);
}

// ---- Many rows: tiles of op(a) and op(b) are packed so that the micro-kernel reads both in order.

// packed[k][kLanes] of kLanes vectors of length k that lie lane_step apart; vectors beyond `lanes` are zero.
template <int kLanes>
void pack(const float* data, int64_t lane_step, int64_t k_step, int64_t lanes, int64_t k, float* packed) {
  int64_t i = 0;
  if (lanes == kLanes && lane_step == 1) {
    for (; i < k; ++i) {
      for (int lane = 0; lane < kLanes; lane += 4)
        store(packed + i * kLanes + lane, load(data + i * k_step + lane));
    }
  } else if (lanes == kLanes && k_step == 1) {
    for (; i + 4 <= k; i += 4) {
      for (int lane = 0; lane < kLanes; lane += 4) {
        const float* rows = data + lane * lane_step + i;
        f32x4 r0 = load(rows), r1 = load(rows + lane_step);
        f32x4 r2 = load(rows + 2 * lane_step), r3 = load(rows + 3 * lane_step);
        transpose4(r0, r1, r2, r3);
        float* to = packed + i * kLanes + lane;
        store(to, r0);
        store(to + kLanes, r1);
        store(to + 2 * kLanes, r2);
        store(to + 3 * kLanes, r3);
      }
    }
  }
  for (; i < k; ++i) {
    for (int lane = 0; lane < kLanes; ++lane) {
      packed[i * kLanes + lane] = lane < lanes ? data[lane * lane_step + i * k_step] : 0.0f;
    }
  }
}

// out[4][8] += sum over k of a[k][4] x b[k][8], in blocks
void tile(const float* a, const float* b, int64_t k, float* out, int64_t out_step) {
  for (int64_t start = 0; start < k; start += kSumBlock) {
    f32x4 sums[kTileRows][2];
    for (auto& row : sums) row[0] = row[1] = zero();
    for (int64_t i = std::min(kSumBlock, k - start); i > 0; --i, a += kTileRows, b += kTileColumns) {
      const f32x4 b0 = load(b), b1 = load(b + 4);
      for (int row = 0; row < kTileRows; ++row) {
        const f32x4 x = load_splat(a + row);
        sums[row][0] = add(sums[row][0], mul(x, b0));
        sums[row][1] = add(sums[row][1], mul(x, b1));
      }
    }
    for (int row = 0; row < kTileRows; ++row) {
      add_to(out + row * out_step, sums[row][0]);
      add_to(out + row * out_step + 4, sums[row][1]);
    }
  }
}

// A tile that reaches beyond the edge of out goes through a whole one.
void edge_tile(const float* a, const float* b, int64_t k, float* out, int64_t out_step, int64_t rows,
               int64_t columns) {
  float whole[kTileRows * kTileColumns] = {};
  for (int64_t i = 0; i < rows; ++i) std::copy_n(out + i * out_step, columns, whole + i * kTileColumns);
  tile(a, b, k, whole, kTileColumns);
  for (int64_t i = 0; i < rows; ++i) std::copy_n(whole + i * kTileColumns, columns, out + i * out_step);
}

// At most kDepth values of k.
void many_rows(Operand a, Operand b, Size size, float* out) {
  alignas(16) float packed_a[kDepth * kTileRows];
  alignas(16) float packed_b[kDepth * kPanelColumns];
  for (int64_t panel = 0; panel < size.n; panel += kPanelColumns) {
    const int64_t panel_end = std::min(panel + kPanelColumns, size.n);
    for (int64_t j = panel; j < panel_end; j += kTileColumns) {
      pack<kTileColumns>(b.at(0, j), b.column_step, b.row_step, std::min(kTileColumns, panel_end - j), size.k,
                         packed_b + (j - panel) * size.k);
    }
    for (int64_t i = 0; i < size.m; i += kTileRows) {
      const int64_t rows = std::min(kTileRows, size.m - i);
      pack<kTileRows>(a.at(i, 0), a.row_step, a.column_step, rows, size.k, packed_a);
      for (int64_t j = panel; j < panel_end; j += kTileColumns) {
        const int64_t columns = std::min(kTileColumns, panel_end - j);
        const float* b_columns = packed_b + (j - panel) * size.k;
        float* to = out + i * size.n + j;
        if (rows == kTileRows && columns == kTileColumns) {
          tile(packed_a, b_columns, size.k, to, size.n);
        } else {
          edge_tile(packed_a, b_columns, size.k, to, size.n, rows, columns);
        }
      }
    }
  }
}

void add_product(Operand a, Operand b, Size size, float* out) {
  if (size.m < kTileRows) {
    for (int64_t i = 0; i < size.m; ++i) {
      one_row(a.at(i, 0), a.column_step, b, size.n, size.k, out + i * size.n);
    }
    return;
  }
  for (int64_t start = 0; start < size.k; start += kDepth) {
    many_rows({a.at(0, start), a.row_step, a.column_step}, {b.at(start, 0), b.row_step, b.column_step},
              {size.m, size.n, std::min(kDepth, size.k - start)}, out);
  }
}

}  // namespace

void matmul(ConstView a, Transpose transpose_a, ConstView b, Transpose transpose_b, View out, Write write) {
  check_rank("matmul", "a", a.shape, 2, "(.., m, k)");
  check_rank("matmul", "b", b.shape, 2, "(.., k, n)");
  const bool flip_a = transpose_a == Transpose::kYes, flip_b = transpose_b == Transpose::kYes;
  const int64_t m = a.shape[flip_a ? -1 : -2], k = a.shape[flip_a ? -2 : -1];
  const int64_t n = b.shape[flip_b ? -2 : -1];
  check_shape("matmul", "b", b.shape, flip_b ? a.shape.with_last(n, k) : a.shape.with_last(k, n));
  check_shape("matmul", "out", out.shape, a.shape.with_last(m, n));

  if (write == Write::kOverwrite) std::fill_n(out.data, out.shape.size(), 0.0f);
  if (m == 0 || n == 0 || k == 0) return;
  const int64_t batches = a.shape.leading(2);
  for (int64_t batch = 0; batch < batches; ++batch) {
    const Operand op_a{a.data + batch * m * k, flip_a ? 1 : k, flip_a ? m : 1};
    const Operand op_b{b.data + batch * k * n, flip_b ? 1 : n, flip_b ? k : 1};
    add_product(op_a, op_b, {m, n, k}, out.data + batch * m * n);
  }
}

}  // namespace sqrtdk
