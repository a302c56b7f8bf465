#include "attention_arguments.h"

#include "kernels/attention/scale.h"

namespace sqrtdk::border {

AttentionOptions AttentionArguments::at(const char* op, int64_t d) const {
  AttentionOptions resolved = options;
  if (!scale) return resolved;
  constexpr const char* kFurther[] = {"default"};
  const Scale named = parse_scale(op, scale->string(), kFurther);
  if (named.kind != Scale::Kind::kDefault) resolved.scale = named.at(d);
  return resolved;
}

}  // namespace sqrtdk::border
