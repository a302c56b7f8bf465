// The product is computed in blocks of columns of op(b) that fit in a second-level cache, of each block a
// piece of k at a time. A block is packed into panels of eight columns where the rows are many enough to
// repay it, and rows of op(a) into panels of four where the columns are: then a panel of op(b) stays in the
// first-level cache while all panels of op(a) pass by. What remains is read where it is.
//
// Every path computes an element alike: over each block of kSumBlock values of k, sum = a·b of the first
// value, then sum = sum + a·b in order; total = 0 + sum of the first block (out + sum to accumulate), then
// total = total + sum; total + bias. Since no total begins at -0, this is what sums that begin at 0 would
// give, one addition a block cheaper; only -0 accumulated on -0 stays -0.
#include "kernels/product/matmul.h"

#include <algorithm>
#include <array>

#include "base/parallel.h"
#include "kernels/product/packing.h"
#include "kernels/product/tile.h"

namespace sqrtdk {
namespace {

using namespace product;

constexpr ptrdiff_t kDepth = 256;            // of k at a time: whole blocks of kSumBlock
constexpr ptrdiff_t kBlock = kDepth * 256;   // floats of op(b) packed at a time: 256 kB
constexpr ptrdiff_t kRowsInPlace = 16;       // with so few rows, b is read where it is
constexpr ptrdiff_t kRowsPacked = 128;       // rows of op(a) at a time: 128 kB
constexpr ptrdiff_t kFewRows = 64;           // fewer take longer pieces of k, and nothing is touched for them
constexpr ptrdiff_t kColumnsRepay = 48;      // with fewer columns, a is read where it is
constexpr ptrdiff_t kRowStep = kDepth + 16;  // no power of two: such rows would share a few sets of the cache
constexpr ptrdiff_t kPartColumns = 256, kPartRows = 512;  // of a thread at a time
static_assert(kDepth % kSumBlock == 0);

constexpr int kMostColumns = 4 * kTileColumns;  // of a tile
alignas(16) constexpr float kZeros[kMostColumns] = {};
// The bias that leaves every sum as it is, even -0.
alignas(16) constexpr auto kNoBias = [] {
  std::array<float, kMostColumns> zeros{};
  zeros.fill(-0.0f);
  return zeros;
}();

struct Size {
  ptrdiff_t m, n, k;
};

struct Operand {  // op(x)[row, column] = data[row * row_step + column * column_step]
  const float* data;
  ptrdiff_t row_step, column_step;
  Operand(const float* x, bool transposed, ptrdiff_t rows, ptrdiff_t columns)
      : Operand(x, transposed ? 1 : columns, transposed ? rows : 1) {}
  Operand(const float* x, ptrdiff_t row_step, ptrdiff_t column_step)
      : data(x), row_step(row_step), column_step(column_step) {}
  Operand from(ptrdiff_t row, ptrdiff_t column) const {
    return {data + row * row_step + column * column_step, row_step, column_step};
  }
};

struct Output {
  float* data;
  ptrdiff_t step;  // from row to row
  bool accumulate;
  const float* bias;  // or null
  Output from(ptrdiff_t row, ptrdiff_t column) const {
    return {data + row * step + column, step, accumulate, bias ? bias + column : nullptr};
  }
  // What the sums of a tile begin with, and what is added to them at last.
  const float* start(const float* at) const { return accumulate ? at : kZeros; }
  ptrdiff_t start_step() const { return accumulate ? step : 0; }
  const float* last(ptrdiff_t column) const { return bias ? bias + column : kNoBias.data(); }
};

// out [kRows, 4 kVectors] = start + a · b + bias, of k > 0 values. What is added from block to block lies
// together: rows of out may share a few sets of the cache.
template <int kRows, int kVectors, class Left>
[[gnu::always_inline]] inline void multiply_tile(Left& left, Columns right, int k, const float* start,
                                                 ptrdiff_t start_step, const float* bias, float* out,
                                                 ptrdiff_t out_step) {
  alignas(16) float totals[kRows][kVectors][4];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) store(totals[r][v], load(start + r * start_step + 4 * v));
  }
  do {
    const int block = std::min(k, static_cast<int>(kSumBlock));
    f32x4 sums[kRows][kVectors];
    add_step<true>(left, right, sums);
    for (int steps = block - 1; steps != 0; --steps) add_step(left, right, sums);
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kVectors; ++v) store(totals[r][v], load(totals[r][v]) + sums[r][v]);
    }
    k -= block;
  } while (k > 0);
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      store(out + r * out_step + 4 * v, load(totals[r][v]) + load(bias + 4 * v));
    }
  }
}

