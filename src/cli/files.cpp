#include "cli/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

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

/// A descriptor that is closed where it goes.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  explicit operator bool() const { return number_ >= 0; }
  operator int() const = delete;
  int get() const { return number_; }
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

/// On the disk; true for what has none, such as a pipe.
bool synced(int descriptor) { return fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS; }

/// What a path leads to. Names below /proc and /dev stand for open files and devices: they are written where
/// they are.
struct Target {
  std::string path;       // links followed
  bool in_place = false;  // a device, a pipe, an open file: nothing to be replaced
  bool there = false;
  mode_t mode = 0;
};

Target target_of(const std::string& path) {
  namespace fs = std::filesystem;
  Target target{path};
  constexpr int kMaxLinks = 40;  // as Linux
  std::error_code none;
  for (int i = 0; i < kMaxLinks && fs::is_symlink(target.path, none) && !target.in_place; ++i) {
    target.in_place = target.path.starts_with("/proc/") || target.path.starts_with("/dev/");
    const fs::path next = fs::read_symlink(target.path, none);
    if (!target.in_place) target.path = (fs::path(target.path).parent_path() / next).string();
  }
  target.in_place =
      target.in_place || fs::is_symlink(target.path, none);  // a link to itself: refused where it is opened
  struct stat found {};
  target.there = stat(path.c_str(), &found) == 0;
  if (!target.there) return target;
  target.mode = found.st_mode & 07777;
  target.in_place = target.in_place || !S_ISREG(found.st_mode);
  return target;
}

/// A new file beside the target, or none with errno; `name` becomes its name.
int temporary(const Target& target, std::string& name) {
  name = (std::filesystem::path(target.path).parent_path() / ".sqrtdk-XXXXXX").string();
  const int descriptor = mkstemp(name.data());
  if (descriptor < 0) return descriptor;
  const mode_t hidden = umask(0);
  umask(hidden);
  fchmod(descriptor, target.there ? target.mode : 0666 & ~hidden);
  return descriptor;
}

/// The old file or the new one, whatever happens.
bool replace(const Target& target, std::string_view bytes) {
  std::string name;
  Descriptor file(temporary(target, name));
  if (!file) return false;
  // On the disk before its name is: a power failure must not leave the name without the bytes.
  if (write_all(file.get(), bytes) && synced(file.get()) && file.close() &&
      std::rename(name.c_str(), target.path.c_str()) == 0) {
    const std::string folder = std::filesystem::path(target.path).parent_path().string();
    const Descriptor of_names(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY));
    if (of_names) synced(of_names.get());
    return true;
  }
  const int error = errno;
  std::remove(name.c_str());
  errno = error;
  return false;
}

bool write_in_place(const std::string& path, std::string_view bytes, int how) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | how, 0666));
  return file && write_all(file.get(), bytes) && file.close();
}

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
  const Target target = target_of(path);
  if (target.in_place ? !write_in_place(path, bytes, O_TRUNC) : !replace(target, bytes)) {
    cannot_write(path, op, argument, errno);
  }
}

void append_file(const std::string& path, std::string_view bytes, const std::string& op,
                 const std::string& argument) {
  if (!write_in_place(path, bytes, O_APPEND)) cannot_write(path, op, argument, errno);
}

void check_writable(const std::string& path, const std::string& op, const std::string& argument) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) cannot_write(path, op, argument, EISDIR);
  const Target target = target_of(path);
  if ((target.there || target.in_place) && access(path.c_str(), W_OK) != 0)
    cannot_write(path, op, argument, errno);
  if (target.in_place) return;
  std::string name;
  if (!Descriptor(temporary(target, name))) cannot_write(path, op, argument, errno);
  std::remove(name.c_str());
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
