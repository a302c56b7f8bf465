#pragma once
// Exact conversion between decimal text and binary numbers. The C library's would bring arithmetic on
// 128-bit long doubles, a seventh of its size, into the WebAssembly module.
#include <optional>
#include <string>
#include <string_view>

namespace sqrtdk {

/// [+-] digits [. digits] [e [+-] digits] with at least one digit before the e: the nearest number, ties to
/// even; too large a number is an infinity. nullopt for anything else.
std::optional<double> parse_double(std::string_view text);
std::optional<float> parse_float(std::string_view text);

/// printf's %.{digits}f and %.{digits}g of a finite number.
std::string to_fixed(double x, int digits);
std::string to_general(double x, int digits);

}  // namespace sqrtdk
