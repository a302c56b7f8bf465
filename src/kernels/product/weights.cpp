// A narrow matrix lies in groups of 32 columns, [n / 32 rounded up][k][32]: a row reads it from the first
// byte to the last. Within a group, columns that are computed together are parts of the same 32-bit lanes,
// which a shift or two takes apart.
#include "kernels/product/weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "kernels/product/row_sums.h"
#include "kernels/product/tile.h"
#include "tensor/half.h"

namespace sqrtdk {
namespace {

using namespace product;

constexpr ptrdiff_t kGroup = 32;
constexpr float kLargest = 127;  // of int8, so that -x is there as well

u32x4 load_words(const void* p) { return as_u32(load(static_cast<const float*>(p))); }

/// As tile.h's Columns: columns 4 v to 4 v + 3, two to a lane.
struct Bf16Columns {
  using Element = uint16_t;
  static constexpr int kTogether = 2;
  const uint16_t* row;
  explicit Bf16Columns(const uint16_t* b) : row(b) {}
  f32x4 columns(int v) const {
    const u32x4 pairs = load_words(row + v / 2 * 8);
    return as_f32(v % 2 == 0 ? shift_left<16>(pairs) : pairs & splat_u32(0xffff0000));
  }
  void next() { row += kGroup; }
};

/// Four to a lane, without their scales.
struct Int8Columns {
  using Element = int8_t;
  static constexpr int kTogether = 4;
  const int8_t* row;
  explicit Int8Columns(const int8_t* b) : row(b) {}
  f32x4 columns(int v) const {
    const u32x4 fours = load_words(row + v / 4 * 16);
    switch (v % 4) {
      case 0:
        return to_f32(shift_right_i32<24>(shift_left<24>(fours)));
      case 1:
        return to_f32(shift_right_i32<24>(shift_left<16>(fours)));
      case 2:
        return to_f32(shift_right_i32<24>(shift_left<8>(fours)));
      default:
        return to_f32(shift_right_i32<24>(fours));
    }
  }
  void next() { row += kGroup; }
};

/// Where column j of a group is, among the group's numbers of a step.
template <class Right>
ptrdiff_t place(ptrdiff_t j) {
  constexpr ptrdiff_t kTogether = Right::kTogether, kColumns = 4 * kTogether;
  return j / kColumns * kColumns + j % 4 * kTogether + j % kColumns / 4;
}

ptrdiff_t padded(int64_t n) { return static_cast<ptrdiff_t>((n + kGroup - 1) / kGroup * kGroup); }

// to = groups of element(i, j), with zeros for columns beyond n.
template <class Right, class At>
void write_groups(ptrdiff_t k, ptrdiff_t n, typename Right::Element* to, At element) {
  for (ptrdiff_t first = 0; first < n; first += kGroup) {
    const ptrdiff_t columns = std::min(kGroup, n - first);
    for (ptrdiff_t i = 0; i < k; ++i, to += kGroup) {
      std::fill_n(to, kGroup, typename Right::Element{0});
      for (ptrdiff_t j = 0; j < columns; ++j) to[place<Right>(j)] = element(i, first + j);
    }
  }
}

// To nearest, ties to even, in the way of exp.h.
int8_t rounded(float x) {
  return static_cast<int8_t>(std::clamp(x, -kLargest, kLargest) + 0x1.8p23f - 0x1.8p23f);
}

// A column that is not finite becomes NaN.
template <class At>
float scale_of_column(ptrdiff_t k, At element) {
  float largest = 0;
  for (ptrdiff_t i = 0; i < k; ++i) {
    if (!std::isfinite(element(i))) return std::numeric_limits<float>::quiet_NaN();
    largest = std::max(largest, std::abs(element(i)));
  }
  return largest / kLargest;
}

// sums [32] = a [k] · a group, of k > 0 values: as matmul sums. More rows at a time would leave an engine too
// few registers.
template <class Right>
[[gnu::noinline]] void tile(const float* a, const void* group, ptrdiff_t k, float* sums) {
  constexpr int kVectors = kGroup / 4;
  Rows<1> left(a, 0);
  Right right(static_cast<const typename Right::Element*>(group));
  std::fill_n(sums, kGroup, 0.0f);
  do {
    const int block = static_cast<int>(std::min<ptrdiff_t>(k, kSumBlock));
    f32x4 of_block[1][kVectors];
    add_step<true>(left, right, of_block);
    for (int steps = block - 1; steps != 0; --steps) add_step(left, right, of_block);
    for (int v = 0; v < kVectors; ++v) store(sums + 4 * v, load(sums + 4 * v) + of_block[0][v]);
    k -= block;
  } while (k > 0);
}

struct Narrow {
  const float* scales;  // of int8, or null
  const char* groups;
  ptrdiff_t element;  // bytes
  // Called by its address: within another function it would be several times slower.
  void (*tile)(const float* a, const void* group, ptrdiff_t k, float* sums);
};

Narrow narrow(const PackedWeights& weights) {
  const float* const data = weights.matrix.data;
  if (weights.format == WeightFormat::kBf16)
    return {nullptr, reinterpret_cast<const char*>(data), 2, tile<Bf16Columns>};
  return {data, reinterpret_cast<const char*>(data + padded(weights.matrix.n)), 1, tile<Int8Columns>};
}

// All rows meet a group before the next one.
void multiply(const float* a, ptrdiff_t m, const Narrow& b, ptrdiff_t k, ptrdiff_t n, const float* bias,
              float* out) {
  const ptrdiff_t groups = padded(n) / kGroup;
  parallel_for(groups, m * k * kGroup, groups, [&](ptrdiff_t group, ptrdiff_t end, int) noexcept {
    alignas(16) float sums[kGroup];
    for (; group < end; ++group) {
      const ptrdiff_t j = group * kGroup;
      for (ptrdiff_t i = 0; i < m; ++i) {
        b.tile(a + i * k, b.groups + j * k * b.element, k, sums);
        each_four(std::min(kGroup, n - j), out + i * n + j, [&](auto load) {
          f32x4 x = load(sums);
          if (b.scales) x = x * load(b.scales + j);
          return bias ? x + load(bias + j) : x;
        });
      }
    }
  });
}

}  // namespace

int64_t weights_size(int64_t k, int64_t n, WeightFormat format) {
  switch (format) {
    case WeightFormat::kF32:
      return packed_size(k, n);
    case WeightFormat::kBf16:
      return padded(n) / 2 * k;
    default:
      return padded(n) + padded(n) / 4 * k;
  }
}

PackedWeights pack_weights(const ConstView& b, Transpose transpose_b, WeightFormat format, float* packed) {
  if (format == WeightFormat::kF32) return {pack_matrix(b, transpose_b, packed), format};
  check_rank("pack_weights", "b", b.shape, 2, "(k, n)");
  const bool flip = transpose_b == Transpose::kYes;
  const auto k = static_cast<ptrdiff_t>(b.shape[flip ? -1 : -2]);
  const auto n = static_cast<ptrdiff_t>(b.shape[flip ? -2 : -1]);
  check_shape("pack_weights", "b", b.shape, flip ? Shape{n, k} : Shape{k, n});
  const float* const data = b.data;
  const ptrdiff_t row_step = flip ? 1 : n, column_step = flip ? k : 1;
  const auto at = [=](ptrdiff_t i, ptrdiff_t j) { return data[i * row_step + j * column_step]; };
  if (format == WeightFormat::kBf16) {
    write_groups<Bf16Columns>(k, n, reinterpret_cast<uint16_t*>(packed),
                              [&](ptrdiff_t i, ptrdiff_t j) { return bf16_bits(at(i, j)); });
  } else {
    std::fill_n(packed, padded(n), 0.0f);
    for (ptrdiff_t j = 0; j < n; ++j) packed[j] = scale_of_column(k, [&](ptrdiff_t i) { return at(i, j); });
    write_groups<Int8Columns>(
        k, n, reinterpret_cast<int8_t*>(packed + padded(n)),
        [&](ptrdiff_t i, ptrdiff_t j) { return packed[j] > 0 ? rounded(at(i, j) / packed[j]) : int8_t{0}; });
  }
  return {{packed, k, n}, format};
}

void matmul_weights(const ConstView& a, const PackedWeights& b, const View& out, const ConstView& bias) {
  const PackedMatrix& matrix = b.matrix;
  // Without values to sum, one number is as another.
  if (b.format == WeightFormat::kF32 || matrix.k == 0)
    return matmul_packed(a, matrix, out, Write::kOverwrite, bias);
  check_rank("matmul_weights", "a", a.shape, 2, "(.., m, k)");
  check_shape("matmul_weights", "a", a.shape, a.shape.with_last(a.shape[-2], matrix.k));
  check_shape("matmul_weights", "out", out.shape, a.shape.with_last(a.shape[-2], matrix.n));
  if (bias.data || bias.shape.rank() > 0) check_shape("matmul_weights", "bias", bias.shape, {matrix.n});
  multiply(a.data, static_cast<ptrdiff_t>(a.shape.leading(1)), narrow(b), static_cast<ptrdiff_t>(matrix.k),
           static_cast<ptrdiff_t>(matrix.n), bias.data, out.data);
}

}  // namespace sqrtdk
