#pragma once
// IEEE binary16 and bfloat16 as 16 bits: to nearest even, subnormals, infinities and NaN included.
#include <cstdint>

namespace sqrtdk {

uint16_t f16_bits(float x);  // beyond 65504 by half a unit or more: infinity
float f16_value(uint16_t bits);
uint16_t bf16_bits(float x);
float bf16_value(uint16_t bits);

}  // namespace sqrtdk
