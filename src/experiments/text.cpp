#include "experiments/text.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace sqrtdk {
namespace {

constexpr size_t kLongestShown = 60;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

size_t skip_digits(std::string_view text, size_t i) {
  while (i < text.size() && is_digit(text[i])) ++i;
  return i;
}

size_t skip_sign(std::string_view text, size_t i) {
  return i < text.size() && (text[i] == '+' || text[i] == '-') ? i + 1 : i;
}

std::string printed(const char* format, int precision, double x) {
  char buffer[400];  // the longest: %.3f of the largest double
  const int length = std::snprintf(buffer, sizeof buffer, format, precision, x);
  return std::string(buffer, static_cast<size_t>(length));
}

template <class T>
std::string shortest_of(T x) {
  const double wide = static_cast<double>(x);
  if (!std::isfinite(wide)) return fixed(wide, 0);
  if (std::fabs(wide) < 1e15 && wide == std::trunc(wide)) return printed("%.*f", 0, wide + 0.0);  // -0 is 0
  for (int digits = 1; digits < std::numeric_limits<T>::max_digits10; ++digits) {
    const std::string text = printed("%.*g", digits, wide);
    if (static_cast<T>(std::strtod(text.c_str(), nullptr)) == x) return text;
  }
  return printed("%.*g", std::numeric_limits<T>::max_digits10, wide);
}

}  // namespace

std::string shortest(double x) { return shortest_of(x); }
std::string shortest(float x) { return shortest_of(x); }

std::string fixed(double x, int digits) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return printed("%.*f", digits, x);
}

std::string clipped(std::string_view text) {
  size_t end = text.size();
  if (end > kLongestShown) {
    end = kLongestShown;
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

std::optional<double> parse_real(std::string_view text) {
  const size_t whole = skip_sign(text, 0);
  size_t end = skip_digits(text, whole);
  size_t digits = end - whole;
  if (end < text.size() && text[end] == '.') {
    const size_t fraction = end + 1;
    end = skip_digits(text, fraction);
    digits += end - fraction;
  }
  if (digits == 0) return std::nullopt;
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    const size_t exponent = skip_sign(text, end + 1);
    end = skip_digits(text, exponent);
    if (end == exponent) return std::nullopt;
  }
  if (end != text.size()) return std::nullopt;
  return std::strtod(std::string(text).c_str(), nullptr);
}

std::optional<int64_t> parse_integer(std::string_view text) {
  const size_t begin = skip_sign(text, 0);
  if (begin == text.size() || skip_digits(text, begin) != text.size()) return std::nullopt;
  return std::strtoll(std::string(text).c_str(), nullptr, 10);
}

std::optional<uint64_t> parse_unsigned(std::string_view text) {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  uint64_t value = 0;
  if (text.empty()) return std::nullopt;
  for (const char c : text) {
    if (!is_digit(c)) return std::nullopt;
    const uint64_t digit = static_cast<uint64_t>(c - '0');
    if (value > (kMax - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

}  // namespace sqrtdk
