#include "cli/files.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/base64.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "formats/read_numbers.h"

namespace sqrtdk::cli {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void cannot_write(const std::string& path, const std::string& op, const std::string& argument,
                               int error) {
  throw UsageError(op + ": " + argument + ": cannot write " + clipped(path) + ": " + std::strerror(error));
}

std::string temporary_name(const std::string& path) { return path + ".tmp"; }

}  // namespace

std::string read_file(const std::string& path, const std::string& op, const std::string& argument,
                      size_t max_bytes) {
  const std::string subject = op + ": " + argument + ": cannot read " + clipped(path) + ": ";
  const File file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw UsageError(subject + std::strerror(errno));
  std::string bytes;
  char block[1 << 16];
  while (const size_t count = std::fread(block, 1, sizeof block, file.get())) {
    bytes.append(block, count);
    if (bytes.size() > max_bytes)
      throw UsageError(subject + "more than " + std::to_string(max_bytes) + " bytes");
  }
  if (std::ferror(file.get())) throw UsageError(subject + std::strerror(errno));
  return bytes;
}

void write_file(const std::string& path, std::string_view bytes, const std::string& op,
                const std::string& argument) {
  const std::string temporary = temporary_name(path);
  File file(std::fopen(temporary.c_str(), "wb"), std::fclose);
  bool written = file && std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size() &&
                 std::fflush(file.get()) == 0;
  // On the disk before its name is: a power failure must not leave the name without the bytes.
  written = written && (fsync(fileno(file.get())) == 0 || errno == EINVAL);
  if (written && std::fclose(file.release()) == 0 && std::rename(temporary.c_str(), path.c_str()) == 0)
    return;
  const int error = errno;
  file.reset();
  std::remove(temporary.c_str());
  cannot_write(path, op, argument, error);
}

void append_file(const std::string& path, std::string_view bytes, const std::string& op,
                 const std::string& argument) {
  File file(std::fopen(path.c_str(), "ab"), std::fclose);
  if (file && std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size() &&
      std::fclose(file.release()) == 0) {
    return;
  }
  cannot_write(path, op, argument, errno);
}

void check_writable(const std::string& path, const std::string& op, const std::string& argument) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) cannot_write(path, op, argument, EISDIR);
  const std::string temporary = temporary_name(path);
  if (!File(std::fopen(temporary.c_str(), "wb"), std::fclose)) cannot_write(path, op, argument, errno);
  std::remove(temporary.c_str());
}

std::string read_matrix_file(const std::string& path, const std::string& op, const std::string& argument) {
  const std::string bytes = read_file(path, op, argument);
  if (!path.ends_with(".npy")) return bytes;
  const NumberArray array =
      read_npy(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), op, argument);
  const size_t columns = array.shape.empty() ? 1 : static_cast<size_t>(array.shape.back());
  std::string text;
  for (size_t i = 0; i < array.values.size(); ++i) {
    if (i > 0) text += i % columns == 0 ? ';' : ',';
    text += shortest(array.values[i]);
  }
  return text;
}

std::string read_file_base64(const std::string& path, const std::string& op, const std::string& argument,
                             size_t max_bytes) {
  const std::string bytes = read_file(path, op, argument, max_bytes);
  if (bytes.empty())
    throw UsageError(op + ": " + argument + ": " + clipped(path) + " is empty");  // no text: not given
  return encode_base64({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

}  // namespace sqrtdk::cli