// kRows rows of a, a_step apart, times kPanels panels of b.
template <int kRows, int kPanels>
[[gnu::noinline]] void tile(const float* a, ptrdiff_t a_step, const float* b, ptrdiff_t k_step,
                            ptrdiff_t panel_step, int k, const float* start, ptrdiff_t start_step,
                            const float* bias, float* out, ptrdiff_t out_step) {
  Rows<kRows> left(a, a_step);
  multiply_tile<kRows, kTileVectors * kPanels>(left, Columns(b, k_step, panel_step), k, start, start_step,
                                               bias, out, out_step);
}

// `count` panels of four rows of a, one behind the other, times a panel of b.
[[gnu::noinline]] void column_of_tiles(const float* a, ptrdiff_t count, const float* b, ptrdiff_t k_step,
                                       int k, const float* start, ptrdiff_t start_step, const float* bias,
                                       float* out, ptrdiff_t out_step) {
  PanelOfRows<kTileRows> left(a);
  do {
    multiply_tile<kTileRows, kTileVectors>(left, Columns(b, k_step), k, start, start_step, bias, out,
                                           out_step);
    start += kTileRows * start_step;
    out += kTileRows * out_step;
  } while (--count > 0);
}

// op(b) in panels of eight columns, [k][8]: in b itself, or packed.
struct Panels {
  const float* data;
  ptrdiff_t k_step, panel_step;
  bool far = false;  // packed long ago: perhaps in no near cache
};

// Rows of out up to its last column, as a whole tile [rows, 8] with its bias, and put back into out.
struct EdgeTile {
  alignas(16) float numbers[kTileRows * kTileColumns] = {}, bias[kTileColumns] = {};
  [[gnu::noinline]] EdgeTile(ptrdiff_t rows, ptrdiff_t columns, const Output& out) {
    for (ptrdiff_t i = 0; out.accumulate && i < rows; ++i)
      std::copy_n(out.data + i * out.step, columns, numbers + i * kTileColumns);
    std::copy_n(out.last(0), columns, bias);
  }
  [[gnu::noinline]] void put(ptrdiff_t rows, ptrdiff_t columns, const Output& out) const {
    for (ptrdiff_t i = 0; i < rows; ++i)
      std::copy_n(numbers + i * kTileColumns, columns, out.data + i * out.step);
  }
};

// kRows rows of out: those rows of a, a_step apart, stay in the first-level cache while all panels pass by.
template <int kRows, int kPanels>
void few_rows_times_panels(const float* a, ptrdiff_t a_step, const Panels& panels, const Size& size,
                           const Output& to, ptrdiff_t row) {
  const int k = static_cast<int>(size.k);
  const ptrdiff_t k_step = panels.k_step, panel_step = panels.panel_step;
  const Output out = to.from(row, 0);
  const float* b = panels.data;
  a += row * a_step;
  ptrdiff_t j = 0;
  for (; j + kPanels * kTileColumns <= size.n; j += kPanels * kTileColumns, b += kPanels * panel_step) {
    float* const at = out.data + j;
    tile<kRows, kPanels>(a, a_step, b, k_step, panel_step, k, out.start(at), out.start_step(), out.last(j),
                         at, out.step);
  }
  if constexpr (kPanels > 1) {
    for (; j + kTileColumns <= size.n; j += kTileColumns, b += panel_step) {
      float* const at = out.data + j;
      tile<kRows, 1>(a, a_step, b, k_step, 0, k, out.start(at), out.start_step(), out.last(j), at, out.step);
    }
  }
  if (j < size.n) {
    const Output last = out.from(0, j);
    EdgeTile edge(kRows, size.n - j, last);
    tile<kRows, 1>(a, a_step, b, k_step, 0, k, edge.numbers, kTileColumns, edge.bias, edge.numbers,
                   kTileColumns);
    edge.put(kRows, size.n - j, last);
  }
}

