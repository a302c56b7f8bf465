#include "formats/write_npy.h"

#include <algorithm>
#include <cstring>

namespace sqrtdk {
namespace {

constexpr size_t kAlignment = 64;

}  // namespace

std::vector<uint8_t> write_npy(ConstView x) {
  std::string header("\x93NUMPY\x01\x00\x00\x00", 10);  // the last two: its length from here on
  header += "{'descr': '<f4', 'fortran_order': False, 'shape': " + x.shape.text() + ", }";
  const size_t start = (header.size() + kAlignment) / kAlignment * kAlignment, length = start - 10;
  header.resize(start - 1, ' ');
  header += '\n';
  header[8] = static_cast<char>(length & 0xff);
  header[9] = static_cast<char>(length >> 8);

  const size_t bytes = static_cast<size_t>(x.shape.size()) * sizeof(float);
  std::vector<uint8_t> file(start + bytes);
  std::copy(header.begin(), header.end(), file.begin());
  if (bytes > 0) std::memcpy(file.data() + start, x.data, bytes);
  return file;
}

}  // namespace sqrtdk
