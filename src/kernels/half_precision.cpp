#include "kernels/half_precision.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/errors.h"
#include "simd/bits.h"
#include "simd/f32x4.h"

namespace sqrtdk {
namespace {

using namespace simd;

// Rounding to the nearest even by adding half a unit, or a bit less where the last bit kept is even.
template <int bits>
u32x4 drop_bits(u32x4 x) {
  const u32x4 odd = shift_right_u32<bits>(x) & splat_u32(1);
  x = x + (odd + splat_u32((1u << (bits - 1)) - 1));
  return x & splat_u32(~uint32_t{0} << bits);
}

// f16_value(f16_bits(x)), lane by lane; see tensor/half.cpp.
f32x4 round_f16(f32x4 x) {
  const f32x4 magnitude = abs(x), half = splat(0.5f);
  const u32x4 bits = as_u32(magnitude);
  f32x4 y = select(magnitude < splat(0x1p-14f), magnitude + half - half, as_f32(drop_bits<13>(bits)));
  y = select(magnitude >= splat(65520.0f), splat(INFINITY), y);
  y = select(x != x, as_f32((bits | splat_u32(0x7fc00000)) & splat_u32(0xffffe000)), y);
  return with_sign_of(y, x);
}

// bf16_value(bf16_bits(x))
f32x4 round_bf16(f32x4 x) {
  const u32x4 bits = as_u32(x), quiet = (bits | splat_u32(0x00400000)) & splat_u32(0xffff0000);
  return as_f32(select(x != x, quiet, drop_bits<16>(bits)));
}

template <Format format>
f32x4 rounded(f32x4 x) {
  if constexpr (format == Format::kF16) return round_f16(x);
  if constexpr (format == Format::kBf16) return round_bf16(x);
  return x;
}

template <Format format>
float rounded(float x) {
  if constexpr (format == Format::kF16) return f16_value(f16_bits(x));
  if constexpr (format == Format::kBf16) return bf16_value(bf16_bits(x));
  return x;
}

template <Format format>
void round_all(const float* x, int64_t n, float* out) {
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) store(out + i, rounded<format>(load(x + i)));
  if (i < n) store_first(out + i, n - i, rounded<format>(load_first(x + i, n - i, zero())));
}

// A sum that is to be rounded once more, to fewer bits, is first rounded to odd: cut off, and its last bit
// set where anything was lost. The second rounding then gives what rounding the exact sum gives, if it drops
// two bits or more (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008). `sum` is the
// nearest to the exact sum, `lost` the exact sum less that.

f32x4 to_odd(f32x4 sum, f32x4 lost) {
  const u32x4 bits = as_u32(sum), one = splat_u32(1);
  const mask4 adjust = ((bits & one) == splat_u32(0)) & (abs(lost) > zero());
  const u32x4 away_or_back = shift_right_i32<31>(bits ^ as_u32(lost)) | one;  // 1 or -1
  return as_f32(bits + keep_where(adjust, away_or_back));
}

template <class Float, class Integer>
Float to_odd(Float sum, double lost) {
  const auto bits = bit_cast<Integer>(sum);
  if ((bits & 1) != 0 || !(std::abs(lost) > 0)) return sum;
  return bit_cast<Float>(bits + (std::signbit(sum) == std::signbit(lost) ? 1 : -1));
}

// What rounding took from sum = a + b (TwoSum: Knuth, volume 2, 4.2.2). NaN where the sum is not finite.
f32x4 lost_in(f32x4 a, f32x4 b, f32x4 sum) {
  const f32x4 b_part = sum - a;
  return a - (sum - b_part) + (b - b_part);
}
double lost_in(double a, double b, double sum) {
  const double b_part = sum - a;
  return (a - (sum - b_part)) + (b - b_part);
}

// round(s + a · b), for products that are exact in float.
template <Format accumulate>
f32x4 add_product(f32x4 s, f32x4 a, f32x4 b) {
  const f32x4 product = a * b, sum = s + product;
  if constexpr (accumulate == Format::kF32) return sum;
  return rounded<accumulate>(to_odd(sum, lost_in(s, product, sum)));
}

// round(s + a · b), for any floats: their products are exact in double.
template <Format accumulate>
float add_product(float s, float a, float b) {
  const double product = static_cast<double>(a) * b;
  double sum = s + product;
  sum = to_odd<double, int64_t>(sum, lost_in(s, product, sum));
  const auto nearest = static_cast<float>(sum);
  if constexpr (accumulate == Format::kF32) return nearest;
  return rounded<accumulate>(to_odd<float, int32_t>(nearest, sum - nearest));
}

// Tiles of op(b), rounded, and of a row of op(a).
constexpr int64_t kTileK = 64, kTileN = 64;

struct Matrix {
  const float* data;
  int64_t row, column;  // steps
};

// sums[0 .. kTileN) += a row · a tile.
template <Format accumulate>
void add_row(const float* a, const float* tile, int64_t k, bool exact_in_f32, float* sums) {
  if (exact_in_f32) {
    for (int64_t j = 0; j < kTileN; j += 16) {
      f32x4 s[4] = {load(sums + j), load(sums + j + 4), load(sums + j + 8), load(sums + j + 12)};
      for (int64_t l = 0; l < k; ++l) {
        const f32x4 a_l = load_splat(a + l);
        for (int v = 0; v < 4; ++v) {
          s[v] = add_product<accumulate>(s[v], a_l, load(tile + l * kTileN + j + 4 * v));
        }
      }
      for (int v = 0; v < 4; ++v) store(sums + j + 4 * v, s[v]);
    }
    return;
  }
  for (int64_t l = 0; l < k; ++l) {
    for (int64_t j = 0; j < kTileN; ++j) {
      sums[j] = add_product<accumulate>(sums[j], a[l], tile[l * kTileN + j]);
    }
  }
}

struct Sizes {
  int64_t m, k, n;
};

template <Format format, Format accumulate>
void multiply(Matrix a, Matrix b, Sizes size, bool exact_in_f32, float* out) {
  float tile[kTileK * kTileN], a_row[kTileK], sums[kTileN];
  std::fill_n(out, size.m * size.n, 0.0f);
  for (int64_t j0 = 0; j0 < size.n; j0 += kTileN) {
    const int64_t columns = std::min(size.n - j0, kTileN);
    for (int64_t l0 = 0; l0 < size.k; l0 += kTileK) {
      const int64_t k = std::min(size.k - l0, kTileK);
      std::fill_n(tile, kTileK * kTileN, 0.0f);
      for (int64_t l = 0; l < k; ++l) {
        for (int64_t j = 0; j < columns; ++j) {
          tile[l * kTileN + j] = b.data[(l0 + l) * b.row + (j0 + j) * b.column];
        }
      }
      round_all<format>(tile, kTileK * kTileN, tile);
      for (int64_t i = 0; i < size.m; ++i) {
        for (int64_t l = 0; l < k; ++l) a_row[l] = a.data[i * a.row + (l0 + l) * a.column];
        round_all<format>(a_row, k, a_row);
        float* const out_row = out + i * size.n + j0;
        std::fill_n(std::copy_n(out_row, columns, sums), kTileN - columns, 0.0f);
        add_row<accumulate>(a_row, tile, k, exact_in_f32, sums);
        std::copy_n(sums, columns, out_row);
      }
    }
  }
}

using Multiply = void (*)(Matrix, Matrix, Sizes, bool, float*);

template <Format format>
Multiply multiply_with(Format accumulate) {
  return accumulate == Format::kF16    ? multiply<format, Format::kF16>
         : accumulate == Format::kBf16 ? multiply<format, Format::kBf16>
                                       : multiply<format, Format::kF32>;
}

// Whether products of bf16 are exact in float, and so is what is lost in adding them.
bool moderate(ConstView x) {
  const int64_t n = x.shape.size();
  for (int64_t i = 0; i < n; ++i) {
    const float magnitude = std::abs(x.data[i]);
    if (magnitude != 0 && !(magnitude >= 0x1p-50f && magnitude <= 0x1p50f)) return false;
  }
  return true;
}

}  // namespace

