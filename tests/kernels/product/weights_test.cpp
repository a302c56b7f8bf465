// Packed matrices of bfloat16 and int8: the promised bits, and the promised error against the exact product.
#include "kernels/product/weights.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/errors.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/matmul.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

constexpr WeightFormat kBf16 = WeightFormat::kBf16, kInt8 = WeightFormat::kInt8;

// To nearest, ties to even, of a float's upper 16 bits.
float to_bf16(float x) {
  int exponent = 0;
  const double mantissa = std::frexp(static_cast<double>(x), &exponent);
  return static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(mantissa, 8)), exponent - 8));
}

struct Case {
  int64_t m, k, n;
  std::vector<float> a, b, bias;
  Case(int64_t m, int64_t k, int64_t n) : m(m), k(k), n(n) {
    Draws draws(static_cast<uint64_t>(m * 1000000 + k * 1000 + n));
    a = draws.normals(m * k), b = draws.normals(k * n), bias = draws.normals(n);
    for (int64_t i = 0; i < k * n; ++i)
      b[i] *= static_cast<float>(std::ldexp(1.0, static_cast<int>(i % n) % 7));
  }

  // All buffers lie between guards, `shift` floats off any alignment.
  std::vector<float> run(WeightFormat format, Transpose tb, bool with_bias, int64_t shift) const {
    GuardedBuffer a_buffer(a, shift), bias_buffer(bias, shift), packed(weights_size(k, n, format), shift);
    GuardedBuffer b_buffer(tb == Transpose::kYes ? transposed(b, k, n) : b, shift);
    const PackedWeights weights = pack_weights(
        {b_buffer.data(), tb == Transpose::kYes ? Shape{n, k} : Shape{k, n}}, tb, format, packed.data());
    CHECK(packed.intact());
    GuardedBuffer out(std::vector<float>(static_cast<size_t>(m * n), NAN), shift);
    matmul_weights({a_buffer.data(), {m, k}}, weights, {out.data(), {m, n}},
                   with_bias ? ConstView{bias_buffer.data(), {n}} : ConstView{});
    CHECK(out.intact());
    return out.values();
  }

  std::vector<float> rounded() const {
    std::vector<float> result = b;
    for (float& x : result) x = to_bf16(x);
    return result;
  }

  float largest(int64_t column) const {
    float result = 0;
    for (int64_t i = 0; i < k; ++i) result = std::max(result, std::fabs(b[i * n + column]));
    return result;
  }

  std::vector<float> int8_bits(bool with_bias) const {
    std::vector<float> q = b;
    for (int64_t i = 0; i < k * n; ++i) q[i] = std::nearbyint(b[i] / (largest(i % n) / 127));
    std::vector<float> out = matmul_bits(a, q, m, k, n);
    for (int64_t i = 0; i < m * n; ++i) {
      out[i] = out[i] * (largest(i % n) / 127);
      if (with_bias) out[i] = out[i] + bias[i % n];
    }
    return out;
  }
};

void check_bits(const Case& c, int64_t shift) {
  CAPTURE(c.m);
  CAPTURE(c.k);
  CAPTURE(c.n);
  for (const bool with_bias : {false, true}) {
    const std::vector<float>* const bias = with_bias ? &c.bias : nullptr;
    for (const Transpose tb : {Transpose::kNo, Transpose::kYes}) {
      const std::vector<float> b = c.rounded();
      CHECK(same_bits(c.run(kBf16, tb, with_bias, shift), matmul_bits(c.a, b, c.m, c.k, c.n, nullptr, bias)));
      CHECK(same_bits(c.run(kInt8, tb, with_bias, shift), c.int8_bits(with_bias)));
    }
  }
}

}  // namespace

TEST_CASE("narrow weights: every element is the promised sum, bit by bit, with every tail") {
  for (int64_t length = 1; length <= 33; ++length) {
    check_bits(Case(1, 5, length), 0);
    check_bits(Case(length, 6, 9), 1);
    check_bits(Case(6, length, 35), length % 4);
  }
  for (const int64_t k : {63, 64, 65, 300}) check_bits(Case(5, k, 70), 3);
}

