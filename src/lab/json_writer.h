#pragma once
// Writes JSON: numbers with 17 digits (exact), NaN as null, infinities as 1e999.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "base/json_reader.h"
#include "lab/names.h"

namespace sqrtdk {

/// Writes values one after another; commas go where they belong.
class Json {
 public:
  Json& open(char bracket) {
    separate();
    text_ += bracket;
    first_ = true;
    return *this;
  }
  Json& close(char bracket) {
    text_ += bracket;
    first_ = false;
    return *this;
  }
  Json& key(const char* name) {
    value(name);
    text_ += ':';
    first_ = true;
    return *this;
  }
  void value(const std::string& text) {
    separate();
    append_json_string(text_, text);
  }
  void value(const char* text) { value(std::string(text)); }
  void value(Key text) { value(text.c_str()); }
  void value(bool flag) {
    separate();
    text_ += flag ? "true" : "false";
  }
  void null() {
    separate();
    text_ += "null";
  }
  void value(double x) {
    if (std::isnan(x)) return null();
    separate();
    if (std::isinf(x)) {
      text_ += x > 0 ? "1e999" : "-1e999";
    } else {
      text_ += to_general(x, 17);
    }
  }
  void value(const std::vector<double>& values) {
    open('[');
    for (const double x : values) value(x);
    close(']');
  }
  template <class Text>
  void values(const Text& texts) {
    open('[');
    for (const auto& text : texts) value(text);
    close(']');
  }
  /// An object of texts, from pairs of names and texts.
  void texts(const auto& pairs) {
    open('{');
    for (const auto& [name, text] : pairs) key(name.c_str()).value(text);
    close('}');
  }
  void optional(const char* name, double x) {
    if (!std::isnan(x)) key(name).value(x);
  }
  std::string take() { return std::move(text_); }

 private:
  void separate() {
    if (!first_) text_ += ',';
    first_ = false;
  }
  std::string text_;
  bool first_ = true;
};

}  // namespace sqrtdk
