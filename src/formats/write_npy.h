#pragma once
// NumPy's .npy format, written: version 1.0, float32 in little-endian order, row-major ("C order").
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace sqrtdk {

/// A whole file; its numbers begin at a multiple of 64 bytes. The same tensor gives the same bytes.
std::vector<uint8_t> write_npy(ConstView x);

}  // namespace sqrtdk
