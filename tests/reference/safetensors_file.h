#pragma once
// Bytes of files, put together by hand.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace sqrtdk::reference {

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline std::vector<uint8_t> file_of(const std::string& bytes) { return {bytes.begin(), bytes.end()}; }

inline std::vector<uint8_t> safetensors_file(const std::string& header, const std::string& data) {
  return file_of(bytes_of<uint64_t>({header.size()}) + header + data);
}

}  // namespace sqrtdk::reference
