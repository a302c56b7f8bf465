// A table is refused, or its numbers, written again, are read as the same numbers.
#include <cmath>
#include <cstdio>

#include "formats/read_numbers.h"
#include "fuzz/fuzz.h"
#include "reference/compare.h"

namespace sqrtdk::fuzz {

void run(Bytes input) {
  NumberArray table;
  if (refused([&] { table = read_csv(text_of(input), "fuzz", "file"); })) return;
  CHECK(table.shape.size() == 2);
  const int64_t rows = table.shape[0], columns = table.shape[1];
  CHECK(rows * columns == static_cast<int64_t>(table.values.size()));
  std::string written;
  for (int64_t i = 0; i < rows * columns; ++i) {
    const float value = table.values[static_cast<size_t>(i)];
    CHECK(std::isfinite(value));
    char number[32];
    std::snprintf(number, sizeof number, "%.9g", static_cast<double>(value));
    written += number;
    written += i % columns == columns - 1 ? '\n' : ',';
  }
  const NumberArray again = read_csv(written, "fuzz", "file");
  CHECK(again.shape == table.shape);
  CHECK(reference::same_bits(again.values, table.values));
}

}  // namespace sqrtdk::fuzz