void rows_times_panels(const float* a, ptrdiff_t a_step, const Panels& b, const Size& size,
                       const Output& out) {
  ptrdiff_t i = 0;
  for (; i + 4 <= size.m; i += 4) few_rows_times_panels<4, 1>(a, a_step, b, size, out, i);
  for (; i + 2 <= size.m; i += 2) few_rows_times_panels<2, 2>(a, a_step, b, size, out, i);
  if (i < size.m) few_rows_times_panels<1, 4>(a, a_step, b, size, out, i);
}

// Reads a number of each cache line, so that the lines are near when they are needed.
void touch(const float* from, const float* end) {
  constexpr ptrdiff_t kLine = 16;
  for (; from < end; from += kLine) static_cast<void>(*static_cast<const volatile float*>(from));
}

// Rows of op(a) in panels of four: all of them meet a panel of op(b) before the next one, of which each tile
// touches its share where that may be far.
void panels_times_panels(const float* a, const Panels& b, const Size& size, const Output& out) {
  const int k = static_cast<int>(size.k);
  const float* panel = b.data;
  const ptrdiff_t tiles = size.m / kTileRows, share = (size.k + tiles - 1) / tiles * kTileColumns;
  // With fewer rows a tile's share would take longer than what it saves.
  const bool touches = b.far && size.m >= kFewRows;
  for (ptrdiff_t j = 0; j < size.n; j += kTileColumns, panel += b.panel_step) {
    const ptrdiff_t columns = size.n - j;
    const bool whole_columns = columns >= kTileColumns, touches_next = touches && columns > kTileColumns;
    const ptrdiff_t together = touches_next || !whole_columns ? 1 : tiles;
    const float* next = panel + b.panel_step;
    const float* const next_end = next + size.k * kTileColumns;
    for (ptrdiff_t i = 0; i < tiles; i += together) {
      const float* rows = a + i * kTileRows * size.k;
      const Output to = out.from(i * kTileRows, j);
      if (!whole_columns) {
        EdgeTile edge(kTileRows, columns, to);
        column_of_tiles(rows, 1, panel, b.k_step, k, edge.numbers, kTileColumns, edge.bias, edge.numbers,
                        kTileColumns);
        edge.put(kTileRows, columns, to);
        continue;
      }
      if (touches_next) touch(next + i * share, std::min(next + (i + 1) * share, next_end));
      column_of_tiles(rows, together, panel, b.k_step, k, to.start(to.data), to.start_step(), to.last(0),
                      to.data, to.step);
    }
  }
}

// Of k so much that kRowsPacked · kDepth floats hold all rows, or kRowsPacked of them. Rows that are no whole
// panel are left where they are, or transposed.
void times_panels(const Operand& a, const Panels& b, const Size& size, const Output& out) {
  const bool in_rows = a.column_step == 1;
  if (in_rows && size.n < kColumnsRepay) return rows_times_panels(a.data, a.row_step, b, size, out);
  alignas(16) float packed[kRowsPacked * kDepth];
  const ptrdiff_t k = size.k, n = size.n, whole = size.m / kTileRows * kTileRows, rest = size.m - whole;
  for (ptrdiff_t i = 0; i < whole; i += kRowsPacked) {
    const ptrdiff_t m = std::min(kRowsPacked, whole - i);
    const Operand rows = a.from(i, 0);
    if (in_rows) {
      pack_rows<kTileRows>(rows.data, a.row_step, m, k, packed);
    } else {
      pack_columns<kTileRows>(rows.data, a.column_step, k, m, k, packed);
    }
    panels_times_panels(packed, {b.data, b.k_step, b.panel_step, b.far && i == 0}, {m, n, k}, out.from(i, 0));
  }
  const Operand last = a.from(whole, 0);
  if (!in_rows) transpose(last.data, a.column_step, k, rest, packed, kRowStep);
  rows_times_panels(in_rows ? last.data : packed, in_rows ? a.row_step : kRowStep, b, {rest, n, k},
                    out.from(whole, 0));
}

// packed [n / 8 rounded up][k][8] of op(b) [k, n].
void pack(const Operand& b, ptrdiff_t k, ptrdiff_t n, float* packed) {
  if (b.column_step == 1) {
    pack_columns<kTileColumns>(b.data, b.row_step, k, n, k, packed);
  } else {
    pack_rows<kTileColumns>(b.data, b.column_step, n, k, packed);
  }
}

