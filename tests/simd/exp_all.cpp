// Every one of the 2^32 float inputs of exp: the largest error in ULP, and that a larger x never gives a
// smaller result. A program of its own, as it takes minutes: scripts/test-exp runs it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

#include "simd/bits.h"
#include "simd/exp.h"

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

void compare(float x, float y, Worst& worst) {
  const double exact = std::exp(static_cast<double>(x));
  constexpr double kOverflow = 0x1.ffffffp127;  // halfway between the largest float and 2^128
  if (std::isnan(x)) {
    worst.wrong_special += !std::isnan(y);
  } else if (exact >= kOverflow || std::isinf(y)) {
    worst.wrong_special += y != INFINITY || exact < kOverflow;
  } else if (exact == 0) {
    worst.wrong_special += y != 0;
  } else {
    const double ulp = std::abs(y - exact) / spacing(exact);
    if (ulp > worst.ulp) worst.ulp = ulp, worst.at = x;
  }
}

/// Bit patterns [first, last), in ascending order of magnitude within one sign.
Worst scan(uint64_t first, uint64_t last) {
  Worst worst;
  float previous = first % 0x80000000u == 0 ? 1.0f : simd::exp(simd::bit_cast<float>(uint32_t(first - 1)));
  const bool negative = first >= 0x80000000u;
  for (uint64_t bits = first; bits < last; bits += 4) {
    float x[4], y[4];
    for (int i = 0; i < 4; ++i) x[i] = simd::bit_cast<float>(uint32_t(bits + i));
    simd::store(y, simd::exp(simd::load(x)));
    for (int i = 0; i < 4; ++i) {
      compare(x[i], y[i], worst);
      worst.not_monotone += negative ? y[i] > previous : y[i] < previous;
      previous = y[i];
    }
  }
  return worst;
}

}  // namespace

int main() {
  const unsigned n_threads = std::max(1u, std::thread::hardware_concurrency());
  const uint64_t n_blocks = 256, block = (uint64_t{1} << 32) / n_blocks;
  std::vector<Worst> found(n_blocks);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < n_threads; ++t)
    threads.emplace_back([&, t] {
      for (uint64_t b = t; b < n_blocks; b += n_threads) found[b] = scan(b * block, (b + 1) * block);
    });
  for (std::thread& thread : threads) thread.join();
  Worst worst;
  for (const Worst& w : found) {
    if (w.ulp > worst.ulp) worst.ulp = w.ulp, worst.at = w.at;
    worst.not_monotone += w.not_monotone;
    worst.wrong_special += w.wrong_special;
  }
  std::printf("exp over all 2^32 inputs: %.4f ULP at x = %a; %lld steps down; %lld wrong special values\n",
              worst.ulp, worst.at, static_cast<long long>(worst.not_monotone),
              static_cast<long long>(worst.wrong_special));
  return worst.ulp <= 1.05 && worst.not_monotone == 0 && worst.wrong_special == 0 ? 0 : 1;
}
