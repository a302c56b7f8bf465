#include <algorithm>

#include "base/parallel.h"
#include "kernels/softmax.h"
#include "kernels/softmax_row.h"
#include "simd/double_math.h"

namespace sqrtdk {
namespace {

using namespace softmax_row;

// f(pointer to 16 values, index of the first, how many of them are the row's); the last block is filled up.
template <class F>
void for_each_block(const float* x, int64_t n, float filler, F f) {
  int64_t i = 0;
  for (; i + kBlock <= n; i += kBlock) f(x + i, i, kBlock);
  if (i == n) return;
  float last[kBlock];
  std::fill(std::copy(x + i, x + n, last), last + kBlock, filler);
  f(last, i, n - i);
}

f32x4 max_of(const float* x, int64_t n) {
  RowMax row_max;
  for_each_block(x, n, kNothing, [&](const float* x, int64_t, int64_t) { row_max.add_block(x); });
  return max_across(row_max.lanes);
}

constexpr int64_t kWork = 8;  // of an element, in multiplications

// log sum_j exp(x_j - m) = log(1 + (how many more equal m) + the sum over those below m): log1p of a sum that
// has not been rounded to the size of 1 keeps the relative accuracy where one value dominates.
double log_sum(const float* x, int64_t n, f32x4 m, const ExpConstants& c) {
  const RowExp exp(m, c);
  Sum sum;
  u32x4 n_largest = splat_u32(0);
  for_each_block(x, n, kNothing, [&](const float* x, int64_t, int64_t) {
    f32x4 e[4];
    for (int v = 0; v < 4; ++v) e[v] = load(x + 4 * v) - exp.base;
    exp(e, c);
    for (int v = 0; v < 4; ++v) {
      const mask4 largest = load(x + 4 * v) == m;
      n_largest = n_largest - as_u32(largest);
      sum.add(v, zero_where(largest, e[v]));
    }
  });
  f32x4 e_max[1] = {m - exp.base};
  exp(e_max, c);
  const double count = static_cast<double>(extract<0>(n_largest)) + extract<1>(n_largest) +
                       extract<2>(n_largest) + extract<3>(n_largest);
  return log1p(sum.total() / extract<0>(e_max[0]) + (count - 1));
}

void forward_row(const float* x, int64_t n, float* out, const ExpConstants& c) {
  const f32x4 m = max_of(x, n);
  const f64x2 m2 = low_to_f64(m), log_sum2 = splat_f64(log_sum(x, n, m, c));
  const auto minus = [=](f64x2 x) { return x - m2 - log_sum2; };
  const auto y = [=](f32x4 x) { return to_f32(minus(low_to_f64(x)), minus(high_to_f64(x))); };
  for (; n >= 4; x += 4, out += 4, n -= 4) store(out, y(load(x)));
  if (n > 0) store_first(out, n, y(load_first(x, n, zero())));
}

// Forward: y_i = x_i - log sum_j exp(x_j), so dy_i/dx_j = 1[i = j] - exp(y_j).
void backward_row(const float* y, const float* dy, int64_t n, float* dx, const ExpConstants& c) {
  Sum sum;
  for_each_block(dy, n, 0, [&](const float* dy, int64_t, int64_t) {
    for (int v = 0; v < 4; ++v) sum.add(v, load(dy + 4 * v));
  });
  const f64x2 total = splat_f64(sum.total());
  const auto gradient = [total](f64x2 dy, f64x2 p) { return dy - p * total; };
  for_each_block(y, n, kNothing, [&](const float* y, int64_t i, int64_t count) {
    f32x4 p[4];
    for (int v = 0; v < 4; ++v) p[v] = load(y + 4 * v);
    exp_nonpositive(p, c);
    for (int v = 0; v < 4 && 4 * v < count; ++v, i += 4) {
      const int64_t left = std::min<int64_t>(count - 4 * v, 4);
      const f32x4 d = load_first(dy + i, left, zero());
      const f32x4 g =
          to_f32(gradient(low_to_f64(d), low_to_f64(p[v])), gradient(high_to_f64(d), high_to_f64(p[v])));
      store_first(dx + i, left, g);
    }
  });
}

}  // namespace

void log_softmax_forward(ConstView x, View out) {
  check_rank("log_softmax", "x", x.shape, 1, "(.., n)");
  check_shape("log_softmax", "out", out.shape, x.shape);
  const ExpConstants& c = exp_constants();
  const int64_t n = x.shape[-1];
  parallel_for(x.shape.leading(1), kWork * n, n_threads(), [&](int64_t i, int64_t end, int) noexcept {
    for (; i < end; ++i) forward_row(x.data + i * n, n, out.data + i * n, c);
  });
}

void log_softmax_backward(ConstView y, ConstView dy, View dx) {
  check_rank("log_softmax_backward", "y", y.shape, 1, "(.., n)");
  check_shape("log_softmax_backward", "dy", dy.shape, y.shape);
  check_shape("log_softmax_backward", "dx", dx.shape, y.shape);
  const ExpConstants& c = exp_constants();
  const int64_t n = y.shape[-1];
  parallel_for(y.shape.leading(1), kWork * n, n_threads(), [&](int64_t i, int64_t end, int) noexcept {
    for (; i < end; ++i) backward_row(y.data + i * n, dy.data + i * n, n, dx.data + i * n, c);
  });
}

}  // namespace sqrtdk
