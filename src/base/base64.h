#pragma once
// Base64 (RFC 4648, section 4): padded, nothing else between the letters.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sqrtdk {

std::string encode_base64(std::span<const uint8_t> bytes);
/// Whether `text` is the one writing of exactly `bytes` bytes.
bool is_base64(std::string_view text, uint64_t bytes);
/// Decodes what is_base64() has accepted.
void decode_base64(std::string_view text, uint8_t* bytes, size_t count);

}  // namespace sqrtdk
