#include "experiments/experiment.h"
#include "experiments/text.h"
#include "tensor/decimal.h"
#include "tensor/errors.h"

namespace sqrtdk {
namespace {

enum Kind { kNumber, kInverseSqrt, kHalfInverseSqrt, kInverse, kFurther };

struct Named {
  const char* name;
  Kind kind;
};
constexpr Named kNamed[] = {
    {"none", kNumber},
    {"1/sqrt(d)", kInverseSqrt},
    {"1/(2*sqrt(d))", kHalfInverseSqrt},
    {"1/d", kInverse},
};

}  // namespace

float Scale::at(int64_t d) const {
  const double x = static_cast<double>(d);
  switch (kind) {
    case kInverseSqrt:
      return static_cast<float>(1.0 / std::sqrt(x));
    case kHalfInverseSqrt:
      return static_cast<float>(0.5 / std::sqrt(x));
    case kInverse:
      return static_cast<float>(1.0 / x);
    case kFurther:
      return std::numeric_limits<float>::quiet_NaN();
    default:
      return number;
  }
}

Role role_of(const Scale& scale) {
  if (scale.name == "1/sqrt(d)") return Role::kScaled;
  return scale.name == "none" ? Role::kUnscaled : Role::kOther;
}

Scale parse_scale(const std::string& op, const std::string& text, std::span<const char* const> further) {
  std::string compact;
  for (const char c : text) {
    if (trimmed(std::string_view(&c, 1)).size() == 1) compact += c;
  }
  Scale scale;
  std::string expected;
  for (const Named& named : kNamed) {
    if (compact == named.name) {
      scale.name = named.name;
      scale.kind = named.kind;
      return scale;
    }
    expected += std::string(named.name) + ", ";
  }
  for (const char* const name : further) {
    if (compact == name) {
      scale.name = name;
      scale.kind = kFurther;
      return scale;
    }
    expected += std::string(name) + ", ";
  }
  expected += "number";
  const std::optional<double> value = parse_double(compact);
  if (!value) throw ValueError(ErrorCode::kNotAChoice, op, "scale", expected, clipped(text));
  scale.number = static_cast<float>(*value);
  if (!std::isfinite(scale.number)) {
    throw ValueError(ErrorCode::kNotFinite, op, "scale", "finite number", clipped(text));
  }
  scale.name = shortest(*value);
  return scale;
}

}  // namespace sqrtdk
