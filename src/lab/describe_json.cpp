#include "kernels/attention/scale.h"
#include "lab/experiment.h"
#include "lab/json_writer.h"

namespace sqrtdk {
namespace {

const char* name_of(ParamType type) {
  switch (type) {
    case ParamType::kInt:
      return "int";
    case ParamType::kIntList:
      return "int_list";
    case ParamType::kReal:
      return "real";
    case ParamType::kChoice:
      return "choice";
    case ParamType::kScaleList:
      return "scale_list";
    case ParamType::kSeed:
      return "seed";
    case ParamType::kMatrix:
      return "matrix";
    case ParamType::kText:
      return "text";
    case ParamType::kFile:
      return "file";
  }
  return "";
}

const char* name_of(Group group) {
  switch (group) {
    case Group::kClaim:
      return "claim";
    case Group::kWhy:
      return "why";
    case Group::kBreaks:
      return "breaks";
    case Group::kWhere:
      return "where";
    case Group::kRest:
      return "rest";
  }
  return "";
}

/// Of a list of scales the names that it takes beside numbers.
std::vector<std::string> choices_of(const Param& param) {
  if (param.type == ParamType::kScaleList) return scale_names(param.choices);
  return {param.choices.begin(), param.choices.end()};
}

/// By the vocabulary's topics.
void write(Json& json, const Words& words) {
  json.open('{');
  const std::pair<const char*, const Words::Names&> topics[] = {
      {"verdicts", words.verdicts}, {"scalars", words.scalars}, {"symbols", words.labels},
      {"figures", words.figures},   {"axes", words.axes},       {"series", words.series},
      {"choices", words.values}};
  for (const auto& [topic, names] : topics) {
    if (names.size() > 0) json.key(topic).values(names);
  }
  json.close('}');
}

void write(Json& json, const Param& param) {
  json.open('{');
  json.key("name").value(param.name);
  json.key("type").value(name_of(param.type));
  json.key("default").value(param.default_value);
  json.optional("min", param.min);
  json.optional("max", param.max);
  if (param.max_count > 1) json.key("max_count").value(static_cast<double>(param.max_count));
  const std::vector<std::string> choices = choices_of(param);
  if (!choices.empty()) json.key("choices").values(choices);
  if (*param.group != 0) json.key("group").value(param.group);
  if (*param.accept != 0) json.key("accept").value(param.accept);
  if (!param.shown_when.empty()) {
    json.key("shown_when").open('[');
    for (const Condition& condition : param.shown_when) {
      json.open('{').key("param").value(condition.param);
      json.key(condition.is ? "is" : "is_not").open('[').value(condition.text);
      json.close(']').close('}');
    }
    json.close(']');
  }
  json.close('}');
}

void write(Json& json, const Experiment& experiment) {
  json.open('{');
  json.key("id").value(experiment.id);
  json.key("question").value(experiment.question);
  json.key("source").value(experiment.source);
  json.key("module").value(module_of(experiment));
  json.key("group").value(name_of(experiment.group));
  if (experiment.chapter > 0) json.key("chapter").value(static_cast<double>(experiment.chapter));
  json.key("params").open('[');
  for (const Param& param : experiment.params) write(json, param);
  json.close(']');
  if (!experiment.presets.empty()) {
    json.key("presets").open('[');
    for (const Preset& preset : experiment.presets) {
      json.open('{').key("name").value(preset.name);
      json.key("params").open('{');
      for (const auto& [name, text] : preset.texts) json.key(name).value(text);
      json.close('}').close('}');
    }
    json.close(']');
  }
  if (experiment.timed) json.key("timed").value(true);
  json.key("words");
  write(json, experiment.words);
  json.close('}');
}

}  // namespace

std::string describe_json(const Experiment& experiment) {
  Json json;
  write(json, experiment);
  return json.take();
}

std::string describe_all_json() {
  Json json;
  json.open('[');
  for (const Experiment* experiment : all_experiments()) write(json, *experiment);
  json.close(']');
  return json.take();
}

}  // namespace sqrtdk
