#include "tensor/half.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>

using namespace sqrtdk;

namespace {

uint32_t bits_of(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

float float_of(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

struct Format {
  int mantissa_bits, min_exponent, max_exponent;
};
constexpr Format kF16{10, -14, 15}, kBf16{7, -126, 127};

/// The value of 16 bits by the definition of the format.
double value_of(Format format, uint16_t bits) {
  const int exponent_bits = 15 - format.mantissa_bits;
  const int mantissa = bits & ((1 << format.mantissa_bits) - 1);
  const int exponent = (bits >> format.mantissa_bits) & ((1 << exponent_bits) - 1);
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) return mantissa ? NAN : sign * INFINITY;
  const double significand = exponent ? mantissa + (1 << format.mantissa_bits) : mantissa;
  const int scale = std::max(exponent, 1) - 1 + format.min_exponent - format.mantissa_bits;
  return sign * std::ldexp(significand, scale);
}

/// The nearest value of the format, ties to the even last bit, by rint at the spacing of the format at x.
double nearest(Format format, double x) {
  if (!std::isfinite(x) || x == 0) return x;
  const int exponent = std::max(std::ilogb(x), format.min_exponent);
  const double spacing = std::ldexp(1, exponent - format.mantissa_bits);
  const double y = std::nearbyint(x / spacing) * spacing;
  return std::fabs(y) >= std::ldexp(1, format.max_exponent + 1) ? std::copysign(INFINITY, x) : y;
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

/// Whether x rounds as it should in both formats.
bool rounds(float x) {
  return same(f16_value(f16_bits(x)), nearest(kF16, x)) && same(bf16_value(bf16_bits(x)), nearest(kBf16, x));
}

}  // namespace

TEST_CASE("every f16 and bf16 has its value, and the value its bits") {
  int wrong = 0;
  for (uint32_t i = 0; i < 0x10000; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const float f16 = f16_value(bits), bf16 = bf16_value(bits);
    wrong += !same(f16, value_of(kF16, bits)) + !same(bf16, value_of(kBf16, bits));
    wrong += f16_bits(f16) != (std::isnan(f16) ? bits | 0x0200 : bits);
    wrong += bf16_bits(bf16) != (std::isnan(bf16) ? bits | 0x0040 : bits);
  }
  CHECK(wrong == 0);
}

TEST_CASE("rounding at every value, every midpoint between two, and their neighbours") {
  int wrong = 0;
  const auto around = [&wrong](float x) {
    for (const float y : {x, std::nextafter(x, INFINITY), std::nextafter(x, -INFINITY)}) wrong += !rounds(y);
  };
  for (uint32_t i = 0; i < 0x10000; ++i) {
    const auto bits = static_cast<uint16_t>(i), next = static_cast<uint16_t>(i + 1);
    for (const Format format : {kF16, kBf16}) {
      const double a = value_of(format, bits), b = value_of(format, next);
      if (!std::isfinite(a)) continue;
      around(static_cast<float>(a));
      if (std::isfinite(b)) around(static_cast<float>((a + b) / 2));
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("rounding of floats over the whole range") {
  int wrong = 0;
  for (uint64_t i = 0; i < uint64_t{1} << 32; i += 8191) {
    const float x = float_of(static_cast<uint32_t>(i));
    wrong += !rounds(x);
  }
  CHECK(wrong == 0);
}

TEST_CASE("where f16 and bf16 overflow, and where f16 vanishes") {
  CHECK(f16_bits(65504) == 0x7bff);
  CHECK(f16_bits(std::nextafter(65520.0f, 0.0f)) == 0x7bff);
  CHECK(f16_bits(65520) == 0x7c00);
  CHECK(f16_bits(-65520) == 0xfc00);
  CHECK(f16_bits(INFINITY) == 0x7c00);
  CHECK(f16_bits(0x1p-24f) == 1);
  CHECK(f16_bits(0x1p-25f) == 0);
  CHECK(f16_bits(std::nextafter(0x1p-25f, 1.0f)) == 1);
  CHECK(f16_bits(-0x1p-26f) == 0x8000);
  CHECK(bf16_bits(0x1.fep127f) == 0x7f7f);
  CHECK(bf16_bits(std::nextafter(0x1.ffp127f, 0.0f)) == 0x7f7f);
  CHECK(bf16_bits(0x1.ffp127f) == 0x7f80);
  CHECK(bf16_bits(-0x1.ffp127f) == 0xff80);
  CHECK(bf16_bits(std::numeric_limits<float>::max()) == 0x7f80);
}

TEST_CASE("NaN stays NaN, becomes quiet, and keeps its sign and upper payload") {
  for (const uint32_t payload : {1u, 0x2000u, 0x10000u, 0x1fffffu, 0x200000u, 0x3fffffu, 0x400000u}) {
    for (const uint32_t sign : {0u, 0x80000000u}) {
      const uint32_t bits = sign | 0x7f800000u | payload;
      const float x = float_of(bits);
      if (bits_of(x) != bits) continue;  // an ABI that returns floats in x87 registers has quieted it
      CHECK(f16_bits(x) == static_cast<uint16_t>(sign >> 16 | 0x7e00 | payload >> 13));
      CHECK(bf16_bits(x) == static_cast<uint16_t>(sign >> 16 | 0x7fc0 | payload >> 16));
    }
  }
}
