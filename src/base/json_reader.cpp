#include "base/json_reader.h"

#include <algorithm>
#include <limits>
#include <span>

#include "base/decimal.h"
#include "base/errors.h"
#include "base/sort.h"
#include "base/utf8.h"

namespace sqrtdk {
namespace {

constexpr char32_t kEnd = 0xFFFFFFFF;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

JsonReader::JsonReader(std::string_view text, std::string_view op, std::string_view argument, size_t start)
    : text_(text), op_(op), argument_(argument), start_(start) {
  if (text.size() > std::numeric_limits<uint32_t>::max()) fail_with("at most 4 GB of JSON", "more", 0);
}

void JsonReader::fail_with(const char* expected, const std::string& got, size_t position) const {
  throw FormatError(
      ErrorCode::kUnsupported, op_, argument_, expected,
      got + " at byte " + to_text(start_ + position) + (subject_.empty() ? "" : " in " + subject_));
}

void JsonReader::fail(const char* expected) {
  skip_blanks();
  if (at_ == text_.size()) fail_with(expected, "the end", at_);
  const char c = text_[at_];
  const bool shown = c > 0x20 && c < 0x7F;
  fail_with(expected, shown ? std::string("'") + c + "'" : "another character", at_);
}

void JsonReader::skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

bool JsonReader::accept(char c) {
  skip_blanks();
  if (at_ == text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

JsonReader::Kind JsonReader::kind() {
  skip_blanks();
  switch (at_ < text_.size() ? text_[at_] : '\0') {
    case '{':
      return Kind::kObject;
    case '[':
      return Kind::kArray;
    case '"':
      return Kind::kString;
    case 't':
    case 'f':
      return Kind::kBoolean;
    case 'n':
      return Kind::kNull;
    default:
      if (at_ < text_.size() && (text_[at_] == '-' || is_digit(text_[at_]))) return Kind::kNumber;
      fail("a JSON value");
  }
}

void JsonReader::begin(char opening, char closing) {
  if (!accept(opening)) fail(opening == '{' ? "a JSON object" : "a JSON array");
  if (depth_ == kMaxDepth) fail_with("at most 32 levels of JSON", "more", at_ - 1);
  open_[depth_++] = {closing, true, keys_.size()};
}
void JsonReader::begin_object() { begin('{', '}'); }
void JsonReader::begin_array() { begin('[', ']'); }

bool JsonReader::next() {
  Open& open = open_[depth_ - 1];
  if (accept(open.closing)) {
    --depth_;
    return false;
  }
  if (!open.empty && !accept(',')) fail(open.closing == '}' ? "',' or '}'" : "',' or ']'");
  open.empty = false;
  return true;
}
bool JsonReader::next_element() { return next(); }

bool JsonReader::next_key(std::string& key) {
  const size_t first = open_[depth_ - 1].first_key;
  if (!next()) {
    check_keys(first);
    return false;
  }
  skip_blanks();
  keys_.push_back(static_cast<uint32_t>(at_));
  key = string();
  if (!accept(':')) fail("':'");
  return true;
}

// Sorts the places of an object's keys by what the keys say: equal ones become neighbours.
void JsonReader::check_keys(size_t first) {
  const auto less = [this](uint32_t a, uint32_t b) { return key_less(a, b); };
  heap_sort(std::span(keys_).subspan(first), less);
  for (size_t i = first + 1; i < keys_.size(); ++i) {
    if (less(keys_[i - 1], keys_[i])) continue;
    at_ = std::max(keys_[i - 1], keys_[i]);
    const size_t position = at_;
    fail_with("every key once", "a second " + string().substr(0, 200), position);
  }
  keys_.resize(first);
}

bool JsonReader::key_less(uint32_t a, uint32_t b) const {
  for (size_t at_a = a + size_t{1}, at_b = b + size_t{1};;) {
    const char32_t x = character(at_a), y = character(at_b);
    if (y == kEnd) return false;
    if (x != y) return x == kEnd || x < y;
  }
}

std::string JsonReader::string() {
  if (!accept('"')) fail("a JSON string");
  std::string text;
  for (char32_t c; (c = character(at_)) != kEnd;) append_utf8(text, c);
  return text;
}

std::string_view JsonReader::string_as_written() {
  if (!accept('"')) fail("a JSON string");
  const size_t begin = at_;
  while (character(at_) != kEnd) {
  }
  return text_.substr(begin, at_ - 1 - begin);
}

// The next character of a string, and `at` past it; kEnd after the closing quote.
char32_t JsonReader::character(size_t& at) const {
  const size_t begin = at;
  if (at == text_.size()) fail_with("'\"'", "the end", at);
  const unsigned char c = static_cast<unsigned char>(text_[at]);
  if (c == '"') return ++at, kEnd;
  if (c == '\\') return ++at, escape(at);
  if (c < 0x20) fail_with("a JSON string", "a control character", at);
  const char32_t decoded = decode_utf8(text_, at);
  if (decoded == kNotUtf8) fail_with("UTF-8", "other bytes", begin);
  return decoded;
}

char32_t JsonReader::escape(size_t& at) const {
  constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  const size_t begin = at - 1;
  if (at == text_.size()) fail_with("'\"'", "the end", at);
  const char name = text_[at++];
  const size_t index = kNames.find(name);
  if (index != kNames.npos) return static_cast<unsigned char>(kMeanings[index]);
  if (name != 'u') fail_with("a JSON string", "an unknown escape", begin);
  const char32_t high = hexadecimal(at);
  if (high < 0xD800 || high > 0xDFFF) return high;
  if (high < 0xDC00 && text_.substr(at, 2) == "\\u") {
    at += 2;
    const char32_t low = hexadecimal(at);
    if (low >= 0xDC00 && low <= 0xDFFF) return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
  }
  fail_with("a JSON string", "half a surrogate pair", begin);
}

char32_t JsonReader::hexadecimal(size_t& at) const {
  char32_t value = 0;
  for (int i = 0; i < 4; ++i, ++at) {
    const char c = at < text_.size() ? text_[at] : ' ', letter = static_cast<char>(c | 0x20);
    const bool is_letter = letter >= 'a' && letter <= 'f';
    if (!is_digit(c) && !is_letter) fail_with("four hexadecimal digits", "other text", at);
    value = value << 4 | static_cast<char32_t>(is_letter ? letter - 'a' + 10 : c - '0');
  }
  return value;
}

std::string_view JsonReader::number_as_written() {
  skip_blanks();
  const size_t begin = at_;
  const auto digits = [this] {
    const size_t first = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return at_ > first;
  };
  const auto one_of = [this](std::string_view set) {
    const bool is = at_ < text_.size() && set.find(text_[at_]) != set.npos;
    at_ += is;
    return is;
  };
  one_of("-");
  const bool whole = one_of("0") || digits();
  if (!whole || (one_of(".") && !digits()) || (one_of("eE") && (one_of("+-"), !digits()))) {
    at_ = begin;
    fail("a JSON number");
  }
  return text_.substr(begin, at_ - begin);
}

int64_t JsonReader::integer() {
  const std::string_view written = number_as_written();
  const size_t begin = at_ - written.size();
  const bool negative = written[0] == '-';
  int64_t value = 0;  // of the negative number: its range is the wider one
  for (const char c : written.substr(negative)) {
    if (!is_digit(c)) fail_with("an integer", std::string(written.substr(0, 40)), begin);
    const int64_t digit = c - '0', least = std::numeric_limits<int64_t>::min();
    if (value < (least + digit) / 10 || (!negative && value * 10 - digit == least)) {
      fail_with("an integer of 64 bits", std::string(written.substr(0, 40)), begin);
    }
    value = value * 10 - digit;
  }
  return negative ? value : -value;
}

double JsonReader::number() {
  const std::string_view written = number_as_written();
  return *parse_double(written);
}

bool JsonReader::accept_word(std::string_view word) {
  skip_blanks();
  if (text_.substr(at_, word.size()) != word) return false;
  at_ += word.size();
  return true;
}
bool JsonReader::boolean() {
  if (accept_word("true")) return true;
  if (!accept_word("false")) fail("true or false");
  return false;
}
void JsonReader::null() {
  if (!accept_word("null")) fail("null");
}

std::string_view JsonReader::skip() {
  skip_blanks();
  const size_t begin = at_;
  switch (kind()) {
    case Kind::kObject:
      begin_object();
      for (std::string key; next_key(key);) skip();
      break;
    case Kind::kArray:
      begin_array();
      while (next_element()) skip();
      break;
    case Kind::kString:
      string_as_written();
      break;
    case Kind::kNumber:
      number_as_written();
      break;
    case Kind::kBoolean:
      boolean();
      break;
    case Kind::kNull:
      null();
      break;
  }
  return text_.substr(begin, at_ - begin);
}

void JsonReader::end() {
  skip_blanks();
  if (at_ < text_.size()) fail("the end of the JSON text");
}

void append_json_string(std::string& json, std::string_view text) {
  constexpr std::string_view kNames = "\"\\bfnrt", kMeanings = "\"\\\b\f\n\r\t";
  json += '"';
  for (const char c : text) {
    const size_t index = kMeanings.find(c);
    if (index != kMeanings.npos) {
      json += '\\';
      json += kNames[index];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      json += "\\u00";
      json += "0123456789abcdef"[c >> 4];
      json += "0123456789abcdef"[c & 15];
    } else {
      json += c;
    }
  }
  json += '"';
}

}  // namespace sqrtdk
