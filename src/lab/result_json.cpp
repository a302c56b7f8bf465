#include "lab/experiment.h"
#include "lab/json_writer.h"

namespace sqrtdk {
namespace {

const char* kind_of(const Figure& figure) {
  constexpr const char* kKinds[] = {"bars", "lines", "histogram", "heatmap"};  // as the variant has them
  static_assert(std::size(kKinds) == std::variant_size_v<decltype(Figure::kind)>);
  return kKinds[figure.kind.index()];
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

void write(Json& json, const Scalar& scalar) {
  json.open('{');
  json.key("name").value(scalar.name);
  json.key("at").texts(scalar.at);
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
  json.key("at").texts(figure.at);
  json.key("kind").value(kind_of(figure));
  json.key("x").value(figure.x);
  json.key("y").value(figure.y);
  const HeatMap* const map = figure.heat_map();
  if (map) json.key("z").value(map->z);
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
  if (map) {
    json.key("grid");
    write(json, map->grid);
  }
  json.close('}');
}

}  // namespace

std::string run_json(const Run& run) {
  const Result& result = run.result;
  Json json;
  json.open('{');
  json.key("experiment").value(run.experiment->id);
  json.key("params").texts(run.params.text());
  json.key("lines").values(result.lines);
  if (!result.printed.empty()) {
    json.key("printed").open('[');
    for (const Scalar& scalar : result.printed) write(json, scalar);
    json.close(']');
  }
  json.key("scalars").open('[');
  for (const Scalar& scalar : result.scalars) write(json, scalar);
  json.close(']').key("figures").open('[');
  for (const Figure& figure : result.figures) write(json, figure);
  json.close(']');
  json.key("holds");
  if (result.holds == Holds::kCannotBeJudged) {
    json.null();
  } else {
    json.value(result.holds == Holds::kYes);
  }
  json.key("verdict").value(result.verdict);
  if (result.timed) json.key("timed").value(true);
  json.key("hash").value(result_hash(result));
  json.close('}');
  return json.take();
}

}  // namespace sqrtdk
