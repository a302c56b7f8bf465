#pragma once
// Number formats one value at a time, and what they are called.
#include <array>

#include "kernels/half_precision.h"

namespace sqrtdk {

struct NumberFormat {
  const char* name;
  Format format;
};
inline constexpr std::array<NumberFormat, 3> kNumberFormats = {
    {{"fp32", Format::kF32}, {"fp16", Format::kF16}, {"bf16", Format::kBf16}}};

/// x, to nearest even.
inline float rounded(Format format, float x) {
  if (format == Format::kF16) return f16_value(f16_bits(x));
  return format == Format::kBf16 ? bf16_value(bf16_bits(x)) : x;
}
inline float rounded(Format format, double x) { return rounded(format, static_cast<float>(x)); }

}  // namespace sqrtdk
