#include "kernels/rotary.h"

#include <algorithm>
#include <cmath>

#include "base/decimal.h"
#include "base/errors.h"
#include "simd/double_math.h"
#include "simd/f32x4.h"

namespace sqrtdk {
namespace {

using namespace simd;

// A pair (a, b) turned by an angle: (a cos - b sin, b cos + a sin).
struct Pair {
  f32x4 a, b;
};

Pair turned(Pair x, f32x4 cos, f32x4 sin) { return {x.a * cos - x.b * sin, x.b * cos + x.a * sin}; }

// With sign -1 by the opposite angle.
void turn_row(const float* x, const float* cos, const float* sin, float sign, int64_t half, RotaryPairs pairs,
              float* out) {
  const auto sine = [sign](f32x4 sin) { return sin * splat(sign); };
  const bool interleaved = pairs == RotaryPairs::kInterleaved;
  int64_t i = 0;
  if (interleaved) {
    for (; i + 4 <= half; i += 4) {
      const f32x4 low = load(x + 2 * i), high = load(x + 2 * i + 4);
      const Pair y = turned({shuffle<0, 2, 4, 6>(low, high), shuffle<1, 3, 5, 7>(low, high)}, load(cos + i),
                            sine(load(sin + i)));
      store(out + 2 * i, shuffle<0, 4, 1, 5>(y.a, y.b));
      store(out + 2 * i + 4, shuffle<2, 6, 3, 7>(y.a, y.b));
    }
  } else {
    for (; i + 4 <= half; i += 4) {
      const Pair y = turned({load(x + i), load(x + half + i)}, load(cos + i), sine(load(sin + i)));
      store(out + i, y.a);
      store(out + half + i, y.b);
    }
  }
  for (; i < half; ++i) {
    const int64_t first = interleaved ? 2 * i : i, second = interleaved ? 2 * i + 1 : half + i;
    const Pair y = turned({load_splat(x + first), load_splat(x + second)}, load_splat(cos + i),
                          sine(load_splat(sin + i)));
    out[first] = extract<0>(y.a);
    out[second] = extract<0>(y.b);
  }
}

struct Direction {
  const char *op, *x, *out;
  float sign;
};

void rotate(const Direction& direction, ConstView x, ConstView cos, ConstView sin, IndexView positions,
            RotaryPairs pairs, View out) {
  const char* const op = direction.op;
  check_rank(op, direction.x, x.shape, 2, "(.., n, d)");
  const int64_t n = x.shape[-2], d = x.shape[-1];
  if (cos.shape.rank() != 2 || cos.shape[1] > d / 2) {
    throw_wrong_shape(op, "cos", "(n_positions, at most " + to_text(d / 2) + ")", cos.shape);
  }
  check_shape(op, "sin", sin.shape, cos.shape);
  check_shape(op, direction.out, out.shape, x.shape);
  const int64_t n_positions = cos.shape[0], half = cos.shape[1], batches = x.shape.leading(2);
  const auto check_position = [&](int64_t position) {
    if (position >= 0 && position < n_positions) return;
    throw_out_of_range(op, "positions", 0, n_positions - 1, position);
  };
  int64_t batches_each = batches;  // that share their positions
  if (positions) {
    const int leading = std::clamp(positions.shape.rank() - 1, 0, x.shape.rank() - 2);
    check_shape(op, "positions", positions.shape, x.shape.first(leading, n));
    const int64_t count = positions.shape.size();
    for (int64_t i = 0; i < count; ++i) check_position(positions.data[i]);
    batches_each = batches / std::max<int64_t>(positions.shape.leading(1), 1);
  } else if (x.shape.size() > 0) {
    check_position(n - 1);
  }

  for (int64_t batch = 0; batch < batches; ++batch) {
    for (int64_t i = 0; i < n; ++i) {
      const int64_t position = positions ? positions.data[batch / batches_each * n + i] : i;
      const float* const row = x.data + (batch * n + i) * d;
      float* const out_row = out.data + (batch * n + i) * d;
      turn_row(row, cos.data + position * half, sin.data + position * half, direction.sign, half, pairs,
               out_row);
      if (out_row != row) std::copy(row + 2 * half, row + d, out_row + 2 * half);
    }
  }
}

}  // namespace

void rotary_table(double base, View cos, View sin) {
  const char* op = "rotary_table";
  if (cos.shape.rank() != 2 || cos.shape[0] > kMaxRotaryPositions) {
    throw_wrong_shape(op, "cos", "(at most " + to_text(kMaxRotaryPositions) + ", d_rot/2)", cos.shape);
  }
  check_shape(op, "sin", sin.shape, cos.shape);
  if (!(base >= 1) || std::isinf(base)) {
    throw_out_of_range(op, "base", "1 or more", base);
  }
  const int64_t n_positions = cos.shape[0], half = cos.shape[1];
  const double log_base = simd::log(base);
  for (int64_t i = 0; i < half; ++i) {
    const double frequency = simd::exp(-log_base * static_cast<double>(i) / static_cast<double>(half));
    for (int64_t position = 0; position < n_positions; ++position) {
      const SinCosF64 y = simd::sincos(static_cast<double>(position) * frequency);
      cos.data[position * half + i] = static_cast<float>(y.cos);
      sin.data[position * half + i] = static_cast<float>(y.sin);
    }
  }
}

void rotary_forward(ConstView x, ConstView cos, ConstView sin, IndexView positions, RotaryPairs pairs,
                    View out) {
  rotate({"rotary", "x", "out", 1.0f}, x, cos, sin, positions, pairs, out);
}

void rotary_backward(ConstView dout, ConstView cos, ConstView sin, IndexView positions, RotaryPairs pairs,
                     View dx) {
  rotate({"rotary_backward", "dout", "dx", -1.0f}, dout, cos, sin, positions, pairs, dx);
}

}  // namespace sqrtdk
