#pragma once
// A strict JSON reader for headers of files (RFC 8259): values are taken one after another, as the caller
// expects them. Nothing is stored but the places of the keys of open objects, 4 bytes each. Malformed text is
// a FormatError that says where; a key twice is one when its object ends.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sqrtdk {

class JsonReader {
 public:
  static constexpr int kMaxDepth = 32;
  enum class Kind { kObject, kArray, kString, kNumber, kBoolean, kNull };

  /// What the views show outlives the reader; `start` is where the text begins in its file. Errors carry `op`
  /// and `argument`.
  JsonReader(std::string_view text, std::string_view op, std::string_view argument, size_t start = 0);
  /// What the values that follow belong to: errors end with " in {subject}". Empty: nothing.
  void set_subject(std::string subject) { subject_ = std::move(subject); }

  Kind kind();  // of the value that comes next
  void begin_object();
  bool next_key(std::string& key);  // its value comes next; false: the object has ended
  void begin_array();
  bool next_element();  // false: the array has ended
  std::string string();
  std::string_view string_as_written();  // between the quotes, escapes and all
  int64_t integer();                     // without fraction and exponent
  double number();
  bool boolean();
  void null();
  std::string_view skip();  // any value; returns its text
  void end();               // only blanks follow

  /// FormatError(kUnsupported): what was expected here, and what is there.
  [[noreturn]] void fail(const char* expected);

 private:
  struct Open {
    char closing;
    bool empty;
    size_t first_key;  // in keys_
  };
  [[noreturn]] void fail_with(const char* expected, const std::string& got, size_t position) const;
  void skip_blanks();
  bool accept(char c);
  void begin(char opening, char closing);
  bool next();
  bool accept_word(std::string_view word);
  std::string_view number_as_written();
  char32_t character(size_t& at) const;
  char32_t escape(size_t& at) const;
  char32_t hexadecimal(size_t& at) const;
  bool key_less(uint32_t a, uint32_t b) const;
  void check_keys(size_t first);

  std::string_view text_;
  std::string_view op_, argument_;
  std::string subject_;
  size_t start_, at_ = 0;
  Open open_[kMaxDepth];
  int depth_ = 0;
  std::vector<uint32_t> keys_;  // where the keys of the open objects begin
};

/// Appends `text` as a JSON string, with quotes.
void append_json_string(std::string& json, std::string_view text);

}  // namespace sqrtdk
