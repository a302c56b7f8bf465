#include "base/decimal.h"
#include "formats/read_numbers.h"
#include "operators.h"

namespace sqrtdk::border {
namespace {

/// "address,dimension,dimension,..": the caller releases the address.
std::string placed(const NumberArray& array) {
  std::string dims;
  for (const int64_t dim : array.shape) dims += "," + to_text(dim);
  const Pointer copy = allocate(static_cast<double>(array.values.size() * sizeof(float)));
  if (!copy) throw std::bad_alloc();
  std::copy(array.values.begin(), array.values.end(), reinterpret_cast<float*>(copy));
  return to_text(copy) + dims;
}

std::string csv(std::string_view text) {
  running = "read_csv";
  return placed(read_csv(text, running, "text"));
}

std::string npy(std::span<const uint8_t> bytes) {
  running = "read_npy";
  return placed(read_npy(bytes.data(), bytes.size(), running, "bytes"));
}

}  // namespace

std::span<const Operator> file_operators() {
  static constexpr Operator kOperators[] = {
      op<csv>("read_csv", "text"),
      op<npy>("read_npy", "bytes"),
  };
  return kOperators;
}

}  // namespace sqrtdk::border
