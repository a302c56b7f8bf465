#pragma once
// Configs as they come: an argument for each field, in the order in which fields are declared, and none where
// the default is meant.
#include <type_traits>

#include "attention_arguments.h"
#include "base/fields.h"
#include "kernels/attention/masking.h"
#include "layers/multi_head_attention.h"

namespace sqrtdk::border {

class FieldReader : public FlatVisitor {
 public:
  explicit FieldReader(Arguments& given) : given_(given) {}

  template <class Value>
  void operator()(const char*, Value& value, const About&) {
    if (given_.none()) return;
    if constexpr (std::is_same_v<Value, std::optional<float>>) {
      scale_ = GivenScale(given_);
    } else if constexpr (std::is_enum_v<Value>) {
      value = given_.choice<Value>();
    } else {
      value = static_cast<Value>(given_.number());
    }
  }

  const GivenScale& scale() const { return scale_; }

 private:
  Arguments& given_;
  GivenScale scale_;
};

/// The attention of a config that has one.
template <class Config>
MultiHeadAttentionConfig* attention_of(Config& config) {
  if constexpr (std::is_same_v<Config, MultiHeadAttentionConfig>) {
    return &config;
  } else if constexpr (requires { config.attention; }) {
    return &config.attention;
  } else if constexpr (requires { config.layer; }) {
    return attention_of(config.layer);
  } else {
    return nullptr;
  }
}

/// `head_scales`: of the config's attention, where each head has its own. Throws ValueError for `op` where a
/// scale is no known name, ShapeError where there are not as many as heads.
template <class Config>
Config read_config(const char* op, Arguments& given, std::span<const float>& head_scales) {
  Config config{};
  FieldReader reader(given);
  visit_fields(config, reader);
  if (MultiHeadAttentionConfig* const attention = attention_of(config)) {
    reader.scale().read(op, head_dimension(*attention), attention->scale, head_scales);
    check_head_scales(op, head_scales, attention->n_heads);
    if (attention->learned_scale) head_scales = {};  // which is one of all heads
  }
  return config;
}

}  // namespace sqrtdk::border
