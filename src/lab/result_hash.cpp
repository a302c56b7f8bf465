#include "base/hash.h"
#include "lab/experiment.h"

namespace sqrtdk {
namespace {

void add(Hash& hash, const std::vector<std::string>& texts) {
  hash.add(uint64_t{texts.size()});
  for (const std::string& text : texts) hash.add(text);
}

void add(Hash& hash, const Labels& labels) {
  hash.add(uint64_t{labels.size()});
  for (const auto& [name, value] : labels) {
    hash.add(std::string(name));
    hash.add(value);
  }
}

void add(Hash& hash, const std::vector<double>& values) {
  hash.add(uint64_t{values.size()});
  for (const double x : values) hash.add(x);
}

void add(Hash& hash, const Grid& grid) {
  hash.add(static_cast<uint64_t>(grid.n_rows));
  hash.add(static_cast<uint64_t>(grid.n_cols));
  add(hash, grid.rows);
  add(hash, grid.cols);
  add(hash, grid.values);
}

}  // namespace

std::string result_hash(const Result& result) {
  Hash hash;
  add(hash, result.lines);
  hash.add(uint64_t{result.scalars.size()});
  for (const Scalar& scalar : result.scalars) {
    hash.add(std::string(scalar.name));
    add(hash, scalar.at);
    for (const double x :
         {scalar.value, scalar.se, scalar.expected, scalar.std, scalar.p10, scalar.p50, scalar.p90}) {
      hash.add(x);
    }
  }
  hash.add(uint64_t{result.figures.size()});
  for (const Figure& figure : result.figures) {
    hash.add(std::string(figure.name));
    add(hash, figure.at);
    hash.add(static_cast<uint64_t>(figure.kind.index()));
    hash.add(std::string(figure.x));
    hash.add(std::string(figure.y));
    hash.add(uint64_t{figure.log_x});
    hash.add(uint64_t{figure.log_y});
    hash.add(figure.y_max);
    hash.add(uint64_t{figure.series.size()});
    for (const Series& series : figure.series) {
      hash.add(series.name);
      hash.add(static_cast<uint64_t>(series.role));
      add(hash, series.x);
      add(hash, series.y);
      add(hash, series.y_se);
      if (series.low.empty() && series.high.empty()) continue;
      add(hash, series.low);
      add(hash, series.high);
    }
    if (const HeatMap* const map = figure.heat_map()) {
      hash.add(std::string(map->z));
      add(hash, map->grid);
    }
  }
  hash.add(static_cast<uint64_t>(result.holds));
  hash.add(std::string(result.verdict));
  return hash.hex();
}

}  // namespace sqrtdk
