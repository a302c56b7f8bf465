#pragma once
// By what q·k is multiplied: the names, and what each is at a head dimension d. Every caller gets its factor
// from here, computed in double and rounded to float once: 1/sqrt(d) in float arithmetic has other bits for
// 242 of d = 1..1024.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sqrtdk {

/// What every attention is scaled by where nothing else is asked for: 1/sqrt(d).
float default_scale(int64_t d);

struct Scale {
  enum class Kind {
    kDefault,          // "default": 1/sqrt(d)
    kNone,             // "none": 1
    kInverseSqrt,      // "1/sqrt(d)"
    kHalfInverseSqrt,  // "1/(2*sqrt(d))"
    kInverse,          // "1/d"
    kLearned,          // "learned": a parameter of each attention, which begins with 1/sqrt(d)
    kCosine,           // "cosine": sqrt(d), by which cosine attention multiplies cos(q, k)
    kNumber,           // "0.125"
    kFurther,          // a name that only its experiment understands
  };
  Kind kind = Kind::kDefault;
  float number = 0;              // of kNumber
  std::string name = "default";  // canonical text

  /// NaN of kFurther. A d below 1 counts as 1.
  float at(int64_t d) const;
  bool operator==(const Scale&) const = default;
};

/// The names that parse_scale takes: none, 1/sqrt(d), 1/(2*sqrt(d)), 1/d, and `further` ones: default,
/// learned, cosine or names of the caller's own. A number is taken besides.
std::vector<std::string> scale_names(std::span<const char* const> further = {});

/// Blanks in the text do not count. Throws ValueError for the argument `scale`.
Scale parse_scale(std::string_view op, const std::string& text, std::span<const char* const> further = {});

}  // namespace sqrtdk
