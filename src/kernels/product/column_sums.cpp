#include "kernels/product/column_sums.h"

#include <algorithm>

#include "base/parallel.h"
#include "simd/f32x4.h"

namespace sqrtdk {
namespace {

using namespace simd;
using std::ptrdiff_t;

// Columns 0 .. 4 kVectors - 1 of x, whose rows are `step` apart.
template <int kVectors>
void add_columns(const float* x, ptrdiff_t rows, ptrdiff_t step, float* sums) {
  f64x2 low[kVectors], high[kVectors];
  for (int v = 0; v < kVectors; ++v) low[v] = high[v] = splat_f64(0);
  for (ptrdiff_t i = 0; i < rows; ++i, x += step) {
    for (int v = 0; v < kVectors; ++v) {
      const f32x4 row = load(x + 4 * v);
      low[v] = low[v] + low_to_f64(row);
      high[v] = high[v] + high_to_f64(row);
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    store(sums + 4 * v, load(sums + 4 * v) + to_f32(low[v], high[v]));
  }
}

}  // namespace

void add_column_sums(ConstView x, View sums) {
  check_rank("add_column_sums", "x", x.shape, 1, "(.., n)");
  const auto n = static_cast<ptrdiff_t>(x.shape[-1]), rows = static_cast<ptrdiff_t>(x.shape.leading(1));
  check_shape("add_column_sums", "sums", sums.shape, {n});
  if (rows == 0) return;
  constexpr ptrdiff_t kTogether = 16;
  parallel_for((n + kTogether - 1) / kTogether, kTogether * rows, n_threads(),
               [&](ptrdiff_t begin, ptrdiff_t group_end, int) noexcept {
                 const ptrdiff_t end = std::min(group_end * kTogether, n);
                 ptrdiff_t j = begin * kTogether;
                 for (; j + kTogether <= end; j += kTogether) {
                   add_columns<kTogether / 4>(x.data + j, rows, n, sums.data + j);
                 }
                 for (; j + 4 <= end; j += 4) add_columns<1>(x.data + j, rows, n, sums.data + j);
                 for (; j < end; ++j) {
                   double sum = 0;
                   for (ptrdiff_t i = 0; i < rows; ++i) sum += static_cast<double>(x.data[i * n + j]);
                   sums.data[j] += static_cast<float>(sum);
                 }
               });
}

}  // namespace sqrtdk
