#pragma once
// The micro-kernel of every matrix product: a tile of sums that stays in registers. Each step of k adds a
// column of the left operand times a row of the right operand,
//   sums[row][column] = sums[row][column] + a[row, k] · b[k, column],
// every product and every sum rounded by itself, in the order of k. V8 keeps at most ten accumulators in
// registers; 4 rows by 8 columns suit V8 and SpiderMonkey alike. What follows a loop has to be straight:
// SpiderMonkey keeps sums in memory where a branch behind the loop touches them.
#include <cstddef>

#include "simd/f32x4.h"

namespace sqrtdk::product {

using namespace simd;
using std::ptrdiff_t;

inline constexpr int kTileRows = 4, kTileColumns = 8;
inline constexpr int kTileVectors = kTileColumns / 4;

// ---- Left operands: row(r) is a[r, k] in all lanes

/// A column of the tile's rows in every kStep floats, its rows kRow apart: a packed panel [k][kStep]. The
/// offsets within a column stay the same from step to step: for each of them V8 has an instruction, in every
/// round of a loop unless a step before the loop had the same ones.
template <int kStep, int kRow = 1>
struct PanelOfRows {
  const float* column;
  explicit PanelOfRows(const float* a, ptrdiff_t = 0) : column(a) {}
  f32x4 row(int r) const { return load_splat(column + r * kRow); }
  void next() { column = opaque(column + kStep); }
};

/// Rows where they are, of kRows pointers.
template <int kRows>
struct Rows {
  const float* at[kRows];
  Rows(const float* a, ptrdiff_t step) {
    for (int r = 0; r < kRows; ++r) at[r] = a + r * step;
  }
  f32x4 row(int r) { return load_splat(at[r]++); }
  void next() {}
};

// ---- Right operands: columns(v) are b[k, 4 v ..]

/// Rows that are k_step apart; of further panels of eight columns, panel_step apart.
struct Columns {
  const float* row;
  ptrdiff_t k_step, panel_step;
  Columns(const float* b, int64_t k_step, int64_t panel_step = kTileColumns)
      : row(b), k_step(static_cast<ptrdiff_t>(k_step)), panel_step(static_cast<ptrdiff_t>(panel_step)) {}
  f32x4 columns(int v) const { return load(row + v / kTileVectors * panel_step + v % kTileVectors * 4); }
  void next() { row += k_step; }
};

// ---- The tile

/// One step. The first sets the sums, which saves zeros and an addition, unless they were cleared.
template <bool kFirst = false, int kRows, int kVectors, class Left, class Right>
[[gnu::always_inline]] inline void add_step(Left& a, Right& b, f32x4 (&sums)[kRows][kVectors]) {
  f32x4 columns[kVectors];
  for (int v = 0; v < kVectors; ++v) columns[v] = b.columns(v);
  b.next();
  for (int r = 0; r < kRows; ++r) {
    const f32x4 x = a.row(r);
    for (int v = 0; v < kVectors; ++v) {
      if constexpr (kFirst) {
        sums[r][v] = x * columns[v];
      } else {
        sums[r][v] = sums[r][v] + x * columns[v];
      }
    }
  }
  a.next();
}

template <int kRows, int kVectors>
[[gnu::always_inline]] inline void clear(f32x4 (&sums)[kRows][kVectors]) {
  for (auto& row : sums) {
    for (f32x4& lanes : row) lanes = zero();
  }
}

}  // namespace sqrtdk::product
