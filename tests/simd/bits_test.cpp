// Results are bit-identical on every target: these hashes were found with g++ on x86-64.
#include <doctest/doctest.h>

#include <cmath>

#include "simd/bits_hash.h"
#include "simd/math.h"

namespace sqrtdk {
namespace {

template <class Function>
uint64_t hash_over_floats(Function function) {
  BitsHash hash;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 8191)
    function(hash, simd::bit_cast<float>(static_cast<uint32_t>(bits)));
  return hash.value();
}

template <class Function>
uint64_t hash_over_doubles(Function function) {
  BitsHash hash;
  for (uint64_t i = 0, bits = 0; i < 300000; ++i, bits += 0x9E3779B97F4A7C15u) {
    function(hash, simd::bit_cast<double>(bits));
    function(hash, static_cast<double>(static_cast<int64_t>(bits)) * 0x1p-60);  // -8 to 8
    function(hash, static_cast<double>(static_cast<int64_t>(bits)) * 0x1p-53);  // -1024 to 1024
  }
  return hash.value();
}

TEST_CASE("f32 functions give the same bits on every target") {
  CHECK(hash_over_floats([](BitsHash& h, float x) { h.add(simd::exp(x)); }) == 0x8f37aa5a80bb183fu);
  CHECK(hash_over_floats([](BitsHash& h, float x) { h.add(simd::exp_nonpositive(-std::abs(x))); }) ==
        0x3e315aa9a4455039u);
  CHECK(hash_over_floats([](BitsHash& h, float x) { h.add(simd::tanh(x)); }) == 0xcd0871a5ace8078u);
  CHECK(hash_over_floats([](BitsHash& h, float x) { h.add(simd::erf(x)); }) == 0x50cb5c12e28be502u);
  CHECK(hash_over_floats([](BitsHash& h, float x) { h.add(simd::log(x)); }) == 0x28656100196a17a6u);
  CHECK(hash_over_floats([](BitsHash& h, float x) {
          const simd::SinCosF32 y = simd::sincos(x);
          h.add(y.sin);
          h.add(y.cos);
        }) == 0xaaf48f389f058eaeu);
}

TEST_CASE("f64 functions give the same bits on every target") {
  CHECK(hash_over_doubles([](BitsHash& h, double x) { h.add(simd::exp(x)); }) == 0xb15f14e09218319bu);
  CHECK(hash_over_doubles([](BitsHash& h, double x) { h.add(simd::log(x)); }) == 0x99fd070f21d6452eu);
  CHECK(hash_over_doubles([](BitsHash& h, double x) { h.add(simd::log1p(x)); }) == 0x9daaa31dea42d16au);
  CHECK(hash_over_doubles([](BitsHash& h, double x) {
          const simd::SinCosF64 y = simd::sincos(x);
          h.add(y.sin);
          h.add(y.cos);
        }) == 0x6fc05a835b190081u);
}

}  // namespace
}  // namespace sqrtdk
