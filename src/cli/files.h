#pragma once
// The reader's own files as the text forms of parameters. Throw UsageError where a file cannot be read.
#include <cstddef>
#include <string>

namespace sqrtdk::cli {

/// The bytes of a file.
std::string read_file(const std::string& path, const std::string& op, const std::string& argument);

/// The text form of a matrix in a file: .npy files are read as NumPy's, anything else as CSV text. Leading
/// dimensions of an .npy array count as rows: (1, 8, 32) is 8 rows of 32. Throws FormatError.
std::string read_matrix_file(const std::string& path, const std::string& op, const std::string& argument);

/// A file's bytes in Base64.
std::string read_file_base64(const std::string& path, const std::string& op, const std::string& argument);

}  // namespace sqrtdk::cli
