#include <algorithm>
#include <cstring>

#include "base/decimal.h"
#include "base/errors.h"
#include "base/json_reader.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "formats/safetensors.h"
#include "tensor/half.h"

namespace sqrtdk {
namespace {

constexpr char kOp[] = "write_safetensors";

void check_names(const std::vector<const std::string*>& sorted, const char* argument) {
  for (size_t i = 0; i < sorted.size(); ++i) {
    const std::string& name = *sorted[i];
    if (!is_utf8(name) || name == "__metadata__") {
      throw ValueError(ErrorCode::kUnsupported, kOp, argument, "names in UTF-8, none of them __metadata__",
                       name);
    }
    if (i > 0 && name == *sorted[i - 1]) {
      throw ValueError(ErrorCode::kUnsupported, kOp, argument, "every name once", "a second " + name);
    }
  }
}

template <class T, class NameOf>
std::vector<const T*> sorted_by_name(std::span<const T> items, const char* argument, NameOf name_of) {
  std::vector<const T*> sorted;
  for (const T& item : items) sorted.push_back(&item);
  heap_sort(sorted, [&](const T* a, const T* b) { return name_of(*a) < name_of(*b); });
  std::vector<const std::string*> names;
  for (const T* item : sorted) names.push_back(&name_of(*item));
  check_names(names, argument);
  return sorted;
}

const char* dtype_of(Encoding encoding) {
  switch (encoding) {
    case Encoding::kF32:
      return "F32";
    case Encoding::kF16:
      return "F16";
    case Encoding::kBF16:
      return "BF16";
    case Encoding::kBase64F32:
    case Encoding::kNpy:
      break;
  }
  throw ValueError(ErrorCode::kNotAChoice, kOp, "encoding", "f32, f16, bf16", "another");
}

uint8_t* write_values(ConstView values, Encoding encoding, uint8_t* bytes) {
  const int64_t n = values.shape.size();
  if (encoding == Encoding::kF32) {
    if (n > 0) std::memcpy(bytes, values.data, static_cast<size_t>(n) * 4);
    return bytes + 4 * n;
  }
  for (int64_t i = 0; i < n; ++i, bytes += 2) {
    const uint16_t bits = encoding == Encoding::kF16 ? f16_bits(values.data[i]) : bf16_bits(values.data[i]);
    std::memcpy(bytes, &bits, sizeof bits);
  }
  return bytes;
}

}  // namespace

std::vector<uint8_t> write_safetensors(std::span<const TensorToWrite> tensors, Encoding encoding,
                                       const Metadata& metadata) {
  using Pair = Metadata::value_type;
  const char* const dtype = dtype_of(encoding);
  const auto sorted = sorted_by_name<TensorToWrite>(
      tensors, "tensors", [](const TensorToWrite& tensor) -> const std::string& { return tensor.name; });
  const auto pairs = sorted_by_name<Pair>(std::span<const Pair>(metadata), "metadata",
                                          [](const Pair& pair) -> const std::string& { return pair.first; });
  std::string header = "{";
  const auto key = [&header](const std::string& name) {
    if (header.back() != '{') header += ',';
    append_json_string(header, name);
    header += ':';
  };
  if (!pairs.empty()) {
    key("__metadata__");
    header += '{';
    for (const Pair* pair : pairs) {
      if (!is_utf8(pair->second)) {
        throw ValueError(ErrorCode::kUnsupported, kOp, "metadata", "UTF-8", "other bytes in " + pair->first);
      }
      key(pair->first);
      append_json_string(header, pair->second);
    }
    header += '}';
  }
  int64_t bytes = 0;
  for (const TensorToWrite* tensor : sorted) {
    const Shape& shape = tensor->values.shape;
    key(tensor->name);
    header += std::string("{\"dtype\":\"") + dtype + "\",\"shape\":[";
    for (int i = 0; i < shape.rank(); ++i) header += (i ? "," : "") + to_text(shape[i]);
    header += "],\"data_offsets\":[";
    header += to_text(bytes);
    bytes += shape.size() * bytes_of(encoding);
    header += ',';
    header += to_text(bytes);
    header += "]}";
  }
  header += '}';
  header.append((8 - header.size() % 8) % 8, ' ');

  std::vector<uint8_t> file(8 + header.size() + static_cast<size_t>(bytes));
  for (size_t i = 0; i < 8; ++i) file[i] = static_cast<uint8_t>(uint64_t{header.size()} >> (8 * i));
  std::copy(header.begin(), header.end(), file.begin() + 8);
  uint8_t* at = file.data() + 8 + header.size();
  for (const TensorToWrite* tensor : sorted) at = write_values(tensor->values, encoding, at);
  return file;
}

}  // namespace sqrtdk
