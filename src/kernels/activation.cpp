#include "kernels/activation.h"

#include <algorithm>

#include "base/parallel.h"
#include "simd/exp_nonpositive.h"
#include "simd/tanh.h"

namespace sqrtdk {
namespace {

using namespace simd;

constexpr int64_t kBlock = 16;  // elements are taken in blocks of four vectors
using Block = f32x4[4];

// Constants as they lie in memory: V8 rebuilds a vector that is a constant in every round of a loop.
struct Constants {
  ExpConstants exp;
  TanhConstants tanh;
  // Φ(-a) = q(a - 2) for 0 <= a <= 2.5: at most 6 ULP, as the terms hardly cancel around 2.
  float q[13] = {0x1.272fb4p-20f, 0x1.b4d0bap-18f,  -0x1.243772p-20f, -0x1.43f348p-15f, 0x1.da4d9ep-14f,
                 0x1.eeec0ap-14f, -0x1.619f42p-10f, 0x1.26dd4ap-9f,   0x1.26da3cp-8f,   -0x1.ba4b3ep-6f,
                 0x1.ba4b4ap-5f,  -0x1.ba4b44p-5f,  0x1.74bcf8p-6f};
  // (Φ(-a))^(-1/16) for a >= 0: within 5e-8 up to 6, and beyond it Φ(-a) goes on to 0.
  float root[11] = {0x1.282640p-29f, -0x1.48ab58p-25f, 0x1.ba089ep-22f, -0x1.d99bc4p-20f,
                    0x1.df511ap-18f, 0x1.f60e32p-15f,  0x1.c416e0p-17f, 0x1.c459p-9f,
                    0x1.697e84p-6f,  0x1.aa9e06p-5f,   0x1.0b5586p+0f};
  float near_up_to = 2.5f;
  float large = 1000.0f;
  float two = 2.0f;
  // a Φ(-a) / exp(-a²/2) = m(1/a²) for a >= 2.5, m a minimax polynomial, the highest coefficient first.
  float m[9] = {0x1.3c8618p+11f, -0x1.095c7cp+11f, 0x1.9225c2p+9f,  -0x1.7ba87ep+7f, 0x1.103ea8p+5f,
                -0x1.70fdfep+2f, 0x1.317a58p+0f,   -0x1.987ce8p-2f, 0x1.98844ep-2f};
  float one = 1.0f;
  float minus_half = -0.5f;
  float phi_0 = 0x1.988454p-2f;  // 1 / √(2π)
};
constexpr Constants kConstants;

f32x4 get(const float& constant) { return load_splat(&constant); }

// Horner's rule, coefficient by coefficient: the barriers keep LLVM from doing vector after vector, each with
// loads of its own.
template <int n>
[[gnu::always_inline]] inline void polynomial(const Block& x, const float (&coefficients)[n], Block& y) {
  for (int v = 0; v < 4; ++v) y[v] = x[v] * get(coefficients[0]);
  for (int i = 1; i < n; ++i) {
    for (int v = 0; v < 4; ++v) y[v] = opaque(y[v] + get(coefficients[i]));
    if (i == n - 1) break;
    for (int v = 0; v < 4; ++v) y[v] = opaque(y[v] * x[v]);
  }
}

// gauss = exp(-a²/2), for 0 <= a <= 15.
[[gnu::always_inline]] inline void normal_density(const Block& a, Block& gauss, const Constants& c) {
  Block rest;
  for (int v = 0; v < 4; ++v) {
    // a² = square + what rounding took from it (Dekker), which adds less than 2^-16 to the exponent.
    const f32x4 high = as_f32(as_u32(a[v]) & splat_u32(0xfffff000u)), low = a[v] - high;
    const f32x4 square = a[v] * a[v];
    const f32x4 products = high * high - square + (high + high) * low;
    rest[v] = (products + low * low) * get(c.minus_half);
    gauss[v] = square * get(c.minus_half);
  }
  exp_nonpositive(gauss, c.exp);
  for (int v = 0; v < 4; ++v) gauss[v] = gauss[v] * rest[v] + gauss[v];
}

struct Relu {
  [[gnu::always_inline]] static void forward(Block& x, const Constants&) {
    for (f32x4& lanes : x) lanes = max(lanes, zero());
  }
  [[gnu::always_inline]] static void backward(const Block& x, Block& d, const Constants&) {
    for (int v = 0; v < 4; ++v) d[v] = zero_where(x[v] <= zero(), d[v]);
  }
};

struct Gelu {
  // y = Φ(-a) for a = |x| <= 2.5
  [[gnu::always_inline]] static void near_tail(const Block& x, Block& y, const Constants& c) {
    Block offset;
    for (int v = 0; v < 4; ++v) offset[v] = opaque(abs(x[v]) - get(c.two));
    polynomial(offset, c.q, y);
  }
  // y = a Φ(-a) where a > 2.5, which is 0 from 14.2 on; else y stays.
  [[gnu::always_inline]] static void far_tail(const Block& a, const Block& gauss, Block& y,
                                              const Constants& c) {
    Block t, mills;
    for (int v = 0; v < 4; ++v) t[v] = opaque(get(c.one) / (a[v] * a[v]));
    polynomial(t, c.m, mills);
    for (int v = 0; v < 4; ++v) y[v] = select(a[v] > get(c.near_up_to), gauss[v] * mills[v], y[v]);
  }
  // x Φ(x) = max(x, 0) - |x| Φ(-|x|), which keeps the relative accuracy where Φ(x) is small.
  [[gnu::always_inline]] static void forward(Block& x, const Constants& c) {
    Block a, y;
    for (int v = 0; v < 4; ++v) a[v] = min(abs(x[v]), get(c.large));
    polynomial(a, c.root, y);
    for (int i = 0; i < 4; ++i) {
      for (int v = 0; v < 4; ++v) y[v] = opaque(y[v] * y[v]);
    }
    for (int v = 0; v < 4; ++v) x[v] = max(x[v], zero()) - a[v] / y[v];
  }

