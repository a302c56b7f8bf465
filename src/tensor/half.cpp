#include "tensor/half.h"

#include "simd/bits.h"

namespace sqrtdk {
namespace {

using simd::bit_cast;

constexpr uint32_t kSign = 0x80000000, kInfinity = 0x7f800000, kQuiet = 0x00400000;

}  // namespace

uint16_t f16_bits(float x) {
  const uint32_t bits = bit_cast<uint32_t>(x), magnitude = bits & ~kSign;
  const uint32_t sign = (bits & kSign) >> 16;
  uint32_t half;
  if (magnitude > kInfinity) {  // NaN: quiet, with the upper bits of its payload
    half = 0x7e00 | (magnitude >> 13 & 0x3ff);
  } else if (magnitude >= 0x477ff000) {  // 65520
    half = 0x7c00;
  } else if (magnitude <
             0x38800000) {  // 2^-14: the addition rounds to a multiple of 2^-24, the last bit of 0.5
    half = bit_cast<uint32_t>(bit_cast<float>(magnitude) + 0.5f) - bit_cast<uint32_t>(0.5f);
  } else {  // half a unit is added, or a bit less where the last bit is even; the exponent's offset is 15,
            // not 127
    half = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
  }
  return static_cast<uint16_t>(sign | half);
}

float f16_value(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
  uint32_t value;
  if (magnitude > 0x7c00) {
    value = kInfinity | kQuiet | magnitude << 13;
  } else if (magnitude == 0x7c00) {
    value = kInfinity;
  } else if (magnitude < 0x0400) {
    value = bit_cast<uint32_t>(static_cast<float>(magnitude) * 0x1p-24f);
  } else {
    value = (magnitude << 13) + (112u << 23);
  }
  return bit_cast<float>(sign | value);
}

uint16_t bf16_bits(float x) {
  const uint32_t bits = bit_cast<uint32_t>(x);
  if ((bits & ~kSign) > kInfinity) return static_cast<uint16_t>((bits | kQuiet) >> 16);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float bf16_value(uint16_t bits) {
  const uint32_t value = static_cast<uint32_t>(bits) << 16;
  return bit_cast<float>((value & ~kSign) > kInfinity ? value | kQuiet : value);
}

}  // namespace sqrtdk
