#include "kernels/softmax.h"

#include <algorithm>

#include "base/parallel.h"
#include "kernels/softmax_row.h"

namespace sqrtdk {
namespace {

using namespace softmax_row;

f32x4 times(f64x2 low, f64x2 high, f64x2 factor) { return to_f32(low * factor, high * factor); }

// The first values of a row are added to its sum one by one in double, further ones in pairs that were added
// in float: over so many of them, rounding errors cancel.
constexpr int64_t kSingly = 128;

// Rows of at most 16 values stay in registers: 4 (n - 1) and `tail` more.
template <int n>
void forward_short_rows(const float* x, int64_t rows, int64_t tail, float* out) {
  const ExpConstants& c = exp_constants();
  const int64_t before_tail = 4 * (n - 1), columns = before_tail + tail;
  for (int64_t row = 0; row < rows; ++row, x += columns, out += columns) {
    f32x4 e[n];
    for (int v = 0; v < n - 1; ++v) e[v] = load(x + 4 * v);
    e[n - 1] = load_first(x + before_tail, tail, splat(kNothing));
    f32x4 m = e[0];
    for (int v = 1; v < n; ++v) m = max(m, e[v]);
    const RowExp exp(max_across(m), c);
    for (f32x4& lanes : e) lanes = lanes - exp.base;
    exp(e, c);
    Sum sum;
    for (int v = 0; v < n; ++v) sum.add(v, e[v]);
    const f64x2 factor = splat_f64(1 / sum.total());
    for (f32x4& lanes : e) lanes = times(low_to_f64(lanes), high_to_f64(lanes), factor);
    for (int v = 0; v < n - 1; ++v) store(out + 4 * v, e[v]);
    store_first(out + before_tail, tail, e[n - 1]);
  }
}

void subtract(const float* x, int64_t n, f32x4 base, float* out) {
  for (; n >= 4; x += 4, out += 4, n -= 4) store(out, load(x) - base);
  if (n > 0) store_first(out, n, load_first(x, n, base) - base);
}

[[gnu::always_inline]] inline void exp_block(const float* x, const RowExp& exp, const ExpConstants& c,
                                             float* out) {
  f32x4 e[4];
  for (int v = 0; v < 4; ++v) e[v] = load(x + 4 * v);
  exp(e, c);
  for (int v = 0; v < 4; ++v) store(out + 4 * v, e[v]);
}

// Loops of their own for the exponentials, their sum and the division: together they need more registers than
// there are. But the largest value of the next row is found on the way; reading it then costs little.
void forward_long_rows(const float* x, int64_t rows, int64_t n, float* out) {
  const ExpConstants& c = exp_constants();
  const int64_t rest = n % kBlock, blocks_end = n - rest;
  RowMax row_max;
  for (int64_t i = 0; i < blocks_end; i += kBlock) row_max.add_block(x + i);
  row_max.add_rest(x + blocks_end, rest);
  for (int64_t row = 0; row < rows; ++row, x += n, out += n) {
    const RowExp exp(max_across(row_max.lanes), c);
    const float* in = x;
    if (any(exp.base != zero())) {
      subtract(x, n, exp.base, out);
      in = out;
    }
    row_max = {};
    const float* next = row + 1 < rows ? x + n : x;
    float* p = out;
    float *const end = out + blocks_end, *const first_end = out + std::min(blocks_end, kSingly);
    for (; p < end; in += kBlock, p += kBlock, next += kBlock) {
      row_max.add_block(next);
      exp_block(in, exp, c, p);
    }
    float last[kBlock];
    if (rest > 0) {
      row_max.add_rest(next, rest);
      std::fill(std::copy(in, in + rest, last), last + kBlock, kNothing);
      exp_block(last, exp, c, last);
    }
    Sum sum;
    const auto add_block = [&sum](const float* e) {
      for (int v = 0; v < 4; ++v) sum.add(v, load_2_as_f64(e + 4 * v), load_2_as_f64(e + 4 * v + 2));
    };
    const auto add_pairs = [&sum](const float* e) {
      for (int v = 0; v < 2; ++v) sum.add(v, load(e + 8 * v) + load(e + 8 * v + 4));
    };
    for (p = out; p < first_end; p += kBlock) add_block(p);
    for (; p < end; p += kBlock) add_pairs(p);
    if (rest > 0) blocks_end < kSingly ? add_block(last) : add_pairs(last);
    const f64x2 factor = splat_f64(1 / sum.total());
    const auto divide_block = [factor](float* e) {
      for (int v = 0; v < 4; ++v, e += 4) store(e, times(load_2_as_f64(e), load_2_as_f64(e + 2), factor));
    };
    for (p = out; p < end; p += kBlock) divide_block(p);
    if (rest > 0) {
      divide_block(last);
      std::copy(last, last + rest, end);
    }
  }
}

// Forward: p_i = exp(x_i - max x) / sum_j exp(x_j - max x), so dp_i/dx_j = p_i (1[i = j] - p_j).
void backward_row(const float* p, const float* dp, int64_t n, float* dx) {
  const f32x4 none = zero();
  Sum sum;
  const auto add_products = [&sum](f32x4 p, f32x4 dp) {
    sum.add(0, low_to_f64(p) * low_to_f64(dp), high_to_f64(p) * high_to_f64(dp));
  };
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) add_products(load(p + i), load(dp + i));
  if (i < n) add_products(load_first(p + i, n - i, none), load_first(dp + i, n - i, none));

  const f64x2 mean = splat_f64(sum.total());
  const auto gradient = [mean](f32x4 p, f32x4 dp) {
    return to_f32(low_to_f64(p) * (low_to_f64(dp) - mean), high_to_f64(p) * (high_to_f64(dp) - mean));
  };
  for (i = 0; i + 4 <= n; i += 4) store(dx + i, gradient(load(p + i), load(dp + i)));
  if (i < n)
    store_first(dx + i, n - i, gradient(load_first(p + i, n - i, none), load_first(dp + i, n - i, none)));
}

}  // namespace

void softmax_forward(ConstView x, View out) {
  check_rank("softmax", "x", x.shape, 1, "(.., n)");
  check_shape("softmax", "out", out.shape, x.shape);
  const int64_t n = x.shape[-1], size = x.shape.size();
  if (size == 0) return;
  const auto each_part = [&](const auto& rows) noexcept {
    parallel_for(size / n, 8 * n, n_threads(), [&](int64_t begin, int64_t end, int) noexcept {
      rows(x.data + begin * n, end - begin, out.data + begin * n);
    });
  };
  if (n > kBlock) {
    return each_part(
        [&](const float* in, int64_t rows, float* to) noexcept { forward_long_rows(in, rows, n, to); });
  }
  constexpr decltype(&forward_short_rows<1>) of_vectors[] = {forward_short_rows<1>, forward_short_rows<2>,
                                                             forward_short_rows<3>, forward_short_rows<4>};
  each_part([&](const float* in, int64_t rows, float* to) noexcept {
    of_vectors[(n - 1) / 4](in, rows, (n - 1) % 4 + 1, to);
  });
}

void softmax_backward(ConstView p, ConstView dp, View dx) {
  check_rank("softmax_backward", "p", p.shape, 1, "(.., n)");
  check_shape("softmax_backward", "dp", dp.shape, p.shape);
  check_shape("softmax_backward", "dx", dx.shape, p.shape);
  const int64_t n = p.shape[-1], size = p.shape.size();
  for (int64_t row = 0; row < size; row += n) backward_row(p.data + row, dp.data + row, n, dx.data + row);
}

}  // namespace sqrtdk
