#include "tensor/random.h"

#include <algorithm>

#include "simd/log.h"
#include "simd/sincos.h"
#include "tensor/philox.h"

namespace sqrtdk {

namespace {

using namespace simd;

inline f32x4 uniform(u32x4 bits) { return to_f32(shift_right_u32<8>(bits)) * splat(0x1p-24f); }

/// Box and Muller: the radius from a uniform in (0, 1] (31 bits: up to 6.55), the angle from the other word:
/// two bits choose the quadrant, the other 30 the angle in [-pi/4, pi/4).
inline void box_muller(u32x4 a, u32x4 b, f32x4& x, f32x4& y) {
  const f32x4 u = (to_f32(shift_right_u32<1>(a)) + splat(1.0f)) * splat(0x1p-31f);
  const f32x4 radius = sqrt(splat(-2.0f) * log_of_normal(u));
  const f32x4 angle = to_f32(shift_left<2>(b)) * splat(0x1.921fb6p-32f);
  const SinCos4 direction = sincos_reduced(angle, shift_right_u32<30>(b));
  x = radius * direction.cos;
  y = radius * direction.sin;
}

struct Uniform {
  static void transform(const FourBlocks& bits, f32x4 (&x)[4]) {
    for (int w = 0; w < 4; ++w) x[w] = uniform(bits.word[w]);
  }
};

struct Normal {
  static void transform(const FourBlocks& bits, f32x4 (&x)[4]) {
    box_muller(bits.word[0], bits.word[1], x[0], x[1]);
    box_muller(bits.word[2], bits.word[3], x[2], x[3]);
  }
};

template <class Distribution>
inline void sixteen(const Philox& philox, uint64_t first, float* out) {
  f32x4 x[4];
  Distribution::transform(philox(first / 4), x);
  transpose4(x[0], x[1], x[2], x[3]);
  for (int b = 0; b < 4; ++b) store(out + 4 * b, x[b]);
}

/// Elements are made in groups of 16 whose first index is a multiple of 16; of a group that sticks out only
/// the wanted part is kept.
template <class Distribution>
void fill(const Philox& philox, uint64_t first, float* out, int64_t n) {
  float group[16];
  while (n > 0) {
    const uint64_t offset = first % 16;
    const auto count = static_cast<int64_t>(std::min(static_cast<uint64_t>(n), 16 - offset));
    float* const target = count == 16 ? out : group;
    sixteen<Distribution>(philox, first - offset, target);
    if (target == group) std::copy_n(group + offset, count, out);
    n -= count, first += static_cast<uint64_t>(count), out += count;
  }
}

}  // namespace

void philox_uniform(uint64_t seed, uint64_t stream, uint64_t first, float* out, int64_t n) {
  fill<Uniform>(Philox(seed, stream), first, out, n);
}

void philox_normal(uint64_t seed, uint64_t stream, uint64_t first, float* out, int64_t n) {
  fill<Normal>(Philox(seed, stream), first, out, n);
}

}  // namespace sqrtdk
