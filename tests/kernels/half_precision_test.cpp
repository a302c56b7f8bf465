#include "kernels/half_precision.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/errors.h"
#include "reference/buffers.h"
#include "reference/compare.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

constexpr Format kFormats[] = {Format::kF32, Format::kF16, Format::kBf16};

float scalar_round(Format format, float x) {
  if (format == Format::kF16) return f16_value(f16_bits(x));
  return format == Format::kBf16 ? bf16_value(bf16_bits(x)) : x;
}

/// The sum of two doubles (s a float, p a product of floats) rounded once: the nearest in the format, ties to
/// even, decided by what is left over exactly.
float add_once(Format format, float s, double p) {
  if (!std::isfinite(s) || !std::isfinite(p)) return static_cast<float>(s + p);
  const auto above = [&](double candidate) {  // the sign of (s + p) - candidate, without rounding
    const double sum = s + p, part = sum - s, lost = (s - (sum - part)) + (p - part);
    const double difference = sum - candidate;  // of neighbours: exact
    return difference != 0 ? difference : lost;
  };
  const bool wide = format == Format::kF32, f16 = format == Format::kF16;
  const int mantissa = wide ? 23 : f16 ? 10 : 7, least = f16 ? -14 : -126, greatest = f16 ? 15 : 127;
  const double sum = s + p;
  if (sum == 0) return static_cast<float>(sum);
  int exponent = std::ilogb(sum);
  if (std::fabs(sum) == std::ldexp(1, exponent) && std::signbit(above(sum)) != std::signbit(sum) &&
      above(sum) != 0) {
    --exponent;
  }
  const double spacing = std::ldexp(1, std::max(exponent, least) - mantissa);
  const double low = std::floor(sum / spacing) * spacing;  // or the one below, where sum was rounded up
  const double down = above(low) < 0 ? low - spacing : low, middle = down + spacing / 2;
  const double side = above(middle);
  const bool odd = std::fmod(down / spacing, 2) != 0;
  const double y = side > 0 || (side == 0 && odd) ? down + spacing : down;
  if (std::fabs(y) >= std::ldexp(1, greatest + 1)) return std::copysign(INFINITY, static_cast<float>(sum));
  return std::copysign(static_cast<float>(y), static_cast<float>(sum));
}

std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b, int64_t m, int64_t k,
                           int64_t n, Format format, Format accumulate) {
  std::vector<float> out(static_cast<size_t>(m * n));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float s = 0;
      for (int64_t l = 0; l < k; ++l) {
        s = add_once(accumulate, s,
                     static_cast<double>(scalar_round(format, a[static_cast<size_t>(i * k + l)])) *
                         scalar_round(format, b[static_cast<size_t>(l * n + j)]));
      }
      out[static_cast<size_t>(i * n + j)] = s;
    }
  }
  return out;
}

std::vector<float> multiply(const std::vector<float>& a, const std::vector<float>& b, int64_t m, int64_t k,
                            int64_t n, Format format, Format accumulate) {
  std::vector<float> out(static_cast<size_t>(m * n), 7.0f);
  matmul_in_format({a.data(), {m, k}}, Transpose::kNo, {b.data(), {k, n}}, Transpose::kNo, format, accumulate,
                   {out.data(), {m, n}});
  return out;
}

std::vector<float> transposed(const std::vector<float>& x, int64_t rows, int64_t columns) {
  std::vector<float> y(x.size());
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      y[static_cast<size_t>(j * rows + i)] = x[static_cast<size_t>(i * columns + j)];
    }
  }
  return y;
}

}  // namespace

TEST_CASE(
    "round_to: the bits of the scalar conversions, for every f16, every midpoint and all over the range") {
  std::vector<float> x;
  for (uint32_t i = 0; i < 0x10000; ++i) {
    for (const float value : {f16_value(static_cast<uint16_t>(i)), bf16_value(static_cast<uint16_t>(i))}) {
      uint32_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      // The value, the middle to the next in either format, and the neighbours of all.
      for (const uint32_t offset : {0u, 1u, ~0u, 0xfffu, 0x1000u, 0x1001u, 0x7fffu, 0x8000u, 0x8001u}) {
        const uint32_t near = bits + offset;
        float y;
        std::memcpy(&y, &near, sizeof y);
        x.push_back(y);
      }
    }
  }
  for (uint64_t i = 0; i < uint64_t{1} << 32; i += 16381) {
    const auto bits = static_cast<uint32_t>(i);
    float y;
    std::memcpy(&y, &bits, sizeof y);
    x.push_back(y);
  }
  for (int i = 0; i <= 2100; ++i) x.push_back(static_cast<float>(i) * 0x1p-26f);  // f16's subnormals
  const Shape shape{static_cast<int64_t>(x.size())};
  for (const Format format : kFormats) {
    std::vector<float> got(x.size(), 7.0f), expected = x;
    for (float& value : expected) value = scalar_round(format, value);
    round_to(format, {x.data(), shape}, {got.data(), shape});
    CHECK(same_bits(got, expected));
    if (format == Format::kF32) continue;
    CHECK(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)) == 0);  // NaNs too
  }
}

