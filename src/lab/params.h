#pragma once
// An experiment's parameters: their description, and the checked values of one run.
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/attention/scale.h"

namespace sqrtdk {

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  // "not given"

// What a parameter's text holds, and what is allowed.
struct IntParam {  // "8"
  double min = kNone, max = kNone;
};
struct IntListParam {               // "32,128,512"
  double min = kNone, max = kNone;  // of each number
  size_t max_count = 1;
};
struct RealParam {  // "0.5"
  double min = kNone, max = kNone;
};
struct ChoiceParam {  // one of them
  std::span<const char* const> choices;
};
struct ScaleListParam {  // comma separated: of scale_names(further), or numbers
  size_t max_count = 1;
  std::span<const char* const> further{};  // e.g. "learned"
};
struct SeedParam {};  // unsigned 64-bit, decimal
struct MatrixParam {  // the reader's own numbers: rows separated by ';' or newline, columns by ','; empty =
                      // not given
  size_t max_count = 1;
  const char* accept = "";  // endings of the files that it takes, e.g. ".csv,.npy"
};
struct TextParam {  // the reader's own words, UTF-8
  size_t max_bytes;
};
struct FileParam {  // the reader's own file in Base64; empty = not given. In no link.
  size_t max_bytes;
  const char* accept = "";
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
  std::variant<IntParam, IntListParam, RealParam, ChoiceParam, ScaleListParam, SeedParam, MatrixParam,
               TextParam, FileParam>
      kind;
  const char* default_value;
  const char* group = "";                   // "" is shown at once; others are folded, e.g. "model", kMore
  std::span<const Condition> shown_when{};  // it has an effect only where all of them hold
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
  static Params parse(std::string_view op, std::span<const Param> description,
                      const std::map<std::string, std::string>& text);
  int64_t integer(const char* name) const;
  const std::vector<int64_t>& integers(const char* name) const;
  double real(const char* name) const;
  const std::string& choice(const char* name) const;
  const std::vector<Scale>& scales(const char* name) const;
  uint64_t seed(const char* name) const;
  const Matrix* matrix(const char* name) const;  // nullptr where not given
  const std::string& words(const char* name) const;
  std::span<const uint8_t> file(const char* name) const;  // empty where not given
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
  struct Reader;
  std::map<std::string, Value> values_;
  std::vector<std::pair<std::string, std::string>> text_;
};

}  // namespace sqrtdk
