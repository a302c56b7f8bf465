#pragma once
// The inner loops of the matrix product. op(b) is read in slivers of eight columns: where b itself has eight
// neighbouring columns, or from memory in which they were rearranged, [k][8].
//
// Every path computes an element alike: over each block of kSumBlock values of k, sum = a·b of the first
// value, then sum = sum + a·b in order; total = 0 + sum of the first block (out + sum to accumulate), then
// total = total + sum; total + bias. Since no total begins at -0, this is what sums that begin at 0 would
// give, one addition a block cheaper; only -0 accumulated on -0 stays -0.
#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "kernels/matmul.h"
#include "simd/f32x4.h"

namespace sqrtdk::matmul_tiles {

using namespace simd;

inline constexpr int kSliver = 8;  // columns

struct Slivers {
  const float* data;
  ptrdiff_t k_step, sliver_step;
};

/// out [kRows, 8 kSlivers] = start + a · b; rows of a lie a_step apart, or interleaved as [k][kRows]. k > 0.
/// Of accumulators, kRows by 2 kSlivers, V8 keeps ten at most in registers; 4 rows by 1 sliver suit V8 and
/// SpiderMonkey alike.
template <int kRows, int kSlivers, bool kInterleaved = false>
void tile(const float* a, ptrdiff_t a_step, const float* b, ptrdiff_t k_step, ptrdiff_t sliver_step, int k,
          const float* start, ptrdiff_t start_step, float* out, ptrdiff_t out_step) {
  constexpr int kVectors = 2 * kSlivers;
  const float* rows[kRows];
  for (int r = 0; r < kRows; ++r) rows[r] = a + r * a_step;
  do {
    const int block = std::min(k, static_cast<int>(kSumBlock));
    f32x4 sums[kRows][kVectors];
    const auto step = [&](auto first) {
      f32x4 columns[kVectors];
      for (int v = 0; v < kVectors; ++v) columns[v] = load(b + v / 2 * sliver_step + v % 2 * 4);
      b += k_step;
      for (int r = 0; r < kRows; ++r) {
        const f32x4 x = load_splat(kInterleaved ? a + r : rows[r]++);
        for (int v = 0; v < kVectors; ++v) {
          const f32x4 product = mul(x, columns[v]);
          if constexpr (first) {
            sums[r][v] = product;
          } else {
            sums[r][v] = add(sums[r][v], product);
          }
        }
      }
      if constexpr (kInterleaved) a += kRows;
    };
    step(std::true_type{});
    for (int left = block - 1; left != 0; --left) step(std::false_type{});
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kVectors; ++v) {
        store(out + r * out_step + 4 * v, add(load(start + r * start_step + 4 * v), sums[r][v]));
      }
    }
    start = out;
    start_step = out_step;
    k -= block;
  } while (k > 0);
}

/// rows[columns][k], a step apart, of x [k, columns], whose rows are x_step apart.
inline void transpose(const float* x, ptrdiff_t x_step, ptrdiff_t k, ptrdiff_t columns, float* rows,
                      ptrdiff_t step) {
  ptrdiff_t i = 0;
  for (; i + 4 <= k; i += 4, x += 4 * x_step) {
    ptrdiff_t j = 0;
    for (; j + 4 <= columns; j += 4) {
      transpose_block(x + j, x_step, rows + j * step + i, step);
    }
    for (; j < columns; ++j) {
      for (int lane = 0; lane < 4; ++lane) rows[j * step + i + lane] = x[lane * x_step + j];
    }
  }
  for (; i < k; ++i, x += x_step) {
    for (ptrdiff_t j = 0; j < columns; ++j) rows[j * step + i] = x[j];
  }
}

/// panels [m / 4][k][4] of x [k, m], m a multiple of four; x's rows are x_step apart.
inline void pack_panels(const float* x, ptrdiff_t x_step, ptrdiff_t k, ptrdiff_t m, float* panels) {
  for (ptrdiff_t i = 0; i < k; ++i, x += x_step, panels += 4) {
    for (ptrdiff_t j = 0; j < m; j += 4) store(panels + j * k, load(x + j));
  }
}

/// packed [n / 8][k][8] of op(b) [k, n], a multiple of eight columns; b's rows are b_step apart. Copies whole
/// cache lines of a row at a time.
inline void pack_columns(const float* b, ptrdiff_t b_step, ptrdiff_t k, ptrdiff_t n, float* packed) {
  constexpr ptrdiff_t kTogether = 8 * kSliver;
  for (ptrdiff_t j = 0; j < n; j += kTogether) {
    const ptrdiff_t columns = std::min(kTogether, n - j);
    for (ptrdiff_t i = 0; i < k; ++i) {
      const float* from = b + i * b_step + j;
      float* to = packed + j * k + i * kSliver;
      for (ptrdiff_t s = 0; s < columns; s += kSliver, from += kSliver, to += k * kSliver) {
        store(to, load(from));
        store(to + 4, load(from + 4));
      }
    }
  }
}

/// The same of b [n, k] transposed.
inline void pack_rows(const float* b, ptrdiff_t b_step, ptrdiff_t k, ptrdiff_t n, float* packed) {
  for (ptrdiff_t j = 0; j < n; j += kSliver) {
    ptrdiff_t i = 0;
    for (; i + 4 <= k; i += 4) {
      for (int half = 0; half < kSliver; half += 4) {
        transpose_block(b + (j + half) * b_step + i, b_step, packed + i * kSliver + half, kSliver);
      }
    }
    for (; i < k; ++i) {
      for (int lane = 0; lane < kSliver; ++lane) packed[i * kSliver + lane] = b[(j + lane) * b_step + i];
    }
    packed += k * kSliver;
  }
}

/// packed [n / 8 rounded up][k][8] of op(b)[i, j] = b[i * row_step + j * column_step], one of the steps being
/// 1; columns beyond n are zeros.
inline void pack(const float* b, ptrdiff_t row_step, ptrdiff_t column_step, ptrdiff_t k, ptrdiff_t n,
                 float* packed) {
  const ptrdiff_t whole = n / kSliver * kSliver;
  if (column_step == 1) {
    pack_columns(b, row_step, k, whole, packed);
  } else {
    pack_rows(b, column_step, k, whole, packed);
  }
  if (whole == n) return;
  packed += whole * k;
  b += whole * column_step;
  for (ptrdiff_t i = 0; i < k; ++i) {
    for (ptrdiff_t j = 0; j < kSliver; ++j) {
      packed[i * kSliver + j] = j < n - whole ? b[i * row_step + j * column_step] : 0.0f;
    }
  }
}

}  // namespace sqrtdk::matmul_tiles