TEST_CASE("round_to: every length, at any address, in place") {
  for (const Format format : kFormats) {
    for (int64_t n = 0; n <= 33; ++n) {
      for (const int64_t shift : {0, 1, 3}) {
        const std::vector<float> x = Draws(1).normals(n);
        GuardedBuffer in(x, shift), out(n, 3 - shift);
        round_to(format, {in.data(), {n}}, {out.data(), {n}});
        round_to(format, {in.data(), {n, 1}}, {in.data(), {n, 1}});
        std::vector<float> expected = x;
        for (float& value : expected) value = scalar_round(format, value);
        CHECK(same_bits(in.values(), expected));
        CHECK(same_bits(out.values(), expected));
        CHECK((in.intact() && out.intact()));
      }
    }
  }
}

TEST_CASE("matmul_in_format rounds each sum once, in every pair of formats and at every size") {
  Draws draws(2);
  for (const Format format : kFormats) {
    for (const Format accumulate : kFormats) {
      for (const float scale : {1.0f, 3e-4f, 300.0f, 1e-21f, 1e15f}) {
        for (int64_t n = 1; n <= 33; n += n % 8 == 1 ? 3 : 1) {
          const std::vector<float> a = draws.normals(2 * 9, scale), b = draws.normals(9 * n, scale);
          CHECK(same_bits(multiply(a, b, 2, 9, n, format, accumulate),
                          product(a, b, 2, 9, n, format, accumulate)));
        }
        const std::vector<float> a = draws.normals(3 * 150, scale), b = draws.normals(150 * 70, scale);
        CHECK(same_bits(multiply(a, b, 3, 150, 70, format, accumulate),
                        product(a, b, 3, 150, 70, format, accumulate)));
      }
    }
  }
}

TEST_CASE("matmul_in_format: sums that two roundings would get wrong") {
  for (const float sign : {1.0f, -1.0f}) {
    const auto last = [&](float s, float a, float b, Format format, Format accumulate) {
      return multiply({s, a}, {sign, sign * b}, 1, 2, 1, format, accumulate)[0] * sign;
    };
    CHECK(last(1024, 1, 0.5f, Format::kF16, Format::kF16) == 1024);  // ties, to even
    CHECK(last(1025, 1, 0.5f, Format::kF16, Format::kF16) == 1026);
    CHECK(last(1024, 1 + 0x1p-10f, 0.5f, Format::kF16, Format::kF16) == 1025);
    // The product is 16 - 2^-16 and the spacing of f16 32: in a float the last part is lost, and a tie
    // remains.
    const float a = 4 + 0x1p-8f, b = 4 - 0x1p-8f;
    CHECK(last(32800, a, b, Format::kF16, Format::kF16) == 32800);
    CHECK(last(32800, a, -b, Format::kF16, Format::kF16) == 32800);
    CHECK(last(32768, a, b, Format::kF16, Format::kF16) == 32768);
    CHECK(last(256, 1, 1, Format::kBf16, Format::kBf16) == 256);
    CHECK(last(256, 1, 1, Format::kBf16, Format::kF32) == 257);
    // 1.5 units of the last f32: the product alone would be rounded to 0.
    CHECK(multiply({0x1p-75f, 0x1p-75f}, {sign * 0x1p-74f, sign * 0x1p-75f}, 1, 2, 1, Format::kBf16,
                   Format::kF32)[0] == sign * 0x1p-148f);
  }
}

TEST_CASE("matmul_in_format: overflow, and infinity and NaN") {
  const auto f16 = [](float a, float b, Format accumulate) {
    return multiply({a, 1}, {b, 1}, 1, 2, 1, Format::kF16, accumulate)[0];
  };
  CHECK(f16(256, 256, Format::kF32) == 65537);
  CHECK(f16(256, 256, Format::kF16) == INFINITY);
  CHECK(f16(-256, 256, Format::kF16) == -INFINITY);
  CHECK(f16(70000, 1, Format::kF32) == INFINITY);  // the operand is infinite already
  CHECK(f16(65519, 1, Format::kF32) == 65505);
  CHECK(std::isnan(f16(NAN, 1, Format::kF16)));
  for (const Format format : kFormats) {
    for (const Format accumulate : kFormats) {
      CHECK(std::isnan(multiply({INFINITY, 1}, {0, 1}, 1, 2, 1, format, accumulate)[0]));
      CHECK(std::isnan(multiply({INFINITY, INFINITY}, {1, -1}, 1, 2, 1, format, accumulate)[0]));
      CHECK(multiply({-INFINITY, 1}, {2, 1}, 1, 2, 1, format, accumulate)[0] == -INFINITY);
      // Only its column.
      const std::vector<float> out = multiply({1, 1}, {1, NAN, 3, 4, 5, 6}, 1, 2, 3, format, accumulate);
      CHECK((out[0] == 5 && std::isnan(out[1]) && out[2] == 9));
    }
  }
  // Beyond the floats and back: the exact sum is a float.
  CHECK(multiply({-0x1p127f, 0x1p64f}, {1, 0x1p64f}, 1, 2, 1, Format::kBf16, Format::kF32)[0] == 0x1p127f);
}

