#pragma once
// Sums over a row whose order depends on indices alone. Element j goes to lane j mod (4 · kVectors) of its
// block of 1024; the lanes of a block are joined by a fixed tree, and blocks in double, in order. Short
// chains of float additions keep the rounding error of long rows as small as that of short ones.
#include <algorithm>
#include <cstddef>

#include "simd/f32x4.h"

namespace sqrtdk {

/// Reads four elements, from j + offset on, of each array that it is called with. (Added to the pointer one
/// after the other, a constant offset becomes part of the load.)
struct LoadFour {
  std::ptrdiff_t j, offset = 0;
  simd::f32x4 operator()(const float* p) const { return simd::load(p + j + offset); }
};

/// Reads elements j .. j+count-1, count <= 4; the other lanes are 0.
struct LoadSome {
  std::ptrdiff_t j, count;
  simd::f32x4 operator()(const float* p) const noexcept {
    return simd::load_first(p + j, count, simd::zero());
  }
};

/// out[j .. j+3] = four(load) with what load reads there.
template <class Four>
void each_four(std::ptrdiff_t n, float* out, Four four) {
  std::ptrdiff_t j = 0;
#pragma GCC unroll 1
  for (; j + 8 <= n; j += 8) {
    simd::store(out + j, four(LoadFour{j}));
    simd::store(out + j + 4, four(LoadFour{j, 4}));
  }
  for (; j < n; j += 4) {
    const std::ptrdiff_t count = std::min<std::ptrdiff_t>(n - j, 4);
    simd::store_first(out + j, count, four(LoadSome{j, count}));
  }
}

/// totals[s] = the sum over j < n of terms[s], where compute(load, terms) computes those of four elements
/// from what load(array) reads.
template <int kSums, int kVectors, class Compute>
void row_sums(std::ptrdiff_t n, Compute compute, double (&totals)[kSums]) {
  using namespace simd;
  constexpr std::ptrdiff_t kBlock = 1024, kStep = 4 * kVectors;
  std::fill_n(totals, kSums, 0.0);
  for (std::ptrdiff_t start = 0; start < n; start += kBlock) {
    const std::ptrdiff_t end = std::min(n, start + kBlock), whole = end - ((end - start) & (kStep - 1));
    f32x4 sums[kVectors][kSums], terms[kSums];
    for (int v = 0; v < kVectors; ++v) {
      for (int s = 0; s < kSums; ++s) sums[v][s] = zero();
    }
    // The last, incomplete step comes first: a branch after the loop would push its sums out of registers.
    if (whole < end) {
      for (int v = 0; v < kVectors; ++v) {
        const std::ptrdiff_t j = whole + 4 * v, count = std::min<std::ptrdiff_t>(end - j, 4);
        if (count <= 0) break;
        compute(LoadSome{j, count}, terms);
        for (int s = 0; s < kSums; ++s) {
          float lanes[4] = {};
          store_first(lanes, count, terms[s]);
          sums[v][s] = load(lanes);
        }
      }
    }
#pragma GCC unroll 1
    for (std::ptrdiff_t j = start; j < whole; j += kStep) {
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        compute(LoadFour{j, 4 * v}, terms);
#pragma GCC unroll 8
        for (int s = 0; s < kSums; ++s) sums[v][s] = sums[v][s] + terms[s];
      }
    }
    for (int s = 0; s < kSums; ++s) {
      for (int width = kVectors / 2; width > 0; width /= 2) {
        for (int v = 0; v < width; ++v) sums[v][s] = sums[v][s] + sums[v + width][s];
      }
      totals[s] += static_cast<double>(sum(sums[0][s]));
    }
  }
}

}  // namespace sqrtdk
