#pragma once
// UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing beyond U+10FFFF.
#include <cstddef>
#include <string>
#include <string_view>

namespace sqrtdk {

constexpr char32_t kNotUtf8 = 0xFFFFFFFE;

/// The character that begins at text[at] (there is one), and `at` past it; or kNotUtf8.
char32_t decode_utf8(std::string_view text, size_t& at);
void append_utf8(std::string& text, char32_t c);
bool is_utf8(std::string_view text);
/// With ASCII in place of its full-width forms, of 、 and of the minus sign: so Chinese input methods write
/// numbers and lists.
std::string half_width(std::string_view text);

}  // namespace sqrtdk
