#pragma once
// Configs as they come.
#include <type_traits>

#include "arguments.h"
#include "base/fields.h"

namespace sqrtdk::border {

/// Reads a number for each field; where it is NaN, nothing was given, and the default stays.
class FieldReader : public FlatVisitor {
 public:
  explicit FieldReader(Arguments& given) : given_(given) {}

  template <class Value>
  void operator()(const char*, Value& value, const About&) {
    const double number = given_.number();
    if (number != number) return;
    if constexpr (std::is_enum_v<Value>) {
      value = static_cast<Value>(static_cast<int>(number));
    } else if constexpr (std::is_same_v<Value, std::optional<float>>) {
      value = static_cast<float>(number);
    } else {
      value = static_cast<Value>(number);
    }
  }

 private:
  Arguments& given_;
};

/// A number for each field of the config, in the order in which they are declared.
template <class Config>
Config read_config(Arguments& given) {
  Config config{};
  FieldReader reader(given);
  visit_fields(config, reader);
  return config;
}

}  // namespace sqrtdk::border
