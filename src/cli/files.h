#pragma once
// The reader's own files as the text forms of parameters. Throw UsageError where a file cannot be read.
#include <cstddef>
#include <cstdint>
#include <string>

namespace sqrtdk::cli {

/// The bytes of a file that has at most so many.
std::string read_file(const std::string& path, const std::string& op, const std::string& argument,
                      size_t most = SIZE_MAX);

/// The text form of a matrix in a file: .npy files are read as NumPy's, anything else as CSV text. Leading
/// dimensions of an .npy array count as rows: (1, 8, 32) is 8 rows of 32. Throws FormatError.
std::string read_matrix_file(const std::string& path, const std::string& op, const std::string& argument);

/// Likewise, in Base64; an empty file is refused.
std::string read_file_base64(const std::string& path, const std::string& op, const std::string& argument,
                             size_t most);

}  // namespace sqrtdk::cli