  // Forward: x Φ(x), so the derivative is Φ(x) + x φ(x) with φ(x) = exp(-x²/2) / √(2π). Φ(-a) - a φ(a) is
  // that at -a, and 1 minus it that at a.
  [[gnu::always_inline]] static void backward(const Block& x, Block& d, const Constants& c) {
    Block a, gauss, cdf, far;
    for (int v = 0; v < 4; ++v) a[v] = min(abs(x[v]), splat(15.0f));
    near_tail(a, cdf, c);
    normal_density(a, gauss, c);
    for (f32x4& lanes : far) lanes = zero();
    far_tail(a, gauss, far, c);
    for (int v = 0; v < 4; ++v) {
      cdf[v] = select(a[v] > get(c.near_up_to), far[v] / a[v], cdf[v]);
      const f32x4 below = cdf[v] - a[v] * (gauss[v] * get(c.phi_0));
      d[v] = d[v] * select(x[v] < zero(), below, get(c.one) - below);
    }
  }
};

// x σ(z) for an odd z(x), σ(z) = 1 / (1 + exp(-z)). With a = |x| and s = exp(-z(a)): σ(-z(a)) = s / (1 + s),
// and x σ(z) = max(x, 0) - a s / (1 + s), where neither cancels nor overflows.
template <class Gate>
struct Gated {
  [[gnu::always_inline]] static void exp_of_minus_z(const Block& a, Block& s, const Constants& c) {
    for (int v = 0; v < 4; ++v) s[v] = -Gate::z(a[v]);
    exp_nonpositive(s, c.exp);
  }

  [[gnu::always_inline]] static void forward(Block& x, const Constants& c) {
    Block a, s;
    for (int v = 0; v < 4; ++v) a[v] = min(abs(x[v]), splat(Gate::kLimit));
    exp_of_minus_z(a, s, c);
    for (int v = 0; v < 4; ++v) x[v] = max(x[v], zero()) - a[v] * s[v] / (get(c.one) + s[v]);
  }

  // Forward: x σ(z), so the derivative is σ + x σ (1 - σ) z'. At -a that is σ(-z) (1 - a σ(z) z'), and 1
  // minus it at a.
  [[gnu::always_inline]] static void backward(const Block& x, Block& d, const Constants& c) {
    const f32x4 one = get(c.one);
    Block a, s;
    for (int v = 0; v < 4; ++v) a[v] = min(abs(x[v]), splat(Gate::kLimit));
    exp_of_minus_z(a, s, c);
    for (int v = 0; v < 4; ++v) {
      const f32x4 sigma = one / (one + s[v]);
      const f32x4 below = s[v] * sigma * (one - a[v] * Gate::dz(a[v]) * sigma);
      d[v] = d[v] * select(x[v] < zero(), below, one - below);
    }
  }
};

struct SiluGate {
  static constexpr float kLimit = 128;  // a larger |x| changes nothing, as exp(-128) is 0
  static f32x4 z(f32x4 a) { return a; }
  static f32x4 dz(f32x4) { return splat(1.0f); }
};

// (1 + tanh u) / 2 = σ(2u); here z = 2u = x (2 √(2/π) + 2 √(2/π) 0.044715 x²).
struct GeluTanhGate {
  static constexpr float kLimit = 16;
  static constexpr float kLinear = 0x1.988454p0f, kCubic = 0x1.2444f2p-4f;
  static f32x4 z(f32x4 a) { return a * (a * a * splat(kCubic) + splat(kLinear)); }
  static f32x4 dz(f32x4 a) { return a * a * splat(3 * kCubic) + splat(kLinear); }
};

struct Tanh {
  [[gnu::always_inline]] static void forward(Block& x, const Constants& c) { simd::tanh(x, c.tanh); }

