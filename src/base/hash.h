#pragma once
// FNV-1a, 64 bits.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace sqrtdk {

/// Hashes bytes one after another.
class Fnv1a {
 public:
  void add(uint8_t byte) { state_ = (state_ ^ byte) * 0x100000001b3; }
  void add(std::string_view text) {
    for (const char c : text) add(static_cast<uint8_t>(c));
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0xcbf29ce484222325;
};

/// Hashes values. Every list and every text is preceded by its length, so that no two results share one
/// sequence of bytes.
class Hash {
 public:
  void add(uint64_t bits) {
    for (int shift = 0; shift < 64; shift += 8) bytes_.add(static_cast<uint8_t>(bits >> shift));
  }
  void add(double x) {  // all NaNs are one
    uint64_t bits = 0x7ff8000000000000;
    if (!std::isnan(x)) std::memcpy(&bits, &x, sizeof bits);
    add(bits);
  }
  void add(const std::string& text) {
    add(uint64_t{text.size()});
    bytes_.add(std::string_view(text));
  }
  void add(std::span<const uint8_t> bytes) {
    add(uint64_t{bytes.size()});
    for (const uint8_t byte : bytes) bytes_.add(byte);
  }
  std::string hex() const {
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[(bytes_.value() >> shift) & 15];
    return text;
  }

 private:
  Fnv1a bytes_;
};

}  // namespace sqrtdk
