#include "kernels/product/packing.h"

#include <algorithm>

#include "simd/f32x4.h"

namespace sqrtdk::product {
namespace {

using namespace simd;
using std::ptrdiff_t;

constexpr ptrdiff_t kTogether = 64;  // columns: whole cache lines of a row at a time

}  // namespace

template <int kWidth>
void pack_rows(const float* x, ptrdiff_t x_step, ptrdiff_t n, ptrdiff_t k, float* panels) noexcept {
  for (; n > 0; n -= kWidth, x += kWidth * x_step, panels += k * kWidth) {
    const int rows = static_cast<int>(std::min<ptrdiff_t>(kWidth, n)), fours = rows / 4 * 4;
    ptrdiff_t i = 0;
    for (; i + 4 <= k; i += 4) {
      for (int r = 0; r < fours; r += 4)
        transpose_block(x + r * x_step + i, x_step, panels + i * kWidth + r, kWidth);
    }
    for (; i < k; ++i) {
      for (int r = 0; r < fours; ++r) panels[i * kWidth + r] = x[r * x_step + i];
    }
    if (fours == kWidth) continue;
    for (i = 0; i < k; ++i) {
      for (int r = fours; r < kWidth; ++r) panels[i * kWidth + r] = r < rows ? x[r * x_step + i] : 0.0f;
    }
  }
}

template <int kWidth>
void pack_columns(const float* x, ptrdiff_t x_step, ptrdiff_t k, ptrdiff_t n, ptrdiff_t height,
                  float* panels) noexcept {
  const ptrdiff_t whole = n / kWidth * kWidth;
  for (ptrdiff_t j = 0; j < whole; j += kTogether) {
    const ptrdiff_t columns = std::min(kTogether, whole - j);
    for (ptrdiff_t i = 0; i < k; ++i) {
      const float* from = x + i * x_step + j;
      float* to = panels + j * height + i * kWidth;
      for (ptrdiff_t c = 0; c < columns; c += kWidth, from += kWidth, to += height * kWidth) {
        for (int v = 0; v < kWidth; v += 4) store(to + v, load(from + v));
      }
    }
  }
  if (whole == n) return;
  float* to = panels + whole * height;
  for (ptrdiff_t i = 0; i < k; ++i, x += x_step, to += kWidth) {
    for (ptrdiff_t c = 0; c < kWidth; ++c) to[c] = whole + c < n ? x[whole + c] : 0.0f;
  }
}

void transpose(const float* x, ptrdiff_t x_step, ptrdiff_t k, ptrdiff_t columns, float* rows,
               ptrdiff_t step) noexcept {
  ptrdiff_t i = 0;
  for (; i + 4 <= k; i += 4, x += 4 * x_step) {
    ptrdiff_t j = 0;
    for (; j + 4 <= columns; j += 4) transpose_block(x + j, x_step, rows + j * step + i, step);
    for (; j < columns; ++j) {
      for (int lane = 0; lane < 4; ++lane) rows[j * step + i + lane] = x[lane * x_step + j];
    }
  }
  for (; i < k; ++i, x += x_step) {
    for (ptrdiff_t j = 0; j < columns; ++j) rows[j * step + i] = x[j];
  }
}

template void pack_rows<4>(const float*, ptrdiff_t, ptrdiff_t, ptrdiff_t, float*) noexcept;
template void pack_rows<8>(const float*, ptrdiff_t, ptrdiff_t, ptrdiff_t, float*) noexcept;
template void pack_columns<4>(const float*, ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t, float*) noexcept;
template void pack_columns<8>(const float*, ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t, float*) noexcept;

}  // namespace sqrtdk::product
