#include "base/base64.h"

#include <algorithm>

namespace sqrtdk {
namespace {

constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int digit_of(char c) {  // -1: none
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

}  // namespace

std::string encode_base64(std::span<const uint8_t> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - at);
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; ++i) bits = bits << 8 | (i < count ? bytes[at + i] : 0u);
    for (size_t i = 0; i < 4; ++i) text += i <= count ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

bool is_base64(std::string_view text, uint64_t bytes) {
  const size_t padding = static_cast<size_t>((3 - bytes % 3) % 3);
  if (text.size() % 4 != 0 || text.size() / 4 != bytes / 3 + (padding > 0)) return false;
  const size_t digits = text.size() - padding;
  for (size_t i = 0; i < digits; ++i) {
    if (digit_of(text[i]) < 0) return false;
  }
  for (size_t i = digits; i < text.size(); ++i) {
    if (text[i] != '=') return false;
  }
  const int unused = padding == 1 ? 3 : padding == 2 ? 15 : 0;  // bits of the last digit
  return unused == 0 || (digit_of(text[digits - 1]) & unused) == 0;
}

void decode_base64(std::string_view text, uint8_t* bytes, size_t count) {
  uint32_t bits = 0;
  int n_bits = 0;
  for (size_t i = 0, letter = 0; i < count; ++letter) {
    bits = bits << 6 | static_cast<uint32_t>(digit_of(text[letter]));
    n_bits += 6;
    if (n_bits < 8) continue;
    n_bits -= 8;
    bytes[i++] = static_cast<uint8_t>(bits >> n_bits);
  }
}

}  // namespace sqrtdk
