#include "conformance/npy.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <stdexcept>

namespace sqrtdk::conformance {
namespace {

using Bytes = std::vector<char>;

template <class T>
T load(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class T>
double number(const char* bytes) {
  return static_cast<double>(load<T>(bytes));
}

struct NumberType {
  const char* name;
  size_t size;
  double (*read)(const char*);
};

const std::map<std::string, NumberType>& number_types() {
  static const std::map<std::string, NumberType> types = {
      {"<f4", {"float32", 4, number<float>}},
      {"<f8", {"float64", 8, number<double>}},
      {"<i8", {"int64", 8, number<int64_t>}},
      {"<i4", {"int32", 4, number<int32_t>}},
      {"<i2", {"int16", 2, number<int16_t>}},
      {"|i1", {"int8", 1, number<int8_t>}},
      {"<u8", {"uint64", 8, number<uint64_t>}},
      {"<u4", {"uint32", 4, number<uint32_t>}},
      {"<u2", {"uint16", 2, number<uint16_t>}},
      {"|u1", {"uint8", 1, number<uint8_t>}},
      {"|b1", {"bool", 1, number<uint8_t>}},
      {"<f2", {"float16", 2, [](const char* bytes) { return float16_value(load<uint16_t>(bytes)); }}}};
  return types;
}

Bytes read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot be opened");
  return {std::istreambuf_iterator<char>(stream), {}};
}

// What follows "'key':" in the header, a Python dictionary.
std::string after_key(const std::string& header, const std::string& key) {
  const size_t at = header.find("'" + key + "'");
  const size_t colon = at == std::string::npos ? at : header.find(':', at);
  const size_t start = colon == std::string::npos ? colon : header.find_first_not_of(' ', colon + 1);
  if (start == std::string::npos) throw std::runtime_error("its header has no " + key);
  return header.substr(start);
}

std::vector<int64_t> read_dims(const std::string& text) {
  const size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == std::string::npos)
    throw std::runtime_error("its shape is no tuple");
  std::vector<int64_t> dims;
  for (size_t at = 1; (at = text.find_first_not_of(", ", at)) < end;) {
    size_t used = 0;
    const int64_t dim =
        std::isdigit(static_cast<unsigned char>(text[at])) ? std::stoll(text.substr(at), &used) : -1;
    if (dim < 0) throw std::runtime_error("its shape is no tuple of sizes");
    dims.push_back(dim);
    at += used;
  }
  return dims;
}

NpyArray parse(const Bytes& bytes) {
  constexpr size_t kPrefix = 8;  // magic and version
  if (bytes.size() < kPrefix + 4 || std::memcmp(bytes.data(), "\x93NUMPY", 6) != 0) {
    throw std::runtime_error("is no .npy file");
  }
  const bool short_length = bytes[6] == 1;
  const size_t start = kPrefix + (short_length ? 2 : 4);
  const size_t length = short_length ? load<uint16_t>(&bytes[kPrefix]) : load<uint32_t>(&bytes[kPrefix]);
  if (length > bytes.size() - start) throw std::runtime_error("is truncated in its header");
  const std::string header(bytes.data() + start, length);

  const std::string descr = after_key(header, "descr").substr(0, 5);
  const auto type = descr.size() == 5 ? number_types().find(descr.substr(1, 3)) : number_types().end();
  if (type == number_types().end()) throw std::runtime_error("holds numbers of type " + descr);
  if (after_key(header, "fortran_order").compare(0, 5, "False") != 0)
    throw std::runtime_error("is not in C order");

  NpyArray array{type->second.name, read_dims(after_key(header, "shape")), {}};
  const size_t present = (bytes.size() - start - length) / type->second.size;
  size_t count = 1;
  for (const int64_t dim : array.dims) {
    if (dim > 0 && count > present / static_cast<size_t>(dim) + 1)
      count = present + 1;  // no overflow
    else
      count *= static_cast<size_t>(dim);
  }
  if (bytes.size() - start - length != count * type->second.size) {
    throw std::runtime_error("has " + std::to_string(bytes.size() - start - length) +
                             " bytes of data, its shape and type ask for " +
                             (count > present ? "more" : "fewer"));
  }
  array.values.reserve(count);
  for (size_t i = 0; i < count; ++i)
    array.values.push_back(type->second.read(&bytes[0] + start + length + i * type->second.size));
  return array;
}

}  // namespace

double bfloat16_value(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

double float16_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == 31) return fraction ? NAN : sign * INFINITY;
  return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

NpyArray read_npy(const std::filesystem::path& file) {
  try {
    return parse(read_file(file));
  } catch (const std::exception& error) {
    throw std::runtime_error(file.filename().string() + " " + error.what());
  }
}

}  // namespace sqrtdk::conformance