TEST_CASE("narrow weights: the error stays below the bound, against the exact product in double") {
  for (const int64_t k : {64, 768}) {
    const Case c(3, k, 40);
    const Product product = matmul(c.a, c.b, c.m, c.k, c.n);
    const std::vector<float> bf16 = c.run(kBf16, Transpose::kYes, false, 0),
                             int8 = c.run(kInt8, Transpose::kYes, false, 0);
    const int64_t roundings = 34 + k / 32;      // within a block of 32, and of blocks
    double largest_bf16 = 0, largest_int8 = 0;  // as shares of the bounds
    for (int64_t i = 0; i < c.m * c.n; ++i) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += std::fabs(c.a[i / c.n * k + p]);
      const double rounding = static_cast<double>(roundings) * 0x1p-24 * product.magnitude[i];
      const double bound = 0x1p-8 * product.magnitude[i] + rounding;
      const double int8_bound = c.largest(i % c.n) / 254.0 * sum * (1 + 0x1p-16) + 2 * rounding;
      largest_bf16 = std::max(largest_bf16, std::fabs(bf16[i] - product.exact[i]) / bound);
      largest_int8 = std::max(largest_int8, std::fabs(int8[i] - product.exact[i]) / int8_bound);
    }
    CHECK(largest_bf16 < 1);
    CHECK(largest_int8 < 1);
    CHECK(largest_bf16 > 1e-3);  // it is rounded
    CHECK(largest_int8 > 1e-3);
  }
}

TEST_CASE("narrow weights: what they weigh") {
  CHECK(weights_size(512, 512, WeightFormat::kF32) == 512 * 512);
  CHECK(weights_size(512, 512, kBf16) == 512 * 512 / 2);
  CHECK(weights_size(512, 512, kInt8) == 512 * 512 / 4 + 512);
}

TEST_CASE("narrow weights: columns of zeros, of the smallest numbers, and with NaN or infinity") {
  const int64_t k = 40, n = 11;
  Case c(2, k, n);
  const auto fill = [&](int64_t column, float x) {
    for (int64_t i = 0; i < k; ++i) c.b[i * n + column] = x;
  };
  fill(1, 0), fill(2, 0x1p-149f), fill(3, 100 * 0x1p-149f), fill(4, -190 * 0x1p-149f);
  c.b[7 * n + 5] = NAN, c.b[8 * n + 6] = INFINITY;
  const std::vector<float> out = c.run(kInt8, Transpose::kYes, false, 0);
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t j = 0; j < n; ++j) {
      const float x = out[row * n + j];
      CAPTURE(j);
      if (j >= 1 && j <= 4) CHECK(std::fabs(x) < 1e-40f);
      CHECK(std::isnan(x) == (j == 5 || j == 6));
    }
  }
  const std::vector<float> bf16 = c.run(kBf16, Transpose::kYes, false, 0);
  for (int64_t j = 0; j < n; ++j) CHECK(std::isfinite(bf16[j]) == (j != 5 && j != 6));
}

TEST_CASE("narrow weights: a sum of nothing is the bias; shapes that do not fit") {
  std::vector<float> packed(64), out(6, NAN), bias{1, 2, 3};
  for (const WeightFormat format : {kBf16, kInt8}) {
    const PackedWeights empty = pack_weights({packed.data(), {0, 3}}, Transpose::kNo, format, packed.data());
    matmul_weights({packed.data(), {2, 0}}, empty, {out.data(), {2, 3}}, {bias.data(), {3}});
    CHECK(out == std::vector<float>{1, 2, 3, 1, 2, 3});
    CHECK_THROWS_AS(matmul_weights({packed.data(), {2, 1}}, empty, {out.data(), {2, 3}}), ShapeError);
    CHECK_THROWS_AS(matmul_weights({packed.data(), {2, 0}}, empty, {out.data(), {2, 2}}), ShapeError);
    CHECK_THROWS_AS(pack_weights({packed.data(), {3}}, Transpose::kNo, format, packed.data()), ShapeError);
  }
}
