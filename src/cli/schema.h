#pragma once
// The fields of all configs, with what is said of them where they are declared.
#include <string>
#include <vector>

#include "base/fields.h"

namespace sqrtdk::cli {

struct SchemaField {
  const char* name;
  const char* type;   // "whole", "number", "flag", "choice", "text", "scale", "seed"
  std::string value;  // the default, as people write it; "default" where another than a number is meant
  About about;
  std::vector<std::string> choices;  // of a choice, a scale, and of a text that is one of them
  bool required = false;
};

/// The options of sqrtdk train that are fields of its config, in their order.
std::vector<SchemaField> trainer_schema();

/// {"configs": [..], "layers": [..], "trainer": [..]}: a config is its name and its fields, where {"part":
/// name} stands for those of another one before it; the kinds of layers in the order of their numbers; the
/// options of sqrtdk train.
std::string schema_json();

}  // namespace sqrtdk::cli
