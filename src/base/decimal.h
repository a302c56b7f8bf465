#pragma once
// Exact conversion between decimal text and binary numbers. The C library's would bring arithmetic on
// 128-bit long doubles, a seventh of its size, into the WebAssembly module, and std::to_string tables of
// digits.
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sqrtdk {

/// [+-] digits [. digits] [e [+-] digits] with at least one digit before the e: the nearest number, ties to
/// even; too large a number is an infinity. nullopt for anything else.
std::optional<double> parse_double(std::string_view text);
std::optional<float> parse_float(std::string_view text);

/// printf's %.{digits}f and %.{digits}g of a finite number.
std::string to_fixed(double x, int digits);
std::string to_general(double x, int digits);

/// The digits of a whole number, after a minus where it is negative.
std::string signed_digits(bool negative, uint64_t magnitude);
template <std::integral Integer>
std::string to_text(Integer n) {
  const auto bits = static_cast<uint64_t>(n);
  return std::cmp_less(n, 0) ? signed_digits(true, 0 - bits) : signed_digits(false, bits);
}

}  // namespace sqrtdk
