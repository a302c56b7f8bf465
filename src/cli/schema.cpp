#include "cli/schema.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/text.h"
#include "lab/json_writer.h"
#include "training/config_fields.h"
#include "training/config_text.h"
#include "training/tasks.h"

namespace sqrtdk::cli {
namespace {

SchemaField described(const char* name, const std::string& value, const About& about) {
  return {name, "text", value, about, {}};
}
SchemaField described(const char* name, bool value, const About& about) {
  return {name, "flag", value ? "true" : "false", about, {}};
}
SchemaField described(const char* name, int64_t value, const About& about) {
  const auto number = static_cast<double>(value);
  const bool meant = *about.otherwise != 0 || (number >= about.range.min && number <= about.range.max);
  return {name, "whole", std::to_string(value), about, {}, !meant};
}
SchemaField described(const char* name, uint64_t value, const About& about) {
  return {name, "seed", std::to_string(value), about, {}};
}
SchemaField described(const char* name, float value, const About& about) {
  return {name, "number", shortest(value), about, {}};
}
SchemaField described(const char* name, double value, const About& about) {
  return {name, "number", shortest(value), about, {}};
}
SchemaField described(const char* name, std::optional<float> value, const About& about) {
  const char* const type = std::string_view(name) == "scale" ? "scale" : "number";
  return {name, type, value ? shortest(*value) : "default", about, {}};
}
template <class Enum>
requires std::is_enum_v<Enum> SchemaField described(const char* name, Enum value, const About& about) {
  const auto& names = Choices<Enum>::kNames;
  return {name, "choice", names[static_cast<size_t>(value)], about, {std::begin(names), std::end(names)}};
}

struct FlatSchema : FlatVisitor {
  std::vector<SchemaField> fields;
  void operator()(const char* name, auto& value, const About& about) {
    fields.push_back(described(name, value, about));
  }
};

/// A list of configs, each before those of which it is a part.
class Configs {
 public:
  void operator()(const char* name, auto& value, const About& about) {
    items_.emplace_back(described(name, value, about));
  }
  void part(const char* name, const auto& visit) {
    Items whole = std::exchange(items_, {});
    visit();
    Items fields = std::exchange(items_, std::move(whole));
    items_.emplace_back(std::in_place_type<std::string>, name);
    const auto same = [&](const auto& config) { return config.first == name; };
    if (std::none_of(configs_.begin(), configs_.end(), same)) configs_.emplace_back(name, std::move(fields));
  }
  template <class Config>
  void add(const char* name) {
    Config config{};
    part(name, [&] { visit_fields(config, *this); });
  }
  void write(Json& json) const;

 private:
  using Items = std::vector<std::variant<std::string, SchemaField>>;  // names of parts, and fields
  Items items_;
  std::vector<std::pair<std::string, Items>> configs_;
};

void write(Json& json, const SchemaField& field) {
  json.open('{');
  json.key("name").value(field.name);
  json.key("type").value(field.type);
  json.key("help").value(field.about.help);
  json.key("default").value(field.value);
  if (field.required) json.key("required").value(true);
  if (*field.about.otherwise != 0) json.key("otherwise").value(field.about.otherwise);
  const auto& [min, max] = field.about.range;
  if (std::isfinite(min)) json.key("min").value(min);
  if (std::isfinite(max)) json.key("max").value(max);
  if (!field.choices.empty()) json.key("choices").values(field.choices);
  json.close('}');
}

void Configs::write(Json& json) const {
  json.open('[');
  for (const auto& [name, items] : configs_) {
    json.open('{').key("name").value(name);
    json.key("fields").open('[');
    for (const auto& item : items) {
      if (const auto* const field = std::get_if<SchemaField>(&item)) {
        cli::write(json, *field);
      } else {
        json.open('{').key("part").value(std::get<std::string>(item));
        json.close('}');
      }
    }
    json.close(']').close('}');
  }
  json.close(']');
}

}  // namespace

std::vector<SchemaField> trainer_schema() {
  TrainerConfig config;
  FlatSchema schema;
  visit_fields(config, schema);
  for (SchemaField& field : schema.fields) {
    const std::string name = field.name;
    if (name == "task") field.choices.assign(kTaskNames.begin(), kTaskNames.end());
    if (name == "scale") field.choices = scale_texts();
  }
  return schema.fields;
}

std::string schema_json() {
  Configs configs;
  configs.add<LinearConfig>("Linear");
  configs.add<EmbeddingConfig>("Embedding");
  configs.add<NormConfig>("Norm");
  configs.add<FeedForwardConfig>("FeedForward");
  configs.add<MultiHeadAttentionConfig>("MultiHeadAttention");
  configs.add<TransformerLayerConfig>("TransformerLayer");
  configs.add<StackConfig>("Stack");
  configs.add<TransformerConfig>("Transformer");
  configs.add<LanguageModelConfig>("LanguageModel");
  configs.add<Initialization>("Initialization");
  Json json;
  json.open('{').key("configs");
  configs.write(json);
  json.key("layers").values(Choices<LayerKind>::kNames);
  json.key("trainer").open('[');
  for (const SchemaField& field : trainer_schema()) write(json, field);
  json.close(']').close('}');
  return json.take();
}

}  // namespace sqrtdk::cli
