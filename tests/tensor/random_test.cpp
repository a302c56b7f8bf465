#include "tensor/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "simd/bits_hash.h"
#include "tensor/philox.h"

namespace sqrtdk {
namespace {

using Block = std::array<uint32_t, 4>;

Block philox_block(uint64_t seed, uint64_t stream, uint64_t block) {
  const FourBlocks four = Philox(seed, stream)(block & ~uint64_t{3});
  uint32_t words[4][4];
  for (int w = 0; w < 4; ++w) simd::store(words[w], four.word[w]);
  const uint64_t lane = block & 3;
  return {words[0][lane], words[1][lane], words[2][lane], words[3][lane]};
}

std::vector<float> uniforms(uint64_t seed, uint64_t stream, uint64_t first, int64_t n) {
  std::vector<float> x(n);
  philox_uniform(seed, stream, first, x.data(), n);
  return x;
}

std::vector<float> normals(uint64_t seed, uint64_t stream, uint64_t first, int64_t n) {
  std::vector<float> x(n);
  philox_normal(seed, stream, first, x.data(), n);
  return x;
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// The Kolmogorov-Smirnov distance times sqrt(n): above 1.95 with probability 0.001.
template <class Cdf>
double kolmogorov_smirnov(std::vector<float> x, Cdf cdf) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  double distance = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double p = cdf(x[i]), below = static_cast<double>(i) / n;
    distance = std::max({distance, p - below, below + 1 / n - p});
  }
  return distance * std::sqrt(n);
}

/// The correlation of a and b, both of mean 0 and variance 1, in standard errors.
double correlation(const float* a, const float* b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum / std::sqrt(static_cast<double>(n));
}

TEST_CASE("Philox4x32-10 gives the known answers of Random123") {
  CHECK(philox_block(0, 0, 0) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox_block(~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}) ==
        Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox_block(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88) ==
        Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("uniforms are the upper 24 bits of the words, in order") {
  const std::vector<float> x = uniforms(7, 9, 0, 64);
  for (uint64_t i = 0; i < 64; ++i)
    CHECK(x[i] == static_cast<float>(philox_block(7, 9, i / 4)[i % 4] >> 8) * 0x1p-24f);
}

TEST_CASE("a value does not depend on where a call starts and how long it is") {
  for (const uint64_t start : {uint64_t{0}, (uint64_t{1} << 34) - 40, (uint64_t{1} << 63) + 5}) {
    const std::vector<float> u = uniforms(3, 1, start, 100), z = normals(3, 1, start, 100);
    for (uint64_t offset = 0; offset <= 40; ++offset)
      for (int64_t n = 0; n <= 33; ++n) {
        const std::vector<float> u_part = uniforms(3, 1, start + offset, n);
        const std::vector<float> z_part = normals(3, 1, start + offset, n);
        CHECK(std::equal(u_part.begin(), u_part.end(), u.begin() + static_cast<int64_t>(offset)));
        CHECK(std::equal(z_part.begin(), z_part.end(), z.begin() + static_cast<int64_t>(offset)));
      }
  }
}

TEST_CASE("nothing is written beyond the end") {
  for (int64_t n = 0; n <= 33; ++n) {
    std::vector<float> x(n + 16, -7.0f);
    philox_normal(1, 2, 5, x.data(), n);
    CHECK(std::all_of(x.begin() + n, x.end(), [](float v) { return v == -7.0f; }));
  }
}

TEST_CASE("uniforms are uniform") {
  constexpr int64_t n = 1 << 20;
  const std::vector<float> x = uniforms(11, 0, 0, n);
  CHECK(*std::min_element(x.begin(), x.end()) >= 0);
  CHECK(*std::max_element(x.begin(), x.end()) < 1);
  CHECK(kolmogorov_smirnov(x, [](double v) { return v; }) < 1.95);
}

TEST_CASE("normals are normal: moments, distribution and tails") {
  constexpr int64_t n = 1 << 22;
  const std::vector<float> z = normals(12, 0, 0, n);
  double sum[5] = {};
  double beyond_4 = 0;
  for (const float v : z) {
    double power = 1;
    for (double& s : sum) s += power, power *= v;
    beyond_4 += std::abs(v) > 4;
  }
  const double mean = sum[1] / n, second = sum[2] / n, third = sum[3] / n, fourth = sum[4] / n;
  // Standard errors: the variance of z^k is E z^2k - (E z^k)^2.
  CHECK(std::abs(mean) < 4 * std::sqrt(1.0 / n));
  CHECK(std::abs(second - 1) < 4 * std::sqrt(2.0 / n));
  CHECK(std::abs(third) < 4 * std::sqrt(15.0 / n));
  CHECK(std::abs(fourth - 3) < 4 * std::sqrt(96.0 / n));
  const double expected = 2 * normal_cdf(-4) * n;
  CHECK(std::abs(beyond_4 - expected) < 4 * std::sqrt(expected));
  CHECK(kolmogorov_smirnov(std::vector<float>(z.begin(), z.begin() + n / 4), normal_cdf) < 1.95);
}

TEST_CASE("normals are Box and Muller of the words") {
  double worst = 0;
  for (uint64_t block = 0; block < 20000; ++block) {
    const Block x = philox_block(5, 6, block);
    const std::vector<float> z = normals(5, 6, 4 * block, 4);
    for (int pair = 0; pair < 4; pair += 2) {
      const float u = (static_cast<float>(x[pair] >> 1) + 1) * 0x1p-31f;
      const double radius = std::sqrt(-2 * std::log(static_cast<double>(u)));
      const double angle = static_cast<int32_t>(x[pair + 1] << 2) * (0.78539816339744831 * 0x1p-31) +
                           (x[pair + 1] >> 30) * 1.5707963267948966;
      worst = std::max(worst, std::abs(z[pair] - radius * std::cos(angle)) / radius);
      worst = std::max(worst, std::abs(z[pair + 1] - radius * std::sin(angle)) / radius);
    }
  }
  CHECK(worst < 3e-7);
}

TEST_CASE("streams, seeds and neighbours are uncorrelated") {
  constexpr int64_t n = 200000;
  const std::vector<float> base = normals(1, 0, 0, n + 8);
  std::vector<float> squares(n + 8);
  std::transform(base.begin(), base.end(), squares.begin(),
                 [](float v) { return (v * v - 1) / std::sqrt(2.0f); });
  for (int64_t lag = 1; lag <= 8; ++lag) {
    CHECK(std::abs(correlation(base.data(), base.data() + lag, n)) < 4);
    CHECK(std::abs(correlation(squares.data(), squares.data() + lag, n)) < 4);
  }
  for (const uint64_t other : {uint64_t{1}, uint64_t{2}, uint64_t{1} << 32, ~uint64_t{0}}) {
    CHECK(std::abs(correlation(base.data(), normals(1, other, 0, n).data(), n)) < 4);
    CHECK(std::abs(correlation(base.data(), normals(1 + other, 0, 0, n).data(), n)) < 4);
  }
}

TEST_CASE("the same bits on every target") {
  BitsHash hash;
  for (const float v : uniforms(42, 1, 3, 10000)) hash.add(v);
  for (const float v : normals(42, 1, 3, 1000000)) hash.add(v);
  CHECK(hash.value() == 0x80ac527117b29584u);
}

}  // namespace
}  // namespace sqrtdk
