#pragma once
// Configs as they come: an argument for each field, in the order in which fields are declared, and none where
// the default is meant.
#include <type_traits>

#include "attention_arguments.h"
#include "base/fields.h"
#include "layers/multi_head_attention.h"

namespace sqrtdk::border {

class FieldReader : public FlatVisitor {
 public:
  explicit FieldReader(Arguments& given) : given_(given) {}

  template <class Value>
  void operator()(const char*, Value& value, const About&) {
    if (given_.none()) return;
    if constexpr (std::is_same_v<Value, std::optional<float>>) {
      const GivenScale scale(given_);
      value = scale.number;
      if (scale.text) scale_ = scale.text;
    } else if constexpr (std::is_enum_v<Value>) {
      value = given_.choice<Value>();
    } else {
      value = static_cast<Value>(given_.number());
    }
  }

  /// The scale, where it came as a name.
  const std::optional<GivenText>& scale() const { return scale_; }

 private:
  Arguments& given_;
  std::optional<GivenText> scale_;
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

/// Throws ValueError for `op` where the scale is no known name.
template <class Config>
Config read_config(const char* op, Arguments& given) {
  Config config{};
  FieldReader reader(given);
  visit_fields(config, reader);
  if (MultiHeadAttentionConfig* const attention = attention_of(config); attention && reader.scale()) {
    const AttentionArguments named{{}, reader.scale()};
    attention->scale = named.at(op, head_dimension(*attention)).scale;
  }
  return config;
}

}  // namespace sqrtdk::border
