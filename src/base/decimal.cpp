#include "base/decimal.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "simd/bits.h"

namespace sqrtdk {
namespace {

constexpr int kMaxDigits = 800;  // a double has at most 767 significant digits
constexpr int kMaxShift = 60;    // bits of one shift: 10 * 2^60 fits 64 bits

/// 0.d0 d1 d2 ... * 10^point, exact up to kMaxDigits digits; `more` where nonzero digits were dropped.
class Decimal {
 public:
  explicit Decimal(std::string_view text);
  Decimal(uint64_t mantissa, int exponent);

  bool zero() const { return count_ == 0; }
  int point() const { return point_; }
  int digit(int i) const { return i >= 0 && i < count_ ? digits_[i] : 0; }

  /// Keeps the first n digits, rounded to even.
  void round(int n);
  /// Times 2^n.
  void shift(int n);
  /// The nearest integer, ties to even; below 2^63.
  uint64_t integer() const;

 private:
  bool rounds_up(int n) const;
  void append(int digit);
  void multiply(int bits);
  void divide(int bits);
  void trim();

  uint8_t digits_[kMaxDigits + 20];  // room for the 19 digits that a shift adds
  int count_ = 0;
  int point_ = 0;
  bool more_ = false;
};

Decimal::Decimal(std::string_view text) {
  bool fraction = false;
  size_t i = text[0] == '+' || text[0] == '-';
  for (; i < text.size() && (text[i] | 0x20) != 'e'; ++i) {
    if (text[i] == '.') {
      fraction = true;
    } else {
      if (count_ > 0 || text[i] != '0') {
        append(text[i] - '0');
        point_ += !fraction;
      } else {
        point_ -= fraction;
      }
    }
  }
  if (i + 1 < text.size()) {
    const bool negative = text[++i] == '-';
    int exponent = 0;
    for (i += text[i] == '+' || text[i] == '-'; i < text.size(); ++i) {
      exponent = std::min(exponent * 10 + (text[i] - '0'), 99999999);
    }
    point_ += negative ? -exponent : exponent;
  }
  trim();
}

Decimal::Decimal(uint64_t mantissa, int exponent) {
  for (uint64_t rest = mantissa; rest > 0; rest /= 10) ++count_;
  point_ = count_;
  for (int i = count_; i-- > 0; mantissa /= 10) digits_[i] = static_cast<uint8_t>(mantissa % 10);
  trim();
  shift(exponent);
}

void Decimal::append(int digit) {
  if (count_ < kMaxDigits) {
    digits_[count_++] = static_cast<uint8_t>(digit);
  } else if (digit != 0) {
    more_ = true;
  }
}

void Decimal::trim() {
  while (count_ > 0 && digits_[count_ - 1] == 0) --count_;
  if (count_ == 0) point_ = 0;
}

void Decimal::shift(int n) {
  for (int left = n; left > 0; left -= kMaxShift) multiply(std::min(left, kMaxShift));
  for (int left = -n; left > 0; left -= kMaxShift) divide(std::min(left, kMaxShift));
}

void Decimal::multiply(int bits) {
  int to = count_ + 20;
  uint64_t carry = 0;
  for (int from = count_; from > 0 || carry > 0; carry /= 10) {
    if (from > 0) carry += uint64_t{digits_[--from]} << bits;
    digits_[--to] = static_cast<uint8_t>(carry % 10);
  }
  const int count = count_ + 20 - to;
  std::copy_n(digits_ + to, count, digits_);
  point_ += count - count_;
  count_ = std::min(count, kMaxDigits);
  more_ = more_ || std::any_of(digits_ + count_, digits_ + count, [](uint8_t digit) { return digit != 0; });
  trim();
}

void Decimal::divide(int bits) {
  int from = 0;
  uint64_t rest = 0;
  while (rest >> bits == 0 && (from < count_ || rest > 0))
    rest = rest * 10 + static_cast<uint64_t>(digit(from++));
  point_ -= from - 1;
  const int count = std::exchange(count_, 0);
  while (rest > 0 || from < count) {
    const int quotient = static_cast<int>(rest >> bits);
    rest -= static_cast<uint64_t>(quotient) << bits;
    const int next = from < count ? digits_[from] : 0;
    ++from;
    append(quotient);
    rest = rest * 10 + static_cast<uint64_t>(next);
  }
  trim();
}

bool Decimal::rounds_up(int n) const {
  if (n < 0 || n >= count_) return false;
  if (digits_[n] != 5 || n + 1 < count_ || more_) return digits_[n] >= 5;
  return n > 0 && digits_[n - 1] % 2 == 1;
}

void Decimal::round(int n) {
  if (n >= count_) return;
  const bool up = rounds_up(n);
  count_ = std::max(n, 0);
  more_ = false;
  if (up) {
    while (count_ > 0 && digits_[count_ - 1] == 9) --count_;
    if (count_ > 0) {
      ++digits_[count_ - 1];
    } else {
      digits_[count_++] = 1;
      ++point_;
    }
  }
  trim();
}

uint64_t Decimal::integer() const {
  uint64_t value = 0;
  for (int i = 0; i < point_; ++i) value = value * 10 + static_cast<uint64_t>(digit(i));
  return value + rounds_up(point_);
}

/// The bits of |value| in a format of `mantissa` stored bits and least normal exponent `least`.
uint64_t nearest_bits(Decimal& decimal, int mantissa, int least) {
  const uint64_t infinity = static_cast<uint64_t>(2 - 2 * least + 1) << mantissa;
  if (decimal.zero() || decimal.point() < -400) return 0;
  if (decimal.point() > 400) return infinity;
  // Scale to [1/2, 1): the powers of two below 10, 100, ...
  static constexpr int kPowers[] = {1, 3, 6, 9, 13, 16, 19, 23, 26};
  const auto power = [](int n) { return n < 9 ? kPowers[n] : 27; };
  int exponent = -1;
  while (decimal.point() > 0) {
    const int n = power(decimal.point());
    decimal.shift(-n);
    exponent += n;
  }
  while (decimal.point() < 0 || decimal.digit(0) < 5) {
    const int n = power(-decimal.point());
    decimal.shift(n);
    exponent -= n;
  }
  const int lost = std::max(least - exponent, 0);  // bits that a subnormal number does not have
  decimal.shift(mantissa + 1 - lost);
  uint64_t bits = decimal.integer();
  // Adding the exponent to the leading bit: a carry of the rounding goes where it belongs.
  if (lost == 0) bits += static_cast<uint64_t>(exponent - least) << mantissa;
  return std::min(bits, infinity);
}

bool negative(std::string_view text) { return text[0] == '-'; }

bool is_decimal(std::string_view text) {
  const auto skip_sign = [&] {
    if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  };
  const auto skip_digits = [&] {
    const size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count;
  };
  skip_sign();
  size_t digits = skip_digits();
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    digits += skip_digits();
  }
  if (digits == 0) return false;
  if (!text.empty() && (text[0] == 'e' || text[0] == 'E')) {
    text.remove_prefix(1);
    skip_sign();
    if (skip_digits() == 0) return false;
  }
  return text.empty();
}

std::string digits_of(const Decimal& decimal, int begin, int end) {
  std::string text;
  for (int i = begin; i < end; ++i) text += static_cast<char>('0' + decimal.digit(i));
  return text;
}

Decimal magnitude(double x) {
  const uint64_t bits = simd::bit_cast<uint64_t>(x) & ~(uint64_t{1} << 63);
  const int exponent = static_cast<int>(bits >> 52);
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  return exponent == 0 ? Decimal(fraction, -1074) : Decimal(fraction | uint64_t{1} << 52, exponent - 1075);
}

std::string sign_of(double x) { return simd::bit_cast<uint64_t>(x) >> 63 ? "-" : ""; }

std::string fixed_of(const Decimal& decimal, int digits) {
  const int point = decimal.point();
  std::string text = point > 0 ? digits_of(decimal, 0, point) : "0";
  if (digits > 0) text += '.' + digits_of(decimal, point, point + digits);
  return text;
}

}  // namespace

