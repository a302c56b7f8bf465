#pragma once
// An experiment's parameters: their description, and the checked values of one run.
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/attention/scale.h"

namespace sqrtdk {

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  // "not given"

enum class ParamType {
  kInt,        // "8"
  kIntList,    // "32,128,512"
  kReal,       // "0.5"
  kChoice,     // one of `choices`
  kScaleList,  // scales, comma separated: of scale_names(choices), or numbers
  kSeed,       // unsigned 64-bit, decimal
  kMatrix,  // the reader's own numbers: rows separated by ';' or newline, columns by ','; empty = not given
  kText,    // the reader's own words, at most max_count bytes of UTF-8
  kFile,    // the reader's own file in Base64, at most max_count bytes; empty = not given. In no link.
};

/// The other parameter's text is this one, or is not.
struct Condition {
  const char* param;
  const char* text;
  bool is = true;
};

/// The group of settings that have no other.
inline constexpr const char* kMore = "more";

/// A parameter's text form is the same on the command line, in a URL, in an element's attribute and in
/// JavaScript; it is parsed and checked in one place, `Params::parse`.
struct Param {
  const char* name;
  ParamType type;
  const char* default_value;
  double min = kNone, max = kNone;          // of each number
  size_t max_count = 1;                     // of a list
  std::span<const char* const> choices{};   // of a kChoice; further names of a kScaleList, e.g. "learned"
  const char* group = "";                   // "" is shown at once; others are folded, e.g. "model", kMore
  std::span<const Condition> shown_when{};  // it has an effect only where all of them hold
  const char* accept = "";                  // endings of the files that it takes, e.g. ".csv,.npy"
};

/// Named settings: these parameters, and the defaults of all others.
struct Preset {
  const char* name;
  std::span<const std::pair<const char*, const char*>> texts;
};

struct Matrix {
  int64_t rows = 0, cols = 0;
  std::vector<float> values;  // row-major
};

/// The checked values of one run.
class Params {
 public:
  /// Missing names take their defaults. Throws ValueError (unknown name, value out of range, ...).
  static Params parse(const std::string& op, std::span<const Param> description,
                      const std::map<std::string, std::string>& text);
  int64_t integer(const std::string& name) const;
  const std::vector<int64_t>& integers(const std::string& name) const;
  double real(const std::string& name) const;
  const std::string& choice(const std::string& name) const;
  const std::vector<Scale>& scales(const std::string& name) const;
  uint64_t seed(const std::string& name) const;
  const Matrix* matrix(const std::string& name) const;  // nullptr where not given
  const std::string& words(const std::string& name) const;
  std::span<const uint8_t> file(const std::string& name) const;  // empty where not given
  /// (name, canonical text) in the order of the description; of a file its size and hash.
  const std::vector<std::pair<std::string, std::string>>& text() const { return text_; }

 private:
  struct Value {
    std::vector<int64_t> integers;
    std::vector<Scale> scales;
    std::string choice, words;
    double real = 0;
    uint64_t seed = 0;
    std::optional<Matrix> matrix;
    std::vector<uint8_t> file;
  };
  std::map<std::string, Value> values_;
  std::vector<std::pair<std::string, std::string>> text_;
};

}  // namespace sqrtdk
