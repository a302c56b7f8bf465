#pragma once
// NumPy .npy files of every number type that the reference cases hold.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sqrtdk::conformance {

struct NpyArray {
  std::string dtype;  // "float32", "int64", "bool", ...
  std::vector<int64_t> dims;
  std::vector<double> values;  // row-major; integers beyond 2^53 are rounded
};

/// Throws std::runtime_error, which names the file, unless it is a whole array in C order, little-endian.
NpyArray read_npy(const std::filesystem::path& file);

/// The value of 16 bits, bfloat16 or IEEE binary16.
double bfloat16_value(uint16_t bits);
double float16_value(uint16_t bits);

}  // namespace sqrtdk::conformance
