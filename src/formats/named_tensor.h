#pragma once
// A tensor of a file: its name, its shape and where its numbers are written. Nothing is converted before it
// is asked for.
#include <cstdint>
#include <span>
#include <string>

#include "tensor/tensor.h"

namespace sqrtdk {

/// How numbers are written. All but kNpy is little-endian and row-major.
enum class Encoding : uint8_t {
  kF32,
  kF16,
  kBF16,
  kBase64F32,  // as text
  kNpy,        // a whole NumPy file
};

struct NamedTensor {
  std::string name;
  Shape shape;
  Encoding encoding = Encoding::kF32;
  std::span<const uint8_t> bytes;  // into the file, which outlives this; any alignment
};

/// Bytes of one number; 0 for kBase64F32 and kNpy.
int64_t bytes_of(Encoding encoding);

/// Throws FormatError where the bytes are not those of a tensor of this shape.
void check_bytes(const NamedTensor& tensor, std::string_view op, std::string_view argument);

/// Writes the values of a tensor that check_bytes lets through. Allocates nothing, but for kNpy: no other
/// writing ends halfway.
void write_values(const NamedTensor& tensor, float* values);

/// Writes the tensor's values. Throws ShapeError where the shape is another, FormatError as check_bytes does:
/// then nothing is written.
void copy_values(const NamedTensor& tensor, View values);

}  // namespace sqrtdk
