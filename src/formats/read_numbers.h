#pragma once
// Reading the reader's own numbers: CSV text and NumPy .npy files.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sqrtdk {

struct NumberArray {
  std::vector<int64_t> shape;
  std::vector<float> values;  // row-major
};

/// Rows separated by newline or ';', columns by ',', tab or blanks; '#' begins a comment; a first row
/// without any number is a header. Throws FormatError (not a number, NaN or infinity: row and column
/// named, counted from 1 without header and empty rows; ragged rows; empty) with `argument` as the
/// argument's name. The shape is [rows, columns].
NumberArray read_csv(std::string_view text, std::string_view op, std::string_view argument);

/// NumPy .npy versions 1.0 to 3.0, little-endian, C or Fortran order, dtypes f2 f4 f8 i1 i2 i4 i8 u1 b1,
/// at most 6 dimensions. Throws FormatError; never reads past `size`, never allocates more than the file's
/// size asks for.
NumberArray read_npy(const uint8_t* data, size_t size, std::string_view op, std::string_view argument);

}  // namespace sqrtdk