// Calls run for each piece of k, at most `longest`, with its start, its length, and the output with what is
// due then.
template <class Run>
void for_each_depth(ptrdiff_t k, ptrdiff_t longest, const Output& out, Run run) {
  for (ptrdiff_t start = 0; start < k; start += longest) {
    const ptrdiff_t depth = std::min(longest, k - start);
    const bool last = start + depth == k;
    run(start, depth, Output{out.data, out.step, out.accumulate || start > 0, last ? out.bias : nullptr});
  }
}

void in_place(const Operand& a, const Operand& b, const Size& size, const Output& out) {
  for_each_depth(size.k, kDepth, out, [&](ptrdiff_t start, ptrdiff_t depth, const Output& to) {
    times_panels(a.from(0, start), {b.from(start, 0).data, b.row_step, kTileColumns}, {size.m, size.n, depth},
                 to);
  });
}

void packed(const Operand& a, const Operand& b, const Size& size, const Output& out) {
  alignas(16) float panels[kBlock];
  const ptrdiff_t columns = kBlock / std::min(size.k, kDepth) / kTileColumns * kTileColumns;
  for (ptrdiff_t j = 0; j < size.n; j += columns) {
    const ptrdiff_t n = std::min(columns, size.n - j);
    for_each_depth(size.k, kDepth, out.from(0, j), [&](ptrdiff_t start, ptrdiff_t depth, const Output& to) {
      pack(b.from(start, j), depth, n, panels);
      times_panels(a.from(0, start), {panels, kTileColumns, depth * kTileColumns}, {size.m, n, depth}, to);
    });
  }
}

void product_of(const Operand& a, const Operand& b, const Size& size, const Output& out) {
  const bool stay = b.column_step == 1 && size.m <= kRowsInPlace;
  const ptrdiff_t n = stay ? size.n / kTileColumns * kTileColumns : 0;  // columns in whole panels of b itself
  if (n > 0) in_place(a, b, {size.m, n, size.k}, out);
  if (n < size.n) packed(a, b.from(0, n), {size.m, size.n - n, size.k}, out.from(0, n));
}

// Calls run(row, column, size) for parts of out, which threads share: some of its columns, or of its rows
// where these are more, since each part packs anew what it shares with the others.
template <class Run>
void for_each_part(const Size& size, const Run& run) noexcept {
  if (n_threads() == 1) return run(0, 0, size);
  const bool by_rows = size.m > size.n;
  const ptrdiff_t n = by_rows ? size.m : size.n, across = by_rows ? size.n : size.m;
  const ptrdiff_t longest = n_threads() * (by_rows ? kPartRows : kPartColumns);
  const ptrdiff_t unit = n_threads() * ((n + longest - 1) / longest) * kTileColumns;
  const ptrdiff_t step = (n + unit - 1) / unit * kTileColumns, parts = (n + step - 1) / step;
  parallel_for(parts, step * across * size.k, parts, [&](ptrdiff_t begin, ptrdiff_t end, int) noexcept {
    const ptrdiff_t first = begin * step, length = std::min(end * step, n) - first;
    if (by_rows) {
      run(first, 0, Size{length, size.n, size.k});
    } else {
      run(0, first, Size{size.m, length, size.k});
    }
  });
}

bool given(const ConstView& bias) { return bias.data || bias.shape.rank() > 0; }

// What a sum over no k is.
void empty_sum(const Size& size, const Output& out) {
  for (ptrdiff_t i = 0; i < size.m; ++i) {
    float* const row = out.data + i * out.step;
    for (ptrdiff_t j = 0; j < size.n; ++j) row[j] = (out.accumulate ? row[j] : 0.0f) + *out.last(j);
  }
}

}  // namespace

