#include "formats/named_tensor.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/base64.h"
#include "base/decimal.h"
#include "base/errors.h"
#include "formats/read_numbers.h"
#include "tensor/half.h"

namespace sqrtdk {
namespace {

constexpr char kOp[] = "copy_values";

template <float (*value_of)(uint16_t)>
void copy_halves(const uint8_t* bytes, int64_t n, float* values) {
  for (int64_t i = 0; i < n; ++i) {
    uint16_t bits;
    std::memcpy(&bits, bytes + 2 * i, sizeof bits);
    values[i] = value_of(bits);
  }
}

std::string_view text_of(const NamedTensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()};
}

}  // namespace

int64_t bytes_of(Encoding encoding) {
  switch (encoding) {
    case Encoding::kF32:
      return 4;
    case Encoding::kF16:
    case Encoding::kBF16:
      return 2;
    case Encoding::kBase64F32:
    case Encoding::kNpy:
      break;
  }
  return 0;
}

void check_bytes(const NamedTensor& tensor, std::string_view op, std::string_view argument) {
  const uint64_t size = static_cast<uint64_t>(tensor.shape.size());
  std::string got = to_text(tensor.bytes.size()) + " bytes";
  switch (tensor.encoding) {
    case Encoding::kF32:
    case Encoding::kF16:
    case Encoding::kBF16:
      if (tensor.bytes.size() == size * static_cast<uint64_t>(bytes_of(tensor.encoding))) return;
      break;
    case Encoding::kBase64F32:
      if (is_base64(text_of(tensor), size * 4)) return;
      got = to_text(tensor.bytes.size()) + " characters, or what is not Base64,";
      break;
    case Encoding::kNpy: {
      const NumberArray array = read_npy(tensor.bytes.data(), tensor.bytes.size(), op, argument);
      const Shape shape(array.shape.data(), static_cast<int>(array.shape.size()));
      if (shape == tensor.shape) return;
      got = "the shape " + shape.text();
      break;
    }
  }
  throw FormatError(ErrorCode::kUnsupported, op, argument, "the numbers of the shape " + tensor.shape.text(),
                    got + " in tensor " + tensor.name);
}

void write_values(const NamedTensor& tensor, float* values) {
  const int64_t n = tensor.shape.size();
  const uint8_t* const bytes = tensor.bytes.data();
  if (n == 0) return;
  switch (tensor.encoding) {
    case Encoding::kF32:
      std::memcpy(values, bytes, tensor.bytes.size());
      break;
    case Encoding::kF16:
      copy_halves<f16_value>(bytes, n, values);
      break;
    case Encoding::kBF16:
      copy_halves<bf16_value>(bytes, n, values);
      break;
    case Encoding::kBase64F32:
      decode_base64(text_of(tensor), reinterpret_cast<uint8_t*>(values), static_cast<size_t>(n) * 4);
      break;
    case Encoding::kNpy: {
      const NumberArray array = read_npy(bytes, tensor.bytes.size(), kOp, tensor.name);
      std::copy(array.values.begin(), array.values.end(), values);
      break;
    }
  }
}

void copy_values(const NamedTensor& tensor, View values) {
  check_shape(kOp, tensor.name.c_str(), values.shape, tensor.shape);
  check_bytes(tensor, kOp, tensor.name);
  write_values(tensor, values.data);
}

}  // namespace sqrtdk
