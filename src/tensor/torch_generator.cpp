#include "tensor/torch_generator.h"

#include <algorithm>
#include <cmath>

#include "simd/bits.h"
#include "simd/double_math.h"

namespace sqrtdk {

namespace {

using simd::bit_cast;

/// a * b + c rounded once. The product is exact in double; the sum may be rounded there to a tie between two
/// floats, which then is broken by what that rounding lost.
float fused(float a, float b, float c) {
  const double product = static_cast<double>(a) * b;
  double sum = product + c;
  constexpr uint64_t kBelowFloat = (uint64_t{1} << 29) - 1, kTie = uint64_t{1} << 28;
  if ((bit_cast<uint64_t>(sum) & kBelowFloat) == kTie) {
    const double c_part = sum - product;
    const double lost = (product - (sum - c_part)) + (c - c_part);
    if (lost != 0) sum = bit_cast<double>(bit_cast<int64_t>(sum) + ((lost > 0) == (sum > 0) ? 1 : -1));
  }
  return static_cast<float>(sum);
}

template <int n>
float fused_polynomial(float x, const float (&coefficients)[n]) {
  float y = coefficients[0];
  for (int i = 1; i < n; ++i) y = fused(y, x, coefficients[i]);
  return y;
}

// The next two are the log and sincos of Cephes (S. L. Moshier) in the order of operations of avx_mathfun
// (J. Pommier, G. Garberoglio), with the multiplications and additions that a compiler for AVX2 and FMA
// fuses.

/// For 2^-24 <= x <= 1.
float cephes_log(float x) {
  static constexpr float p[] = {7.0376836292E-2f,  -1.1514610310E-1f, 1.1676998740E-1f,
                                -1.2420140846E-1f, 1.4249322787E-1f,  -1.6668057665E-1f,
                                2.0000714765E-1f,  -2.4999993993E-1f, 3.3333331174E-1f};
  const uint32_t bits = bit_cast<uint32_t>(x);
  float exponent = static_cast<float>(static_cast<int32_t>(bits >> 23) - 126);
  float m = bit_cast<float>((bits & 0x007fffff) | 0x3f000000);  // in [1/2, 1)
  if (m < 0.707106781186547524f) {
    exponent -= 1;
    m = (m - 1) + m;
  } else {
    m -= 1;
  }
  const float m2 = m * m;
  float y = fused_polynomial(m, p) * m;
  y = fused(y, m2, exponent * -2.12194440e-4f);
  y = fused(-m2, 0.5f, y);
  return fused(exponent, 0.693359375f, m + y);
}

struct SinCos {
  float sin, cos;
};

/// For 0 <= x <= 2 pi.
SinCos cephes_sincos(float x) {
  static constexpr float s[] = {-1.9515295891E-4f, 8.3321608736E-3f, -1.6666654611E-1f};
  static constexpr float c[] = {2.443315711809948E-5f, -1.388731625493765E-3f, 4.166664568298827E-2f};
  const int octant = (static_cast<int>(x * 1.27323954473516f) + 1) & ~1;
  const auto n = static_cast<float>(octant);
  float r = fused(n, -0.78515625f, x);
  r = fused(n, -2.4187564849853515625e-4f, r);
  r = fused(n, -3.77489497744594108e-8f, r);
  const float r2 = r * r;
  float cos_r = fused_polynomial(r2, c) * r2;
  cos_r = fused(cos_r, r2, -(r2 * 0.5f)) + 1;
  const float sin_r = fused(fused_polynomial(r2, s) * r2, r, r);
  switch (octant & 6) {
    case 0:
      return {sin_r, cos_r};
    case 2:
      return {cos_r, -sin_r};
    case 4:
      return {-sin_r, -cos_r};
    default:
      return {-cos_r, sin_r};
  }
}

/// d[0..16) holds uniforms and becomes normals.
void box_muller_16(float* d) {
  for (int j = 0; j < 8; ++j) {
    const float radius = std::sqrt(-2.0f * cephes_log(1 - d[j]));
    const SinCos direction = cephes_sincos(0x1.921fb6p2f * d[j + 8]);
    d[j] = radius * direction.cos + 0.0f;  // + 0 turns -0 into 0
    d[j + 8] = radius * direction.sin + 0.0f;
  }
}

}  // namespace

TorchGenerator::TorchGenerator(uint64_t seed) {
  state_[0] = static_cast<uint32_t>(seed);
  for (uint32_t i = 1; i < 624; ++i) state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
}

uint32_t TorchGenerator::next() {  // MT19937
  if (position_ == 624) {
    const auto twist = [this](size_t i, size_t next, size_t far) {
      const uint32_t joined = (state_[i] & 0x80000000u) | (state_[next] & 0x7fffffffu);
      state_[i] = state_[far] ^ (joined >> 1) ^ (joined & 1 ? 0x9908b0dfu : 0u);
    };
    for (size_t i = 0; i < 624; ++i) twist(i, (i + 1) % 624, (i + 397) % 624);
    position_ = 0;
  }
  uint32_t y = state_[position_++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

void TorchGenerator::rand(float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(next() & 0xffffff) * 0x1p-24f;
}

void TorchGenerator::randn(float* out, int64_t n) {
  if (n >= 16) {
    rand(out, n);
    for (int64_t i = 0; i + 16 <= n; i += 16) box_muller_16(out + i);
    if (n % 16 != 0) {
      rand(out + n - 16, 16);
      box_muller_16(out + n - 16);
    }
    return;
  }
  const auto uniform = [this] {
    const uint64_t high = next();
    const uint64_t bits = high << 32 | next();
    return static_cast<double>(bits & ((uint64_t{1} << 53) - 1)) * 0x1p-53;
  };
  for (int64_t i = 0; i < n; ++i) {
    if (second_normal_) {
      out[i] = static_cast<float>(*second_normal_);
      second_normal_.reset();
      continue;
    }
    const double u1 = uniform(), u2 = uniform();
    const double radius = std::sqrt(-2.0 * simd::log1p(-u2));
    const auto [sin, cos] = simd::sincos(0x1.921fb54442d18p2 * u1);
    out[i] = static_cast<float>(radius * cos);
    second_normal_ = radius * sin;
  }
}

}  // namespace sqrtdk
