#pragma once
#include <string>

namespace sqrtdk::cli {

/// The text form of a matrix in a file: .npy files are read as NumPy's, anything else as CSV text. Leading
/// dimensions of an .npy array count as rows: (1, 8, 32) is 8 rows of 32. Throws UsageError, FormatError.
std::string read_matrix_file(const std::string& path, const std::string& op, const std::string& argument);

}  // namespace sqrtdk::cli
