#pragma once
// Numbers as text and back, the same on every target and in every locale.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sqrtdk {

/// The shortest decimal text that reads back as the same number; whole numbers below 1e15 without exponent.
std::string shortest(double x);
std::string shortest(float x);

/// As Python's f"{x:.3f}" with digits = 3; "nan", "inf" and "-inf" without regard to a NaN's sign.
std::string fixed(double x, int digits);

/// At most `max` bytes of a text, cut where a UTF-8 character begins, and "..."; control characters become
/// blanks.
std::string clipped(std::string_view text, size_t max = 60);

/// The texts (const char*, std::string, ...) one after the other, with the separator between them.
template <class Texts>
std::string joined(const Texts& texts, std::string_view separator = ", ") {
  std::string all;
  for (bool first = true; const auto& text : texts) {
    if (!first) all += separator;
    all += text;
    first = false;
  }
  return all;
}

/// Without leading and trailing blanks, tabs and newlines.
std::string_view trimmed(std::string_view text);

/// The trimmed parts between the separators: at least one, perhaps empty.
std::vector<std::string_view> split(std::string_view text, char separator);

/// [+-] digits; too large a number is one of +-(2^63 - 1). nullopt for anything else.
std::optional<int64_t> parse_integer(std::string_view text);

/// Digits only, below 2^64.
std::optional<uint64_t> parse_unsigned(std::string_view text);

}  // namespace sqrtdk