void round_to(Format format, ConstView x, View out) {
  check_shape("round_to", "out", out.shape, x.shape);
  const int64_t n = x.shape.size();
  if (format == Format::kF16) {
    round_all<Format::kF16>(x.data, n, out.data);
  } else if (format == Format::kBf16) {
    round_all<Format::kBf16>(x.data, n, out.data);
  } else if (out.data != x.data) {
    std::copy_n(x.data, n, out.data);
  }
}

void matmul_in_format(ConstView a, Transpose transpose_a, ConstView b, Transpose transpose_b, Format format,
                      Format accumulate, View out) {
  const char* op = "matmul_in_format";
  const bool a_transposed = transpose_a == Transpose::kYes, b_transposed = transpose_b == Transpose::kYes;
  check_rank(op, "a", a.shape, 2, a_transposed ? "(.., k, m)" : "(.., m, k)");
  check_rank(op, "b", b.shape, 2, b_transposed ? "(.., n, k)" : "(.., k, n)");
  const Sizes size{a.shape[a_transposed ? -1 : -2], a.shape[a_transposed ? -2 : -1],
                   b.shape[b_transposed ? -2 : -1]};
  const int64_t b_rows = b_transposed ? size.n : size.k, b_columns = b_transposed ? size.k : size.n;
  const bool shared = b.shape.rank() == 2;
  check_shape(op, "b", b.shape, shared ? Shape{b_rows, b_columns} : a.shape.with_last(b_rows, b_columns));
  check_shape(op, "out", out.shape, a.shape.with_last(size.m, size.n));

  const bool exact_in_f32 = format == Format::kF16 || (format == Format::kBf16 && moderate(a) && moderate(b));
  const Multiply kernel = format == Format::kF16    ? multiply_with<Format::kF16>(accumulate)
                          : format == Format::kBf16 ? multiply_with<Format::kBf16>(accumulate)
                                                    : multiply_with<Format::kF32>(accumulate);
  const Matrix a_steps{nullptr, a_transposed ? 1 : size.k, a_transposed ? size.m : 1};
  const Matrix b_steps{nullptr, b_transposed ? 1 : size.n, b_transposed ? size.k : 1};
  const int64_t batches = a.shape.leading(2);
  for (int64_t batch = 0; batch < batches; ++batch) {
    kernel({a.data + batch * size.m * size.k, a_steps.row, a_steps.column},
           {b.data + (shared ? 0 : batch * size.k * size.n), b_steps.row, b_steps.column}, size, exact_in_f32,
           out.data + batch * size.m * size.n);
  }
}

}  // namespace sqrtdk
