#pragma once
// Bytes as Base64, for files inside JSON and for parameters that are files.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

namespace sqrtdk::reference {

inline std::string base64(std::span<const uint8_t> bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t left = std::min<size_t>(3, bytes.size() - i);
    uint32_t word = 0;
    for (size_t j = 0; j < 3; ++j) word = word << 8 | (j < left ? bytes[i + j] : 0u);
    for (size_t j = 0; j < 4; ++j) text += j <= left ? kDigits[word >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

}  // namespace sqrtdk::reference
