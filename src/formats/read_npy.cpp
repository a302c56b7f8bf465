// NumPy's .npy format: "\x93NUMPY", version, header length, a Python dictionary as text, then the numbers.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/decimal.h"
#include "base/errors.h"
#include "formats/read_numbers.h"
#include "tensor/tensor.h"

namespace sqrtdk {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicSize = 6;
constexpr int64_t kMaxValues = std::numeric_limits<int32_t>::max();

struct Header {
  std::string_view dtype;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// IEEE binary16; subnormals are multiples of 2^-24.
float half_to_float(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const uint32_t exponent = (half >> 10) & 0x1F, fraction = half & 0x3FF;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  const uint32_t wide = exponent == 0x1F ? 0xFF : exponent + 127 - 15;
  const uint32_t bits = sign | wide << 23 | fraction << 13;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T>
float load_as(const uint8_t* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return static_cast<float>(value);
}
float load_half(const uint8_t* p) {
  uint16_t bits;
  std::memcpy(&bits, p, sizeof bits);
  return half_to_float(bits);
}
float load_bool(const uint8_t* p) { return *p ? 1.0f : 0.0f; }

struct Dtype {
  const char* name;  // without the byte order
  size_t bytes;
  float (*load)(const uint8_t*);
};
constexpr Dtype kDtypes[] = {
    {"f2", 2, load_half},        {"f4", 4, load_as<float>},   {"f8", 8, load_as<double>},
    {"i1", 1, load_as<int8_t>},  {"i2", 2, load_as<int16_t>}, {"i4", 4, load_as<int32_t>},
    {"i8", 8, load_as<int64_t>}, {"u1", 1, load_as<uint8_t>}, {"b1", 1, load_bool},
};

class NpyReader {
 public:
  NpyReader(const uint8_t* data, size_t size, std::string_view op, std::string_view argument)
      : data_(data), size_(size), op_(op), argument_(argument) {}

  NumberArray read() {
    const Header header = read_header();
    const Dtype& dtype = find_dtype(header.dtype);
    int64_t count = 1;
    bool empty = false;
    for (const int64_t dim : header.shape) {
      empty |= dim == 0;
      if (dim > kMaxValues / count) {
        fail(ErrorCode::kTooMany, to_text(kMaxValues), text(header.shape));
      }
      if (dim > 0) count *= dim;
    }
    if (empty) count = 0;
    need(static_cast<uint64_t>(count) * dtype.bytes);

    NumberArray array{header.shape, std::vector<float>(static_cast<size_t>(count))};
    const std::vector<int64_t>& shape = array.shape;
    std::vector<int64_t> index(shape.size(), 0);  // of element i of the file
    for (int64_t i = 0; i < count; ++i) {
      int64_t position = i;
      if (header.fortran_order) {
        position = 0;
        for (size_t axis = 0; axis < shape.size(); ++axis) position = position * shape[axis] + index[axis];
        for (size_t axis = 0; axis < shape.size() && ++index[axis] == shape[axis]; ++axis) index[axis] = 0;
      }
      const float value = dtype.load(data_ + at_ + static_cast<size_t>(i) * dtype.bytes);
      if (!std::isfinite(value)) fail_not_finite(value, position, shape);
      array.values[static_cast<size_t>(position)] = value;
    }
    return array;
  }

 private:
  [[noreturn]] void fail(ErrorCode code, std::string_view expected, std::string_view got) const {
    throw FormatError(code, op_, argument_, expected, got);
  }
  [[noreturn]] void fail_header(const char* got) const {
    fail(ErrorCode::kUnsupported, "the header of a NumPy .npy file", got);
  }
  [[noreturn]] void fail_not_finite(float value, int64_t position, const std::vector<int64_t>& shape) const {
    const int64_t columns = shape.empty() ? 1 : shape.back();
    fail(ErrorCode::kNotFinite, "finite numbers",
         (std::isnan(value) ? "NaN"
          : value > 0       ? "infinity"
                            : "-infinity") +
             std::string(" in row ") + to_text(position / columns + 1) + ", column " +
             to_text(position % columns + 1));
  }
  static std::string text(const std::vector<int64_t>& shape) {
    std::string text = "(";
    for (const int64_t dim : shape) text += (text.size() > 1 ? ", " : "") + to_text(dim);
    return text + ")";
  }
  void need(uint64_t bytes) const {
    if (bytes > size_ - at_) fail(ErrorCode::kTruncated, to_text(at_ + bytes), to_text(size_));
  }

  Header read_header() {
    if (size_ < kMagicSize || std::memcmp(data_, kMagic, kMagicSize) != 0) {
      fail(ErrorCode::kUnsupported, "a NumPy .npy file", size_ ? "another kind of file" : "an empty file");
    }
    at_ = kMagicSize;
    need(2);
    const int major = data_[at_];
    at_ += 2;
    if (major < 1 || major > 3)
      fail(ErrorCode::kUnsupported, "version 1.0 to 3.0", "version " + to_text(major));
    const size_t length_bytes = major == 1 ? 2 : 4;
    need(length_bytes);
    uint32_t length = 0;
    for (size_t i = 0; i < length_bytes; ++i) length |= static_cast<uint32_t>(data_[at_ + i]) << (8 * i);
    at_ += length_bytes;
    need(length);
    rest_ = std::string_view(reinterpret_cast<const char*>(data_ + at_), length);
    at_ += length;
    return parse_dictionary();
  }

  // {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } with the keys in any order
  Header parse_dictionary() {
    Header header;
    bool has_dtype = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = parse_text();
      expect(':');
      if (key == "descr" && !has_dtype) {
        has_dtype = true;
        skip_blanks();
        if (!rest_.empty() && rest_[0] == '[') fail(ErrorCode::kUnsupported, dtypes(), "a structured dtype");
        header.dtype = parse_text();
      } else if (key == "fortran_order" && !has_order) {
        has_order = true;
        header.fortran_order = parse_bool();
      } else if (key == "shape" && !has_shape) {
        has_shape = true;
        header.shape = parse_shape();
      } else {
        fail_header("an unknown or repeated key");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (!rest_.empty()) fail_header("text after the dictionary");
    if (!has_dtype || !has_order || !has_shape) fail_header("a missing key");
    return header;
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }
  bool accept(char c) {
    skip_blanks();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail_header("a malformed dictionary");
  }
  std::string_view parse_text() {
    const char quote = accept('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const size_t end = rest_.find(quote);
    if (end > 40) fail_header("a malformed dictionary");
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool parse_bool() {
    skip_blanks();
    for (const std::string_view word : {std::string_view("False"), std::string_view("True")}) {
      if (rest_.substr(0, word.size()) != word) continue;
      rest_.remove_prefix(word.size());
      return word == "True";
    }
    fail_header("a malformed dictionary");
  }
  std::vector<int64_t> parse_shape() {
    std::vector<int64_t> shape;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      int64_t dim = 0;
      size_t digits = 0;
      for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
        if (dim < kMaxValues) dim = dim * 10 + (rest_[digits] - '0');  // larger ones are refused by read()
      }
      if (digits == 0) fail_header("a malformed shape");
      rest_.remove_prefix(digits);
      shape.push_back(dim);
      if (shape.size() > Shape::kMaxRank) fail(ErrorCode::kUnsupported, "at most 6 dimensions", "more");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  static std::string dtypes() {
    std::string names;
    for (const Dtype& dtype : kDtypes)
      names += (names.empty() ? "little-endian " : " ") + std::string(dtype.name);
    return names;
  }
  const Dtype& find_dtype(std::string_view name) const {
    for (const Dtype& dtype : kDtypes) {
      const bool any_order = dtype.bytes == 1;
      if (name.size() == 3 && name.substr(1) == dtype.name &&
          (name[0] == '<' || (any_order && name[0] == '|'))) {
        return dtype;
      }
    }
    fail(ErrorCode::kUnsupported, dtypes(), "dtype " + std::string(name));
  }

  const uint8_t* data_;
  size_t size_;
  size_t at_ = 0;
  std::string_view rest_;  // of the header
  std::string_view op_;
  std::string_view argument_;
};

}  // namespace

NumberArray read_npy(const uint8_t* data, size_t size, std::string_view op, std::string_view argument) {
  return NpyReader(data, size, op, argument).read();
}

}  // namespace sqrtdk
