// A NumPy file is refused, or is an array whose written form is read as the same array.
#include "formats/read_numbers.h"
#include "formats/write_npy.h"
#include "fuzz/fuzz.h"
#include "reference/compare.h"

namespace sqrtdk::fuzz {

void run(Bytes input) {
  NumberArray array;
  if (refused([&] { array = read_npy(input.data(), input.size(), "fuzz", "file"); })) return;
  const Shape shape(array.shape.data(), static_cast<int>(array.shape.size()));
  CHECK(shape.size() == static_cast<int64_t>(array.values.size()));
  const std::vector<uint8_t> written = write_npy({array.values.data(), shape});
  const NumberArray again = read_npy(written.data(), written.size(), "fuzz", "file");
  CHECK(again.shape == array.shape);
  CHECK(reference::same_bits(again.values, array.values));
}

}  // namespace sqrtdk::fuzz
