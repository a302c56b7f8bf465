#pragma once
// What softmax and log-softmax share: the largest value of a row, exponentials relative to it, sums in
// double. Everything runs in an order that depends on the index alone, and trailing -inf change no bit.
#include <cstdint>
#include <limits>

#include "simd/exp_nonpositive.h"
#include "simd/f32x4.h"

namespace sqrtdk::softmax_row {

using namespace simd;

inline constexpr int64_t kBlock = 16;  // a row is read in blocks of four vectors
inline constexpr float kNothing = -std::numeric_limits<float>::infinity();

/// A sum in eight lanes: vectors with an even index in the first four, with an odd one in the others.
struct Sum {
  f64x2 lanes[4] = {splat_f64(0), splat_f64(0), splat_f64(0), splat_f64(0)};
  void add(int64_t vector, f64x2 low, f64x2 high) {
    f64x2* const pair = lanes + 2 * (vector & 1);
    pair[0] = pair[0] + low;
    pair[1] = pair[1] + high;
  }
  void add(int64_t vector, f32x4 values) { add(vector, low_to_f64(values), high_to_f64(values)); }
  double total() const { return sum(lanes[0] + lanes[2] + (lanes[1] + lanes[3])); }
};

struct RowMax {
  f32x4 lanes = splat(kNothing);
  void add_block(const float* x) {
    const f32x4 low = max(load(x), load(x + 4)), high = max(load(x + 8), load(x + 12));
    lanes = max(lanes, max(low, high));
  }
  void add_rest(const float* x, int64_t n) {  // n < 16
    for (; n >= 4; x += 4, n -= 4) lanes = max(lanes, load(x));
    if (n > 0) lanes = max(lanes, load_first(x, n, splat(kNothing)));
  }
};

/// exp(x - m) up to a factor common to the row, and without the rounding of x - m, which is most of the error
/// where the logits are large. For |m| < 208 the factor is 2^k with k = round(m / ln 2), `base` is 0, and x
/// is the argument itself. Beyond that `base` is m: every x within 105 of m has x/2 <= m <= 2x, so that x - m
/// is exact (Sterbenz).
struct RowExp {
  f32x4 base, lowest, shift;

  RowExp(f32x4 m, const ExpConstants& c) noexcept {
    const mask4 moderate = abs(m) < splat(208.0f);
    base = zero_where(moderate, m);
    const f32x4 argument = keep_where(moderate, m), round = splat(0x1.8p23f);
    const f32x4 k = argument * splat(0x1.715476p0f) + round - round;
    lowest = (k - splat(151.0f)) * splat(0x1.62e43p-1f);
    shift = f32x4(c.shift) - k;
  }
  /// e = exp(e - m) times the factor, where `base` has been subtracted.
  template <int n>
  [[gnu::always_inline]] void operator()(f32x4 (&e)[n], const ExpConstants& c) const {
    exp_scaled(e, lowest, shift, c);
  }
};

}  // namespace sqrtdk::softmax_row