TEST_CASE("matmul_in_format: transposed operands, batches, unaligned views, rows alone") {
  Draws draws(3);
  const int64_t m = 5, k = 70, n = 67;
  for (const Format format : kFormats) {
    for (const Format accumulate : {Format::kF32, Format::kF16}) {
      const std::vector<float> a = draws.normals(2 * m * k), b = draws.normals(2 * k * n);
      const std::vector<float> a0(a.begin(), a.begin() + m * k), a1(a.begin() + m * k, a.end());
      const std::vector<float> b0(b.begin(), b.begin() + k * n), b1(b.begin() + k * n, b.end());
      const std::vector<float> first = multiply(a0, b0, m, k, n, format, accumulate);
      const std::vector<float> second = multiply(a1, b1, m, k, n, format, accumulate);
      const std::vector<float> shared = multiply(a1, b0, m, k, n, format, accumulate);
      const auto both = [](std::vector<float> x, const std::vector<float>& y) {
        x.insert(x.end(), y.begin(), y.end());
        return x;
      };
      const std::vector<float> at = both(transposed(a0, m, k), transposed(a1, m, k));
      const std::vector<float> bt = both(transposed(b0, k, n), transposed(b1, k, n));
      for (const bool ta : {false, true}) {
        for (const bool tb : {false, true}) {
          GuardedBuffer left(ta ? at : a, 1), right(tb ? bt : b, 3), out(2 * m * n, 2);
          const auto run = [&](Shape b_shape) {
            matmul_in_format({left.data(), ta ? Shape{2, k, m} : Shape{2, m, k}},
                             ta ? Transpose::kYes : Transpose::kNo, {right.data(), b_shape},
                             tb ? Transpose::kYes : Transpose::kNo, format, accumulate,
                             {out.data(), {2, m, n}});
            CHECK(out.intact());
            return out.values();
          };
          CHECK(same_bits(run(tb ? Shape{2, n, k} : Shape{2, k, n}), both(first, second)));
          CHECK(same_bits(run(tb ? Shape{n, k} : Shape{k, n}), both(first, shared)));
        }
      }
      const std::vector<float> row(a0.begin() + 2 * k, a0.begin() + 3 * k);
      CHECK(same_bits(multiply(row, b0, 1, k, n, format, accumulate),
                      {first.begin() + 2 * n, first.begin() + 3 * n}));
    }
  }
}

TEST_CASE("matmul_in_format of nothing") {
  CHECK(multiply({}, {}, 0, 3, 0, Format::kF16, Format::kF16).empty());
  CHECK(multiply({}, {}, 2, 0, 2, Format::kBf16, Format::kF32) == std::vector<float>(4, 0.0f));
}

TEST_CASE("half precision: shapes that do not fit are refused, and nothing is written") {
  std::vector<float> a(6, 1.0f), b(6, 1.0f), out(4, 7.0f);
  const auto refuse = [&](Shape a_shape, Transpose ta, Shape b_shape, Transpose tb, Shape out_shape) {
    CHECK_THROWS_AS(matmul_in_format({a.data(), a_shape}, ta, {b.data(), b_shape}, tb, Format::kF16,
                                     Format::kF32, {out.data(), out_shape}),
                    ShapeError);
  };
  const Transpose no = Transpose::kNo, yes = Transpose::kYes;
  refuse({6}, no, {3, 2}, no, {2, 2});
  refuse({2, 3}, no, {6}, no, {2, 2});
  refuse({2, 3}, no, {2, 3}, no, {2, 2});
  refuse({2, 3}, yes, {3, 2}, no, {2, 2});
  refuse({2, 3}, no, {3, 2}, yes, {2, 2});
  refuse({2, 3}, no, {3, 2}, no, {4});
  refuse({2, 3}, no, {1, 3, 2}, no, {2, 2});
  refuse({2, 1, 3}, no, {1, 3, 2}, no, {2, 1, 2});
  CHECK_THROWS_AS(round_to(Format::kF16, {a.data(), {6}}, {out.data(), {4}}), ShapeError);
  CHECK(out == std::vector<float>(4, 7.0f));
}
