#include "formats/write_npy.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <string_view>

#include "formats/read_numbers.h"
#include "reference/buffers.h"
#include "reference/compare.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

TEST_CASE("write_npy: what is written is read, bit for bit") {
  for (const Shape& shape :
       {Shape{}, Shape{1}, Shape{7}, Shape{0}, Shape{3, 4}, Shape{5, 0, 2}, Shape{2, 1, 3, 1, 2, 5}}) {
    CAPTURE(shape.text());
    std::vector<float> x = Draws(1).normals(shape.size());
    if (x.size() > 3) x[0] = -0.0f, x[1] = 1e-45f, x[2] = 3.4028235e38f;
    const std::vector<uint8_t> file = write_npy({x.data(), shape});
    const NumberArray read = read_npy(file.data(), file.size(), "op", "file");
    CHECK(Shape(read.shape.data(), static_cast<int>(read.shape.size())) == shape);
    CHECK(same_bits(read.values, x));
    CHECK(write_npy({x.data(), shape}) == file);
  }
}

TEST_CASE("write_npy: the header is version 1.0, and numbers begin at a multiple of 64 bytes") {
  const float x[] = {1, 2, NAN, -INFINITY, 0.1f, -0.0f};
  const std::vector<uint8_t> file = write_npy({x, {2, 3}});
  REQUIRE(file.size() == 128 + sizeof x);
  const std::string_view text(reinterpret_cast<const char*>(file.data()), 128);
  CHECK(text.substr(0, 10) == std::string_view("\x93NUMPY\x01\x00\x76\x00", 10));  // 118 more bytes
  CHECK(text.substr(10).starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } "));
  CHECK(text.find_first_not_of(' ', 69) == 127);
  CHECK(text[127] == '\n');
  CHECK(std::memcmp(file.data() + 128, x, sizeof x) == 0);  // NaN and infinity too
}

TEST_CASE("write_npy: numbers begin at a multiple of 64 bytes for headers of any length") {
  for (int64_t digits = 1; digits < 1'000'000'000'000; digits *= 10) {
    for (int zeros = 0; zeros < 6; ++zeros) {
      int64_t dims[6] = {};
      for (int i = 1; i <= zeros; ++i) dims[i] = i == 1 ? digits : 1;
      const std::vector<uint8_t> file = write_npy({nullptr, Shape(dims, zeros + 1)});
      CHECK(file.size() % 64 == 0);
      CHECK(file.back() == '\n');
      CHECK(static_cast<size_t>(file[8]) + 256 * static_cast<size_t>(file[9]) + 10 == file.size());
    }
  }
}
