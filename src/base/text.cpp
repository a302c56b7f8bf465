#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/decimal.h"

namespace sqrtdk {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

template <class T>
std::string shortest_of(T x) {
  const double wide = static_cast<double>(x);
  if (!std::isfinite(wide)) return fixed(wide, 0);
  if (std::fabs(wide) < 1e15 && wide == std::trunc(wide)) return to_fixed(wide + 0.0, 0);  // -0 is 0
  for (int digits = 1; digits < std::numeric_limits<T>::max_digits10; ++digits) {
    const std::string text = to_general(wide, digits);
    if (static_cast<T>(*parse_double(text)) == x) return text;
  }
  return to_general(wide, std::numeric_limits<T>::max_digits10);
}

}  // namespace

std::string shortest(double x) { return shortest_of(x); }
std::string shortest(float x) { return shortest_of(x); }

std::string fixed(double x, int digits) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return to_fixed(x, digits);
}

std::string clipped(std::string_view text, size_t max) {
  size_t end = text.size();
  if (end > max) {
    end = max;
    while (end > 0 && (text[end] & 0xC0) == 0x80) --end;
  }
  std::string shown(text.substr(0, end));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return end < text.size() ? shown + "..." : shown;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<int64_t> parse_integer(std::string_view text) {
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  const bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) text.remove_prefix(1);
  if (!is_digits(text)) return std::nullopt;
  const auto size = static_cast<int64_t>(std::min(parse_unsigned(text).value_or(kMax), kMax));
  return negative ? -size : size;
}

std::optional<uint64_t> parse_unsigned(std::string_view text) {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  uint64_t value = 0;
  if (!is_digits(text)) return std::nullopt;
  for (const char c : text) {
    const uint64_t digit = static_cast<uint64_t>(c - '0');
    if (value > (kMax - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

}  // namespace sqrtdk
