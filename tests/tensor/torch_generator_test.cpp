#include "tensor/torch_generator.h"

#include <doctest/doctest.h>

#include <vector>

#include "simd/bits_hash.h"

namespace sqrtdk {
namespace {

// Drawn by PyTorch 1.13 (CPU, x86-64 with AVX2): torch.manual_seed(seed), then randn(n), randn(n), rand(n).
struct Drawn {
  uint64_t seed;
  int n;
  float first_of_randn, last_of_randn, last_of_second_randn, last_of_rand;
};
constexpr Drawn kDrawn[] = {
    {0, 5, 1.54099607f, -1.08452237f, -0.403343529f, 0.419408321f},
    {0, 15, 1.54099607f, -1.07118738f, -0.718480051f, 0.935103655f},
    {0, 16, -1.12583983f, -0.247278154f, -0.843676746f, 0.793160617f},
    {0, 17, -1.12583983f, 0.931826591f, 0.188553572f, 0.880179882f},
    {0, 33, -1.12583983f, 1.20322371f, -0.412679136f, 0.393642426f},
    {42, 5, 0.336690366f, -1.12285638f, 0.267350882f, 0.10531491f},
    {42, 15, 0.336690366f, -0.988959908f, 0.526336968f, 0.00406193733f},
    {42, 16, 1.92691529f, 0.76244539f, 0.859858513f, 0.589463115f},
    {42, 17, 1.92691529f, -0.309726775f, 0.70781225f, 0.765289068f},
    {42, 33, 1.92691529f, -1.41805995f, 1.26831138f, 0.930198371f},
    {4294967295, 5, 1.21976304f, -0.0755101964f, 0.191763669f, 0.995312274f},
    {4294967295, 15, 1.21976304f, 0.612868905f, 1.14294302f, 0.0859127045f},
    {4294967295, 16, -2.66429758f, 0.140909612f, 1.96789145f, 0.60194236f},
    {4294967295, 17, -2.66429758f, 1.62438321f, 0.228068084f, 0.921426892f},
    {4294967295, 33, -2.66429758f, 0.0403710417f, 0.0316966735f, 0.471035719f},
};

std::vector<float> randn(TorchGenerator& generator, int64_t n) {
  std::vector<float> x(n);
  generator.randn(x.data(), n);
  return x;
}

std::vector<float> rand(TorchGenerator& generator, int64_t n) {
  std::vector<float> x(n);
  generator.rand(x.data(), n);
  return x;
}

TEST_CASE("randn and rand are PyTorch's, bit for bit") {
  for (const Drawn& drawn : kDrawn) {
    CAPTURE(drawn.seed);
    CAPTURE(drawn.n);
    TorchGenerator generator(drawn.seed);
    const std::vector<float> first = randn(generator, drawn.n);
    CHECK(first.front() == drawn.first_of_randn);
    CHECK(first.back() == drawn.last_of_randn);
    CHECK(randn(generator, drawn.n).back() == drawn.last_of_second_randn);
    CHECK(rand(generator, drawn.n).back() == drawn.last_of_rand);
  }
}

TEST_CASE("sums of 1000 normals are PyTorch's") {
  // One float off by one bit moves such a sum by more than 1e-9.
  struct {
    uint64_t seed;
    double sum;
  } constexpr expected[] = {{0, 28.9183199830004}, {42, 4.23129390826216}, {4294967295, 7.722554140549619}};
  for (const auto& [seed, expected_sum] : expected) {
    TorchGenerator generator(seed);
    double sum = 0;
    for (const float x : randn(generator, 1000)) sum += x;
    CHECK(sum == doctest::Approx(expected_sum).epsilon(1e-13));
  }
}

TEST_CASE("only the low 32 bits of the seed matter") {
  TorchGenerator a(4294967295), b(9223372036854775807);
  CHECK(randn(a, 33) == randn(b, 33));
  CHECK(rand(a, 5) == rand(b, 5));
}

TEST_CASE("the second normal of a pair waits for the next randn of fewer than 16") {
  TorchGenerator whole(8), parts(8);
  const std::vector<float> x = randn(whole, 6);
  CHECK(randn(parts, 3) == std::vector<float>(x.begin(), x.begin() + 3));
  CHECK(randn(parts, 0).empty());
  CHECK(randn(parts, 1) == std::vector<float>(x.begin() + 3, x.begin() + 4));
  CHECK(randn(parts, 2) == std::vector<float>(x.begin() + 4, x.end()));

  TorchGenerator interrupted(8);
  CHECK(randn(interrupted, 3).back() == x[2]);
  rand(interrupted, 2);
  randn(interrupted, 16);
  CHECK(randn(interrupted, 1).front() == x[3]);
}

TEST_CASE("the same bits on every target") {
  BitsHash hash;
  TorchGenerator generator(20261120);
  for (const float x : randn(generator, 1000003)) hash.add(x);
  for (int i = 0; i < 10000; ++i)
    for (const float x : randn(generator, i % 16)) hash.add(x);
  CHECK(hash.value() == 0xa882995879dc5b9bu);
}

}  // namespace
}  // namespace sqrtdk
