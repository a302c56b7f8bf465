#pragma once
// FNV-1a, 64 bits. Every list and every text is preceded by its length, so that no two results share one
// sequence of bytes.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace sqrtdk {

class Hash {
 public:
  void add(uint64_t bits) {
    for (int shift = 0; shift < 64; shift += 8) byte(static_cast<uint8_t>(bits >> shift));
  }
  void add(double x) {  // all NaNs are one
    uint64_t bits = 0x7ff8000000000000;
    if (!std::isnan(x)) std::memcpy(&bits, &x, sizeof bits);
    add(bits);
  }
  void add(const std::string& text) {
    add(uint64_t{text.size()});
    for (const char c : text) byte(static_cast<uint8_t>(c));
  }
  void add(std::span<const uint8_t> bytes) {
    add(uint64_t{bytes.size()});
    for (const uint8_t b : bytes) byte(b);
  }
  std::string hex() const {
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[(state_ >> shift) & 15];
    return text;
  }

 private:
  void byte(uint8_t b) { state_ = (state_ ^ b) * 0x100000001b3; }
  uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace sqrtdk
