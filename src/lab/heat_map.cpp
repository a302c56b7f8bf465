#include "lab/heat_map.h"

#include <cmath>

#include "base/text.h"

namespace sqrtdk {

void mark_not_a_number(Figure& figure, int64_t cell) {
  if (figure.series.empty()) figure.series.push_back({.name = "not_a_number"});
  const int64_t row = cell / figure.grid().n_cols, column = cell % figure.grid().n_cols;
  figure.series.front().add(column, row);
}

Figure heat_map(Key name, const Labels& at, ConstView matrix, HeatMapAxes axes) {
  Figure figure{.name = name,
                .at = at,
                .kind = HeatMap{.z = axes.z,
                                .grid = {.n_rows = matrix.shape[-2],
                                         .n_cols = matrix.shape[-1],
                                         .rows = std::move(axes.rows),
                                         .cols = std::move(axes.cols)}},
                .x = axes.x,
                .y = axes.y};
  for (std::vector<std::string>* names : {&figure.grid().rows, &figure.grid().cols}) {
    for (std::string& each : *names) each = clipped(each);
  }
  for (int64_t i = 0; i < matrix.shape.size(); ++i) {
    const double value = static_cast<double>(matrix.data[i]);
    figure.grid().values.push_back(value == -HUGE_VAL ? kNone : value);
    if (std::isnan(value)) mark_not_a_number(figure, i);
  }
  return figure;
}

}  // namespace sqrtdk
