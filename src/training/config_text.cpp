#include "training/config_text.h"

#include <algorithm>
#include <span>
#include <type_traits>
#include <variant>

#include "base/decimal.h"
#include "base/errors.h"
#include "base/text.h"
#include "training/config_fields.h"

namespace sqrtdk {
namespace {

constexpr const char* kPrefix = "config.";

template <class Enum>
struct EnumAs {  // its numbers, whatever its type
  static int get(const void* value) { return static_cast<int>(*static_cast<const Enum*>(value)); }
  static void set(void* value, int number) { *static_cast<Enum*>(value) = static_cast<Enum>(number); }
};

struct Choice {
  void* value;
  int (*get)(const void*);
  void (*set)(void*, int);
  std::span<const char* const> names;  // of 0, 1, ..
};

struct Field {
  const char* name;
  std::variant<std::string*, bool*, int64_t*, uint64_t*, double*, float*, std::optional<float>*, Choice>
      value;
};

struct Fields : FlatVisitor {
  std::vector<Field> list;

  template <class Value>
  void operator()(const char* name, Value& value, const About&) {
    if constexpr (std::is_enum_v<Value>) {
      list.push_back({name, Choice{&value, EnumAs<Value>::get, EnumAs<Value>::set, Choices<Value>::kNames}});
    } else {
      list.push_back({name, &value});
    }
  }
};

std::vector<Field> fields_of(TrainerConfig& config) {
  Fields fields;
  visit_fields(config, fields);
  return fields.list;
}

struct Writer {
  std::string operator()(const std::string* value) const { return *value; }
  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(const int64_t* value) const { return to_text(*value); }
  std::string operator()(const uint64_t* value) const { return to_text(*value); }
  std::string operator()(const double* value) const { return to_general(*value, 17); }
  std::string operator()(const float* value) const { return to_general(*value, 9); }
  std::string operator()(const std::optional<float>* value) const {
    return *value ? to_general(**value, 9) : "default";
  }
  std::string operator()(const Choice& choice) const {
    return choice.names[static_cast<size_t>(choice.get(choice.value))];
  }
};

// Sets the value, or changes nothing and returns false.
struct Parser {
  const std::string& text;

  bool operator()(std::string* value) const {
    *value = text;
    return true;
  }
  bool operator()(bool* value) const { return set(value, text == "true", text == "true" || text == "false"); }
  bool operator()(int64_t* value) const {
    const bool negative = text.starts_with('-');
    const std::optional<uint64_t> size = parse_unsigned(std::string_view(text).substr(negative ? 1 : 0));
    if (!size || *size > INT64_MAX) return false;
    const auto number = static_cast<int64_t>(*size);
    return set(value, negative ? -number : number, true);
  }
  bool operator()(uint64_t* value) const {
    const std::optional<uint64_t> number = parse_unsigned(text);
    return set(value, number.value_or(0), number.has_value());
  }
  bool operator()(double* value) const {
    const std::optional<double> number = parse_double(text);
    return set(value, number.value_or(0), number.has_value());
  }
  bool operator()(float* value) const {
    const std::optional<float> number = parse_float(text);
    return set(value, number.value_or(0), number.has_value());
  }
  bool operator()(std::optional<float>* value) const {
    const std::optional<float> number = parse_float(text);
    return set(value, number, number || text == "default");
  }
  bool operator()(const Choice& choice) const {
    for (size_t i = 0; i < choice.names.size(); ++i) {
      if (text != choice.names[i]) continue;
      choice.set(choice.value, static_cast<int>(i));
      return true;
    }
    return false;
  }

 private:
  template <class Value>
  static bool set(Value* value, Value read, bool valid) {
    if (valid) *value = read;
    return valid;
  }
};

struct Expected {
  ErrorCode code;
  std::string what;
};

struct Describer {
  Expected operator()(const std::string*) const { return {ErrorCode::kUnsupported, "text"}; }
  Expected operator()(const bool*) const { return {ErrorCode::kNotAChoice, "true, false"}; }
  Expected operator()(const int64_t*) const { return {ErrorCode::kNotANumber, "integer"}; }
  Expected operator()(const uint64_t*) const {
    return {ErrorCode::kNotANumber, "integer from 0 to " + to_text(UINT64_MAX)};
  }
  Expected operator()(const double*) const { return {ErrorCode::kNotANumber, "number"}; }
  Expected operator()(const float*) const { return {ErrorCode::kNotANumber, "number"}; }
  Expected operator()(const std::optional<float>*) const {
    return {ErrorCode::kNotANumber, "number or default"};
  }
  Expected operator()(const Choice& choice) const { return {ErrorCode::kNotAChoice, joined(choice.names)}; }
};

}  // namespace

Metadata config_metadata(const TrainerConfig& config) {
  Metadata metadata;
  TrainerConfig copy = config;
  for (const Field& field : fields_of(copy)) {
    metadata.emplace_back(std::string(kPrefix) + field.name, std::visit(Writer(), field.value));
  }
  return metadata;
}

TrainerConfig read_config(const Metadata& metadata, std::string_view op, std::string_view argument) {
  TrainerConfig config;
  for (const Field& field : fields_of(config)) {
    const std::string key = std::string(kPrefix) + field.name;
    const auto found =
        std::find_if(metadata.begin(), metadata.end(), [&](const auto& pair) { return pair.first == key; });
    if (found == metadata.end()) {
      throw FormatError(ErrorCode::kUnsupported, op, argument, key, "a checkpoint without it");
    }
    if (std::visit(Parser{found->second}, field.value)) continue;
    throw FormatError(ErrorCode::kUnsupported, op, argument,
                      key + ": " + std::visit(Describer(), field.value).what, found->second);
  }
  return config;
}

std::vector<ConfigField> config_fields(const TrainerConfig& config) {
  std::vector<ConfigField> described;
  TrainerConfig copy = config;
  for (const Field& field : fields_of(copy)) {
    described.push_back(
        {field.name, std::visit(Describer(), field.value).what, std::visit(Writer(), field.value)});
  }
  return described;
}

void set_field(TrainerConfig& config, const std::string& name, const std::string& text, std::string_view op) {
  std::string names;
  for (const Field& field : fields_of(config)) {
    names.append(names.empty() ? "" : ", ").append(field.name);
    if (name != field.name) continue;
    if (std::visit(Parser{text}, field.value)) return;
    const Expected expected = std::visit(Describer(), field.value);
    throw ValueError(expected.code, op, name, expected.what, text);
  }
  throw ValueError(ErrorCode::kUnknownName, op, "field", names, name);
}

}  // namespace sqrtdk