std::optional<double> parse_double(std::string_view text) {
  if (!is_decimal(text)) return std::nullopt;
  Decimal decimal(text);
  return simd::bit_cast<double>(nearest_bits(decimal, 52, -1022) | uint64_t{negative(text)} << 63);
}

std::optional<float> parse_float(std::string_view text) {
  if (!is_decimal(text)) return std::nullopt;
  Decimal decimal(text);
  const auto bits = static_cast<uint32_t>(nearest_bits(decimal, 23, -126));
  return simd::bit_cast<float>(bits | uint32_t{negative(text)} << 31);
}

std::string signed_digits(bool negative, uint64_t magnitude) {
  char text[20];  // a minus and 19 digits, or 20 digits
  char* begin = std::end(text);
  do {
    *--begin = static_cast<char>('0' + magnitude % 10);
    magnitude /= 10;
  } while (magnitude > 0);
  if (negative) *--begin = '-';
  return {begin, std::end(text)};
}

std::string to_fixed(double x, int digits) {
  Decimal decimal = magnitude(x);
  decimal.round(decimal.point() + digits);
  return sign_of(x) + fixed_of(decimal, digits);
}

std::string to_general(double x, int digits) {
  Decimal decimal = magnitude(x);
  decimal.round(digits);
  const int exponent = decimal.zero() ? 0 : decimal.point() - 1;
  int used = digits;
  while (used > 1 && decimal.digit(used - 1) == 0) --used;
  if (exponent >= -4 && exponent < digits) {
    return sign_of(x) + fixed_of(decimal, std::max(used - 1 - exponent, 0));
  }
  std::string text = sign_of(x) + digits_of(decimal, 0, 1);
  if (used > 1) text += '.' + digits_of(decimal, 1, used);
  text += exponent < 0 ? "e-" : "e+";
  const std::string size = to_text(std::abs(exponent));
  return text + (size.size() < 2 ? "0" : "") + size;
}

}  // namespace sqrtdk
