#pragma once
// Names in results. Most are written in the source: they are used where they lie in memory, and nothing is
// copied or has to be given back.
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/attention/scale.h"

namespace sqrtdk {

/// A name that is written in the source, e.g. a key of the content's vocabulary.
class Key {
 public:
  constexpr Key(const char* text = "") : text_(text) {}
  Key(const std::string&) = delete;
  constexpr const char* c_str() const { return text_; }
  constexpr operator std::string_view() const { return text_; }
  operator std::string() const { return text_; }
  bool empty() const { return *text_ == '\0'; }
  friend bool operator==(Key a, Key b) { return std::string_view(a) == std::string_view(b); }
  friend bool operator==(Key a, const char* b) { return a == Key(b); }
  friend bool operator==(Key a, const std::string& b) { return std::string_view(a) == b; }
  friend std::ostream& operator<<(std::ostream& to, Key key) { return to << key.text_; }

 private:
  const char* text_;
};

/// What tells results of one name apart: a name and a text.
struct Label {
  Key name;
  std::string value;
  bool operator==(const Label&) const = default;
};

/// The same with what the text is of, as long as that is there: a text, a whole number or a scale.
class LabelOf {
 public:
  LabelOf(Key name, const char* text) : name_(name), text_(text) {}
  LabelOf(Key name, const std::string& text) : name_(name), text_(text) {}
  LabelOf(Key name, std::integral auto number) : name_(name), number_(static_cast<int64_t>(number)) {}
  LabelOf(Key name, const Scale& scale) : LabelOf(name, scale.name) {}
  Label label() const;

 private:
  Key name_;
  std::string_view text_;  // of no address: the number
  int64_t number_ = 0;
};

class Labels : public std::vector<Label> {
 public:
  Labels() = default;
  Labels(std::initializer_list<LabelOf> labels);  // {{"d", 32}, {"scale", "none"}}
  void add(const LabelOf& label) { push_back(label.label()); }
};

}  // namespace sqrtdk
