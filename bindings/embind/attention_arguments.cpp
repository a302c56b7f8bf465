#include "attention_arguments.h"

#include "kernels/attention/scale.h"

namespace sqrtdk::border {
namespace {

/// None for "default".
std::optional<float> factor(Arguments& given, const char* op, int64_t d) {
  if (given.is_number()) return static_cast<float>(given.number());
  constexpr const char* kFurther[] = {"default"};
  const Scale named = parse_scale(op, given.text().string(), kFurther);
  if (named.kind == Scale::Kind::kDefault) return {};
  return named.at(d);
}

}  // namespace

GivenScale::GivenScale(Arguments& given) {
  if (given.none()) return;
  from_ = given;
  for (int64_t left = given.list().value_or(1); left > 0; --left) {
    if (given.is_number()) {
      given.number();
    } else {
      given.text();
    }
  }
}

void GivenScale::read(const char* op, int64_t d, std::optional<float>& scale,
                      std::span<const float>& head_scales) const {
  if (!from_) return;
  Arguments given = *from_;
  const std::optional<int64_t> count = given.list();
  if (!count) {
    if (const std::optional<float> one = factor(given, op, d)) scale = one;
    return;
  }
  if (*count == 0) throw ValueError(ErrorCode::kEmpty, op, "scale", "one for each head", "none");
  float* const scales = given.room();
  head_scales = {scales, static_cast<size_t>(*count)};
  for (int64_t i = 0; i < *count; ++i) scales[i] = factor(given, op, d).value_or(default_scale(d));
}

AttentionOptions AttentionArguments::at(const char* op, int64_t d) const {
  AttentionOptions resolved = options;
  scale.read(op, d, resolved.scale, resolved.head_scales);
  return resolved;
}

}  // namespace sqrtdk::border
