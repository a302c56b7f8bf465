// Against the C library, which natively and in the tests' WebAssembly converts exactly too.
#include "base/decimal.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "simd/bits.h"

using namespace sqrtdk;
using simd::bit_cast;

namespace {

std::string printed(const char* format, int digits, double x) {
  char text[2000];
  std::snprintf(text, sizeof text, format, digits, x);
  return text;
}

// Reads as the C library does, in both precisions.
void check_reading(const std::string& text) {
  CAPTURE(text);
  const auto wide = parse_double(text);
  const auto narrow = parse_float(text);
  REQUIRE(wide.has_value());
  REQUIRE(narrow.has_value());
  CHECK(bit_cast<uint64_t>(*wide) == bit_cast<uint64_t>(std::strtod(text.c_str(), nullptr)));
  CHECK(bit_cast<uint32_t>(*narrow) == bit_cast<uint32_t>(std::strtof(text.c_str(), nullptr)));
}

uint64_t state = 1;
uint64_t next() {  // xorshift64* (Vigna 2016)
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545F4914F6CDD1D;
}

// Numbers of every kind in turn: any bits, subnormal, short binary fractions, floats, in [0, 1).
double some_number(int i) {
  const uint64_t bits = next();
  switch (i % 5) {
    case 0:
      return bit_cast<double>(bits);
    case 1:
      return bit_cast<double>(bits & 0x800fffffffffffff);
    case 2:
      return static_cast<double>(static_cast<int64_t>(bits % 2000001) - 1000000) / 16;
    case 3:
      return static_cast<double>(bit_cast<float>(static_cast<uint32_t>(bits)));
    default:
      return static_cast<double>(bits >> 11) * 0x1p-53;
  }
}

}  // namespace

TEST_CASE("decimal: prints and reads as the C library does") {
  for (int i = 0; i < 2000; ++i) {
    const double x = some_number(i);
    if (!std::isfinite(x)) continue;
    CAPTURE(x);
    CHECK(to_fixed(x, 3) == printed("%.*f", 3, x));
    CHECK(to_fixed(x, 0) == printed("%.*f", 0, x));
    for (const int digits : {1, 2, 6, 9, 15, 16, 17}) {
      const std::string text = printed("%.*g", digits, x);
      CHECK(to_general(x, digits) == text);
      check_reading(text);
    }
    check_reading(printed("%.*e", static_cast<int>(next() % 40), x));
  }
}

TEST_CASE("decimal: half-way between neighbours goes to the even one") {
  for (int i = 0; i < 300; ++i) {
    const auto x =
        static_cast<float>(some_number(4 + 5 * i)) * std::ldexp(1.0f, static_cast<int>(next() % 250) - 140);
    const double middle = (static_cast<double>(x) + std::nextafter(x, INFINITY)) / 2;
    const std::string exact = printed("%.*f", 1000, middle);
    check_reading(exact);
    check_reading(exact + "1");  // just above
  }
  CHECK(to_fixed(0.0625, 3) == "0.062");
  CHECK(to_fixed(0.1875, 3) == "0.188");
}

TEST_CASE("decimal: the edges") {
  for (const char* text : {"0",
                           "-0",
                           "000.000",
                           ".5",
                           "5.",
                           "1e400",
                           "-1e400",
                           "1e-400",
                           "1e99999999999",
                           "0e99999999999",
                           "00001.5e3",
                           "+7",
                           "1E+2",
                           "4.9406564584124654e-324",
                           "2.4703282292062327e-324",
                           "2.4703282292062328e-324",
                           "1.7976931348623158e308",
                           "1.7976931348623159e308",
                           "3.4028235677973366e38",
                           "0.000000000000000000000000000000000000000000001e45",
                           "123456789012345678901234567890"}) {
    check_reading(text);
  }
  for (const char* text :
       {"", "+", "-", ".", "e5", "1e", "1e+", "0x10", "1,5", " 1", "1 ", "nan", "inf", "1.2.3"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_double(text).has_value());
    CHECK_FALSE(parse_float(text).has_value());
  }
}