  // Forward: y = tanh x, so the derivative is 1 - y². With s = exp(-2 |x|): y = (1 - s) / (1 + s), and where
  // y is near 1, 4 s / (1 + s)² does not cancel.
  [[gnu::always_inline]] static void backward(const Block& x, Block& d, const Constants& c) {
    const f32x4 one = get(c.one);
    Block s;
    for (int v = 0; v < 4; ++v) s[v] = abs(x[v]) * get(c.tanh.minus_two);
    exp_nonpositive(s, c.exp);
    for (int v = 0; v < 4; ++v) {
      const f32x4 r = one / (one + s[v]), y = (one - s[v]) * r, two_r = r + r;
      const f32x4 near = one - y * y, far = s[v] * two_r * two_r;
      d[v] = d[v] * select(abs(x[v]) < get(c.tanh.near_up_to), near, far);
    }
  }
};

[[gnu::always_inline]] inline void load_block(const float* p, Block& block) {
  for (int v = 0; v < 4; ++v) block[v] = load(p + 4 * v);
}
[[gnu::always_inline]] inline void store_block(float* p, const Block& block) {
  for (int v = 0; v < 4; ++v) store(p + 4 * v, block[v]);
}

template <class F>
void forward(const float* x, int64_t blocks, float* out) {
  const Constants& c = *opaque(&kConstants);
  for (; blocks > 0; --blocks, x += kBlock, out += kBlock) {
    Block block;
    load_block(x, block);
    F::forward(block, c);
    store_block(out, block);
  }
}

template <class F>
void backward(const float* x, const float* dout, int64_t blocks, float* dx) {
  const Constants& c = *opaque(&kConstants);
  for (; blocks > 0; --blocks, x += kBlock, dout += kBlock, dx += kBlock) {
    Block block, d;
    load_block(x, block);
    load_block(dout, d);
    F::backward(block, d, c);
    store_block(dx, d);
  }
}

// By activation, in the order of the enumeration.
constexpr decltype(&forward<Relu>) kForward[] = {forward<Relu>, forward<Gelu>, forward<Gated<GeluTanhGate>>,
                                                 forward<Gated<SiluGate>>, forward<Tanh>};
constexpr decltype(&backward<Relu>) kBackward[] = {
    backward<Relu>, backward<Gelu>, backward<Gated<GeluTanhGate>>, backward<Gated<SiluGate>>, backward<Tanh>};

// Calls run(at, blocks) for parts of the whole blocks of 0 .. size, and last(at, n) for the elements after
// them.
template <class Run, class Last>
void each_part(int64_t size, const Run& run, const Last& last) {
  constexpr int64_t kWork = 8 * kBlock;
  const int64_t whole = size / kBlock, rest = size % kBlock;
  parallel_for(whole, kWork, n_threads(),
               [&](int64_t begin, int64_t end, int) noexcept { run(begin * kBlock, end - begin); });
  if (rest > 0) last(size - rest, rest);
}

}  // namespace

void activation_forward(Activation activation, const ConstView& x, const View& out) {
  check_shape("activation", "out", out.shape, x.shape);
  const auto kernel = kForward[static_cast<int>(activation)];
  each_part(
      x.shape.size(),
      [&](int64_t at, int64_t blocks) noexcept { kernel(x.data + at, blocks, out.data + at); },
      [&](int64_t at, int64_t n) {
        float block[kBlock] = {};
        std::copy_n(x.data + at, n, block);
        kernel(block, 1, block);
        std::copy_n(block, n, out.data + at);
      });
}

void activation_backward(Activation activation, const ConstView& x, const ConstView& dout, const View& dx) {
  check_shape("activation_backward", "dout", dout.shape, x.shape);
  check_shape("activation_backward", "dx", dx.shape, x.shape);
  const auto kernel = kBackward[static_cast<int>(activation)];
  each_part(
      x.shape.size(),
      [&](int64_t at, int64_t blocks) noexcept { kernel(x.data + at, dout.data + at, blocks, dx.data + at); },
      [&](int64_t at, int64_t n) {
        float block[kBlock] = {}, d[kBlock] = {};
        std::copy_n(x.data + at, n, block);
        std::copy_n(dout.data + at, n, d);
        kernel(block, d, 1, d);
        std::copy_n(d, n, dx.data + at);
      });
}

}  // namespace sqrtdk
