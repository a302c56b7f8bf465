// Sums run in four double lanes (element i in lane i mod 4) that are joined at the end in a fixed order,
// so trailing zeros change no bit.
#include "kernels/softmax.h"

#include <algorithm>
#include <limits>

#include "simd/exp.h"
#include "simd/f32x4.h"

namespace sqrtdk {
namespace {

using namespace simd;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The last `count` < 4 values of a row; the other lanes hold `filler`.
f32x4 load_tail(const float* x, int64_t count, float filler) {
  float lanes[4] = {filler, filler, filler, filler};
  std::copy(x, x + count, lanes);
  return load(lanes);
}

void store_tail(float* out, int64_t count, f32x4 values) {
  float lanes[4];
  store(lanes, values);
  std::copy(lanes, lanes + count, out);
}

struct Sum {
  f64x2 lanes01 = splat_f64(0), lanes23 = splat_f64(0);
  void add(f64x2 values01, f64x2 values23) {
    lanes01 = add_f64(lanes01, values01);
    lanes23 = add_f64(lanes23, values23);
  }
  double total() const { return sum_f64(add_f64(lanes01, lanes23)); }
};

float max_of(const float* x, int64_t n) {
  f32x4 largest = splat(-kInfinity);
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) largest = max(largest, load(x + i));
  if (i < n) largest = max(largest, load_tail(x + i, n - i, -kInfinity));
  return max_lane(largest);
}

// exp(x - largest). What rounding takes from the difference (TwoSum: Knuth, volume 2, 4.2.2) goes into exp
// too: it is most of the error where the logits are large. Below -104 the result is 0.
f32x4 exp_difference(f32x4 x, f32x4 largest) {
  const f32x4 difference = sub(x, largest);
  const f32x4 x_part = add(difference, largest);
  const f32x4 low = sub(sub(x, x_part), add(largest, sub(difference, x_part)));
  return exp(difference, bit_and(low, ge(difference, splat(-104.0f))));
}

f32x4 times(f32x4 x, f64x2 factor) {
  return to_f32(mul_f64(low_to_f64(x), factor), mul_f64(high_to_f64(x), factor));
}

void forward_row(const float* x, int64_t n, float* out) {
  const f32x4 largest = splat(max_of(x, n));
  Sum sum;
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const f32x4 e = exp_difference(load(x + i), largest);
    sum.add(low_to_f64(e), high_to_f64(e));
    store(out + i, e);
  }
  if (i < n) {
    const f32x4 e = exp_difference(load_tail(x + i, n - i, -kInfinity), largest);
    sum.add(low_to_f64(e), high_to_f64(e));
    store_tail(out + i, n - i, e);
  }
  const f64x2 factor = splat_f64(1 / sum.total());
  for (i = 0; i + 4 <= n; i += 4) store(out + i, times(load(out + i), factor));
  if (i < n) store_tail(out + i, n - i, times(load_tail(out + i, n - i, 0), factor));
}

// Forward: p_i = exp(x_i - max x) / sum_j exp(x_j - max x), so dp_i/dx_j = p_i (1[i = j] - p_j).
void backward_row(const float* p, const float* dp, int64_t n, float* dx) {
  Sum sum;
  const auto add_products = [&sum](f32x4 p, f32x4 dp) {
    sum.add(mul_f64(low_to_f64(p), low_to_f64(dp)), mul_f64(high_to_f64(p), high_to_f64(dp)));
  };
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) add_products(load(p + i), load(dp + i));
  if (i < n) add_products(load_tail(p + i, n - i, 0), load_tail(dp + i, n - i, 0));

  const f64x2 mean = splat_f64(sum.total());
  const auto gradient = [mean](f32x4 p, f32x4 dp) {
    return to_f32(mul_f64(low_to_f64(p), sub_f64(low_to_f64(dp), mean)),
                  mul_f64(high_to_f64(p), sub_f64(high_to_f64(dp), mean)));
  };
  for (i = 0; i + 4 <= n; i += 4) store(dx + i, gradient(load(p + i), load(dp + i)));
  if (i < n) {
    store_tail(dx + i, n - i, gradient(load_tail(p + i, n - i, 0), load_tail(dp + i, n - i, 0)));
  }
}

}  // namespace

void softmax_forward(ConstView x, View out) {
  check_rank("softmax", "x", x.shape, 1, "(.., n)");
  check_shape("softmax", "out", out.shape, x.shape);
  const int64_t n = x.shape[-1], size = x.shape.size();
  for (int64_t row = 0; row < size; row += n) forward_row(x.data + row, n, out.data + row);
}

void softmax_backward(ConstView p, ConstView dp, View dx) {
  check_rank("softmax_backward", "p", p.shape, 1, "(.., n)");
  check_shape("softmax_backward", "dp", dp.shape, p.shape);
  check_shape("softmax_backward", "dx", dx.shape, p.shape);
  const int64_t n = p.shape[-1], size = p.shape.size();
  for (int64_t row = 0; row < size; row += n) backward_row(p.data + row, dp.data + row, n, dx.data + row);
}

}  // namespace sqrtdk
