#pragma once
// The reader's own files, some as the text forms of parameters. Throw UsageError where a file cannot be read
// or written.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sqrtdk::cli {

/// The bytes of a file that has at most max_bytes.
std::string read_file(const std::string& path, const std::string& op, const std::string& argument,
                      size_t max_bytes = SIZE_MAX);

/// The text form of a matrix in a file: .npy files are read as NumPy's, anything else as CSV text. Leading
/// dimensions of an .npy array count as rows: (1, 8, 32) is 8 rows of 32. Throws FormatError.
std::string read_matrix_file(const std::string& path, const std::string& op, const std::string& argument);

/// The text form of a file as it is: its bytes in Base64. An empty file is refused.
std::string read_file_base64(const std::string& path, const std::string& op, const std::string& argument,
                             size_t max_bytes);

/// The whole file or nothing: under another name beside it first, then renamed, so that whatever happens
/// there is the old file or the new one, with the permissions of the old one. Links are followed. What is no
/// regular file, such as a device or a pipe, is written as it is.
void write_file(const std::string& path, std::string_view bytes, const std::string& op,
                const std::string& argument);

void append_file(const std::string& path, std::string_view bytes, const std::string& op,
                 const std::string& argument);

/// Throws where write_file would, as far as that is known without writing.
void check_writable(const std::string& path, const std::string& op, const std::string& argument);

}  // namespace sqrtdk::cli
