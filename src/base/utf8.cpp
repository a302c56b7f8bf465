#include "base/utf8.h"

namespace sqrtdk {

char32_t decode_utf8(std::string_view text, size_t& at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at++);
  if (lead < 0x80) return lead;
  const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  if (lead < 0xC2 || lead > 0xF4) return kNotUtf8;
  char32_t c = lead & (0x3F >> more);
  for (int i = 0; i < more; ++i, ++at) {
    if (at == text.size() || (byte(at) & 0xC0) != 0x80) return kNotUtf8;
    c = c << 6 | (byte(at) & 0x3F);
  }
  constexpr char32_t kMin[] = {0, 0x80, 0x800, 0x10000};
  const bool surrogate = c >= 0xD800 && c <= 0xDFFF;
  return c < kMin[more] || surrogate || c > 0x10FFFF ? kNotUtf8 : c;
}

void append_utf8(std::string& text, char32_t c) {
  const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr unsigned char kLead[] = {0, 0xC0, 0xE0, 0xF0};
  text += static_cast<char>(kLead[more] | c >> (6 * more));
  for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80 | (c >> (6 * i) & 0x3F));
}

bool is_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    if (decode_utf8(text, at) == kNotUtf8) return false;
  }
  return true;
}

std::string half_width(std::string_view text) {
  std::string ascii;
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const char32_t c = decode_utf8(text, at);
    if (c >= U'\uFF01' && c <= U'\uFF5E') {
      append_utf8(ascii, c - U'\uFF01' + U'!');
    } else if (c == U'\u3000' || c == U'\u3001' || c == U'\u2212') {
      ascii += c == U'\u3000' ? ' ' : c == U'\u3001' ? ',' : '-';
    } else {
      ascii += text.substr(start, at - start);
    }
  }
  return ascii;
}

}  // namespace sqrtdk