void matmul(const ConstView& a, Transpose transpose_a, const ConstView& b, Transpose transpose_b,
            const View& out, Write write, const ConstView& bias) {
  check_rank("matmul", "a", a.shape, 2, "(.., m, k)");
  check_rank("matmul", "b", b.shape, 2, "(.., k, n)");
  const bool flip_a = transpose_a == Transpose::kYes, flip_b = transpose_b == Transpose::kYes;
  const bool shared = b.shape.rank() == 2;
  ptrdiff_t m = a.shape[flip_a ? -1 : -2];
  const ptrdiff_t k = a.shape[flip_a ? -2 : -1], n = b.shape[flip_b ? -2 : -1];
  const Shape& like = shared ? b.shape : a.shape;
  check_shape("matmul", "b", b.shape, flip_b ? like.with_last(n, k) : like.with_last(k, n));
  check_shape("matmul", "out", out.shape, a.shape.with_last(m, n));
  if (given(bias)) check_shape("matmul", "bias", bias.shape, {n});

  if (out.shape.size() == 0) return;
  ptrdiff_t batches = a.shape.leading(2);
  if (shared && !flip_a) {
    m *= batches;
    batches = 1;
  }
  const auto multiply = [&](ptrdiff_t batch, ptrdiff_t row, ptrdiff_t column, const Size& size) noexcept {
    const Operand a_of{a.data + batch * m * k, flip_a, m, k};
    const Operand b_of{b.data + (shared ? 0 : batch * k * n), flip_b, k, n};
    const Output to{out.data + batch * m * n, n, write == Write::kAccumulate, bias.data};
    if (k == 0) {
      empty_sum(size, to);
    } else {
      product_of(a_of.from(row, 0), b_of.from(0, column), size, to.from(row, column));
    }
  };
  const Size size{m, n, k};
  if (k == 0 || n_threads() == 1 || batches >= n_threads()) {
    parallel_for(batches, m * n * k, batches, [&](ptrdiff_t batch, ptrdiff_t end, int) noexcept {
      for (; batch < end; ++batch) multiply(batch, 0, 0, size);
    });
  } else {
    for (ptrdiff_t batch = 0; batch < batches; ++batch) {
      for_each_part(size, [&](ptrdiff_t row, ptrdiff_t column, const Size& part) noexcept {
        multiply(batch, row, column, part);
      });
    }
  }
}

int64_t packed_size(int64_t k, int64_t n) { return (n + kTileColumns - 1) / kTileColumns * kTileColumns * k; }

PackedMatrix pack_matrix(const ConstView& b, Transpose transpose_b, float* packed) {
  check_rank("pack_matrix", "b", b.shape, 2, "(k, n)");
  const int64_t rows = b.shape[-2], columns = b.shape[-1];
  check_shape("pack_matrix", "b", b.shape, {rows, columns});
  const bool flip = transpose_b == Transpose::kYes;
  const ptrdiff_t k = flip ? columns : rows, n = flip ? rows : columns;
  pack({b.data, flip, k, n}, k, n, packed);
  return {packed, k, n};
}

void matmul_packed(const ConstView& a, const PackedMatrix& b, const View& out, Write write,
                   const ConstView& bias) {
  check_rank("matmul_packed", "a", a.shape, 2, "(.., m, k)");
  const ptrdiff_t m = a.shape.leading(1), k = b.k, n = b.n;
  check_shape("matmul_packed", "a", a.shape, a.shape.with_last(a.shape[-2], k));
  check_shape("matmul_packed", "out", out.shape, a.shape.with_last(a.shape[-2], n));
  if (given(bias)) check_shape("matmul_packed", "bias", bias.shape, {n});

  const Output to{out.data, n, write == Write::kAccumulate, bias.data};
  if (out.shape.size() == 0) return;
  if (k == 0) return empty_sum({m, n, k}, to);
  for_each_part({m, n, k}, [&](ptrdiff_t row, ptrdiff_t column, const Size& size) noexcept {
    const Operand rows = Operand(a.data, k, 1).from(row, 0);
    const float* const columns = b.data + column * k;
    // The fewer the rows, the longer the pieces that fit: b, which may be in no cache, is read with fewer
    // gaps.
    const ptrdiff_t longest = std::max<ptrdiff_t>(1, kFewRows / size.m) * kDepth;
    for_each_depth(
        k, longest, to.from(row, column), [&](ptrdiff_t start, ptrdiff_t depth, const Output& piece) {
          const Panels panels{columns + start * kTileColumns, kTileColumns, k * kTileColumns, true};
          times_panels(rows.from(0, start), panels, {size.m, size.n, depth}, piece);
        });
  });
}

}  // namespace sqrtdk
