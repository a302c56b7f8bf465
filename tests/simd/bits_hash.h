#pragma once
// A hash of the bits of many numbers: a test that compares it with a constant proves that this target
// computes the same bits as the one where the constant was found.
#include <cmath>
#include <cstdint>

#include "simd/bits.h"

namespace sqrtdk {

class BitsHash {
 public:
  void add(float x) { add_bits(std::isnan(x) ? 0x7fc00000u : simd::bit_cast<uint32_t>(x)); }
  void add(double x) { add_bits(std::isnan(x) ? uint64_t{0x7ff8} << 48 : simd::bit_cast<uint64_t>(x)); }
  uint64_t value() const { return hash_; }

 private:
  void add_bits(uint64_t bits) {  // FNV-1a, eight bytes at a time
    hash_ = (hash_ ^ bits) * 0x100000001b3u;
    hash_ ^= hash_ >> 29;
  }
  uint64_t hash_ = 0xcbf29ce484222325u;
};

}  // namespace sqrtdk
