#include "kernels/attention/scale.h"
#include "lab/experiment.h"
#include "lab/json_writer.h"

namespace sqrtdk {
namespace {

const char* type_of(const Param& param) {
  constexpr const char* kTypes[] = {"int",  "int_list", "real", "choice", "scale_list",
                                    "seed", "matrix",   "text", "file"};  // as the variant has them
  static_assert(std::size(kTypes) == std::variant_size_v<decltype(Param::kind)>);
  return kTypes[param.kind.index()];
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

/// What a parameter allows.
struct Bounds {
  double min = kNone, max = kNone;
  size_t max_count = 1;
  std::vector<std::string> choices{};
  const char* accept = "";
};
struct BoundsOf {
  Bounds operator()(const IntParam& kind) const { return {.min = kind.min, .max = kind.max}; }
  Bounds operator()(const IntListParam& kind) const { return {kind.min, kind.max, kind.max_count}; }
  Bounds operator()(const RealParam& kind) const { return {.min = kind.min, .max = kind.max}; }
  Bounds operator()(const ChoiceParam& kind) const {
    return {.choices = {kind.choices.begin(), kind.choices.end()}};
  }
  /// The names that it takes beside numbers.
  Bounds operator()(const ScaleListParam& kind) const {
    return {.max_count = kind.max_count, .choices = scale_names(kind.further)};
  }
  Bounds operator()(const SeedParam&) const { return {}; }
  Bounds operator()(const MatrixParam& kind) const {
    return {.max_count = kind.max_count, .accept = kind.accept};
  }
  Bounds operator()(const TextParam& kind) const { return {.max_count = kind.max_bytes}; }
  Bounds operator()(const FileParam& kind) const {
    return {.max_count = kind.max_bytes, .accept = kind.accept};
  }
};

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
  json.key("type").value(type_of(param));
  json.key("default").value(param.default_value);
  const Bounds bounds = std::visit(BoundsOf(), param.kind);
  json.optional("min", bounds.min);
  json.optional("max", bounds.max);
  if (bounds.max_count > 1) json.key("max_count").value(static_cast<double>(bounds.max_count));
  if (!bounds.choices.empty()) json.key("choices").values(bounds.choices);
  if (*param.group != 0) json.key("group").value(param.group);
  if (*bounds.accept != 0) json.key("accept").value(bounds.accept);
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
