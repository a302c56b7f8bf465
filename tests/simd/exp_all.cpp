// Every one of the 2^32 float inputs of exp, tanh and erf, and every x <= 0 of exp_nonpositive: the largest
// error in ULP, and for the exponentials that a larger x never gives a smaller result. A program of its own,
// as it takes minutes: scripts/test-exp runs it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

#include "simd/bits.h"
#include "simd/math.h"

namespace {

using namespace sqrtdk;

struct Worst {
  double ulp = 0;
  float at = 0;
  int64_t not_monotone = 0;
  int64_t wrong_special = 0;
};

/// The spacing of floats at y > 0: of the binade of y, or of subnormals.
double spacing(double y) { return std::ldexp(1.0, std::max(std::ilogb(y) - 23, -149)); }

void compare(float x, float y, double exact, Worst& worst) {
  constexpr double kOverflow = 0x1.ffffffp127;  // halfway between the largest float and 2^128
  if (std::isnan(x)) {
    worst.wrong_special += !std::isnan(y);
  } else if (std::abs(exact) >= kOverflow || std::isinf(y)) {
    worst.wrong_special += y != INFINITY || exact < kOverflow;
  } else if (exact == 0) {
    worst.wrong_special += y != 0;
  } else {
    const double ulp = std::abs(y - exact) / spacing(std::abs(exact));
    if (ulp > worst.ulp) worst.ulp = ulp, worst.at = x;
  }
}

struct Function {
  const char* name;
  simd::f32x4 (*of_vector)(simd::f32x4);
  double (*exact)(double);
  double bound;
  uint64_t first_bits;  // where a function is only for x <= 0
  bool monotone;
};

/// Bit patterns [first, last), in ascending order of magnitude within one sign.
Worst scan(const Function& f, uint64_t first, uint64_t last) {
  Worst worst;
  const bool negative = first >= 0x80000000u;
  float previous = NAN;
  for (uint64_t bits = first; bits < last; bits += 4) {
    float x[4], y[4];
    for (int i = 0; i < 4; ++i) x[i] = simd::bit_cast<float>(uint32_t(bits + i));
    simd::store(y, f.of_vector(simd::load(x)));
    for (int i = 0; i < 4; ++i) {
      compare(x[i], y[i], f.exact(x[i]), worst);
      worst.not_monotone += negative ? y[i] > previous : y[i] < previous;
      previous = y[i];
    }
  }
  return worst;
}

bool holds(const Function& f) {
  const unsigned n_threads = std::max(1u, std::thread::hardware_concurrency());
  // Blocks overlap by four inputs, so that no step between two of them goes unseen.
  const uint64_t n_blocks = 256, block = (uint64_t{1} << 32) / n_blocks, first_block = f.first_bits / block;
  std::vector<Worst> found(n_blocks);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < n_threads; ++t)
    threads.emplace_back([&, t] {
      for (uint64_t b = first_block + t; b < n_blocks; b += n_threads)
        found[b] = scan(f, b % (n_blocks / 2) == 0 ? b * block : b * block - 4, (b + 1) * block);
    });
  for (std::thread& thread : threads) thread.join();
  Worst worst;
  for (const Worst& w : found) {
    if (w.ulp > worst.ulp) worst.ulp = w.ulp, worst.at = w.at;
    worst.not_monotone += w.not_monotone;
    worst.wrong_special += w.wrong_special;
  }
  std::printf("%s over all inputs: %.4f ULP at x = %a; %lld steps the wrong way; %lld wrong special values\n",
              f.name, worst.ulp, worst.at, static_cast<long long>(worst.not_monotone),
              static_cast<long long>(worst.wrong_special));
  return worst.ulp <= f.bound && (worst.not_monotone == 0 || !f.monotone) && worst.wrong_special == 0;
}

}  // namespace

int main() {
  const Function functions[] = {
      {"exp", [](simd::f32x4 x) { return simd::exp(x); }, [](double x) { return std::exp(x); }, 1.05, 0,
       true},
      {"exp_nonpositive", [](simd::f32x4 x) { return simd::exp_nonpositive(x); },
       [](double x) { return std::exp(x); }, 1.0, 0x80000000u, true},
      {"tanh", [](simd::f32x4 x) { return simd::tanh(x); }, [](double x) { return std::tanh(x); }, 1.46, 0,
       false},
      {"erf", [](simd::f32x4 x) { return simd::erf(x); }, [](double x) { return std::erf(x); }, 1.2, 0,
       false},
  };
  bool all_hold = true;
  for (const Function& f : functions) all_hold = holds(f) && all_hold;
  return all_hold ? 0 : 1;
}
