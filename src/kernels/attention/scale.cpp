#include "kernels/attention/scale.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/decimal.h"
#include "base/errors.h"
#include "base/text.h"

namespace sqrtdk {
namespace {

constexpr struct {
  std::string_view name;
  Scale::Kind kind;
  bool always;  // not only where the caller asks for it
} kKnown[] = {
    {"default", Scale::Kind::kDefault, false},      {"none", Scale::Kind::kNone, true},
    {"1/sqrt(d)", Scale::Kind::kInverseSqrt, true}, {"1/(2*sqrt(d))", Scale::Kind::kHalfInverseSqrt, true},
    {"1/d", Scale::Kind::kInverse, true},           {"learned", Scale::Kind::kLearned, false},
    {"cosine", Scale::Kind::kCosine, false},
};

Scale::Kind kind_of(std::string_view name) {
  for (const auto& known : kKnown) {
    if (known.name == name) return known.kind;
  }
  return Scale::Kind::kFurther;
}

}  // namespace

float default_scale(int64_t d) {
  return static_cast<float>(1 / std::sqrt(static_cast<double>(std::max<int64_t>(d, 1))));
}

float Scale::at(int64_t d) const {
  const auto x = static_cast<double>(std::max<int64_t>(d, 1));
  switch (kind) {
    case Kind::kDefault:
    case Kind::kInverseSqrt:
    case Kind::kLearned:
      return default_scale(d);
    case Kind::kNone:
      return 1;
    case Kind::kHalfInverseSqrt:
      return static_cast<float>(0.5 / std::sqrt(x));
    case Kind::kInverse:
      return static_cast<float>(1 / x);
    case Kind::kCosine:
      return static_cast<float>(std::sqrt(x));
    case Kind::kNumber:
      return number;
    case Kind::kFurther:
      break;
  }
  return std::numeric_limits<float>::quiet_NaN();
}

std::vector<std::string> scale_names(std::span<const char* const> further) {
  std::vector<std::string> names;
  for (const auto& known : kKnown) {
    const bool asked = std::find(further.begin(), further.end(), known.name) != further.end();
    if (known.always || asked) names.emplace_back(known.name);
  }
  for (const char* const name : further) {
    if (kind_of(name) == Scale::Kind::kFurther) names.emplace_back(name);
  }
  return names;
}

Scale parse_scale(std::string_view op, const std::string& text, std::span<const char* const> further) {
  std::string compact;
  for (const char c : text) {
    if (!trimmed(std::string_view(&c, 1)).empty()) compact += c;
  }
  std::vector<std::string> names = scale_names(further);
  if (std::find(names.begin(), names.end(), compact) != names.end()) return {kind_of(compact), 0, compact};
  const std::optional<float> number = parse_float(compact);
  if (!number) {
    names.emplace_back("number");
    throw ValueError(ErrorCode::kNotAChoice, op, "scale", joined(names), clipped(text));
  }
  if (!std::isfinite(*number)) {
    throw ValueError(ErrorCode::kNotFinite, op, "scale", "finite number", clipped(text));
  }
  return {Scale::Kind::kNumber, *number, shortest(*parse_double(compact))};
}

}  // namespace sqrtdk
