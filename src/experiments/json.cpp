#include "experiments/experiment.h"
#include "tensor/decimal.h"

namespace sqrtdk {
namespace {

// Writes values one after another; commas go where they belong.
class Json {
 public:
  Json& open(char bracket) {
    separate();
    text_ += bracket;
    first_ = true;
    return *this;
  }
  Json& close(char bracket) {
    text_ += bracket;
    first_ = false;
    return *this;
  }
  Json& key(const char* name) {
    value(name);
    text_ += ':';
    first_ = true;
    return *this;
  }
  void value(const std::string& text) {
    separate();
    text_ += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') {
        text_ += '\\';
        text_ += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        text_ += "\\u00";
        text_ += "0123456789abcdef"[c >> 4];
        text_ += "0123456789abcdef"[c & 15];
      } else {
        text_ += c;
      }
    }
    text_ += '"';
  }
  void value(const char* text) { value(std::string(text)); }
  void value(bool flag) {
    separate();
    text_ += flag ? "true" : "false";
  }
  void value(double x) {
    separate();
    if (std::isnan(x)) {
      text_ += "null";
    } else if (std::isinf(x)) {
      text_ += x > 0 ? "1e999" : "-1e999";
    } else {
      text_ += to_general(x, 17);
    }
  }
  void value(const std::vector<double>& values) {
    open('[');
    for (const double x : values) value(x);
    close(']');
  }
  template <class Text>
  void values(const Text& texts) {
    open('[');
    for (const auto& text : texts) value(text);
    close(']');
  }
  void value(const Labels& labels) {
    open('{');
    for (const auto& [name, text] : labels) key(name.c_str()).value(text);
    close('}');
  }
  void optional(const char* name, double x) {
    if (!std::isnan(x)) key(name).value(x);
  }
  std::string take() { return std::move(text_); }

 private:
  void separate() {
    if (!first_) text_ += ',';
    first_ = false;
  }
  std::string text_;
  bool first_ = true;
};

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

const char* name_of(FigureKind kind) {
  switch (kind) {
    case FigureKind::kBars:
      return "bars";
    case FigureKind::kLines:
      return "lines";
    case FigureKind::kHistogram:
      return "histogram";
    case FigureKind::kHeatmap:
      return "heatmap";
  }
  return "";
}

const char* name_of(Role role) {
  switch (role) {
    case Role::kScaled:
      return "scaled";
    case Role::kUnscaled:
      return "unscaled";
    case Role::kOther:
      return "other";
    case Role::kReference:
      return "reference";
  }
  return "";
}

void write(Json& json, const Experiment& experiment) {
  json.open('{');
  json.key("id").value(experiment.id);
  json.key("question").value(experiment.question);
  json.key("source").value(experiment.source);
  json.key("params").open('[');
  for (const Param& param : experiment.params) {
    json.open('{');
    json.key("name").value(param.name);
    json.key("type").value(name_of(param.type));
    json.key("default").value(param.default_value);
    json.optional("min", param.min);
    json.optional("max", param.max);
    if (param.max_count > 1) json.key("max_count").value(static_cast<double>(param.max_count));
    if (!param.choices.empty()) json.key("choices").values(param.choices);
    if (*param.group != 0) json.key("group").value(param.group);
    json.close('}');
  }
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
  json.close('}');
}

void write(Json& json, const Scalar& scalar) {
  json.open('{');
  json.key("name").value(scalar.name);
  json.key("at").value(scalar.at);
  json.key("value").value(scalar.value);
  json.optional("se", scalar.se);
  json.optional("expected", scalar.expected);
  json.optional("std", scalar.std);
  json.optional("p10", scalar.p10);
  json.optional("p50", scalar.p50);
  json.optional("p90", scalar.p90);
  json.close('}');
}

void write(Json& json, const Grid& grid) {
  json.open('{');
  json.key("n_rows").value(static_cast<double>(grid.n_rows));
  json.key("n_cols").value(static_cast<double>(grid.n_cols));
  if (!grid.rows.empty()) json.key("rows").values(grid.rows);
  if (!grid.cols.empty()) json.key("cols").values(grid.cols);
  json.key("values").value(grid.values);
  json.close('}');
}

void write(Json& json, const Figure& figure) {
  json.open('{');
  json.key("name").value(figure.name);
  json.key("at").value(figure.at);
  json.key("kind").value(name_of(figure.kind));
  json.key("x").value(figure.x);
  json.key("y").value(figure.y);
  if (figure.kind == FigureKind::kHeatmap) json.key("z").value(figure.z);
  json.key("log_x").value(figure.log_x);
  json.key("log_y").value(figure.log_y);
  json.optional("y_max", figure.y_max);
  json.key("series").open('[');
  for (const Series& series : figure.series) {
    json.open('{');
    json.key("name").value(series.name);
    json.key("role").value(name_of(series.role));
    json.key("x").value(series.x);
    json.key("y").value(series.y);
    if (!series.y_se.empty()) json.key("y_se").value(series.y_se);
    if (!series.low.empty()) json.key("low").value(series.low);
    if (!series.high.empty()) json.key("high").value(series.high);
    json.close('}');
  }
  json.close(']');
  if (figure.kind == FigureKind::kHeatmap) {
    json.key("grid");
    write(json, figure.grid);
  }
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

std::string run_json(const Run& run) {
  const Result& result = run.result;
  Json json;
  json.open('{');
  json.key("experiment").value(run.experiment->id);
  json.key("params").value(run.params.text());
  json.key("lines").values(result.lines);
  json.key("scalars").open('[');
  for (const Scalar& scalar : result.scalars) write(json, scalar);
  json.close(']').key("figures").open('[');
  for (const Figure& figure : result.figures) write(json, figure);
  json.close(']');
  json.key("holds").value(result.holds);
  json.key("verdict").value(result.verdict);
  if (result.timed) json.key("timed").value(true);
  json.key("hash").value(result_hash(result));
  json.close('}');
  return json.take();
}

}  // namespace sqrtdk
