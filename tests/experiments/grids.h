#pragma once
// Finds an experiment's heat maps, and what a double says about them.
#include <algorithm>
#include <cmath>

#include "experiments/run.h"

namespace sqrtdk::test {

inline const Figure& figure(const Result& result, const std::string& name, const Labels& at = {}) {
  for (const Figure& figure : result.figures) {
    if (figure.name == name && figure.at == at) return figure;
  }
  FAIL("no figure " << name);
  return result.figures.at(0);
}

inline const Grid& grid(const Result& result, const std::string& name, const Labels& at = {}) {
  const Figure& found = figure(result, name, at);
  REQUIRE(found.heat_map());
  CHECK(found.grid().values.size() == static_cast<size_t>(found.grid().n_rows * found.grid().n_cols));
  return found.grid();
}

inline double cell(const Grid& grid, int64_t row, int64_t column) {
  return grid.values.at(static_cast<size_t>(row * grid.n_cols + column));
}

inline std::vector<double> row_of(const Grid& grid, int64_t row) {
  const auto first = grid.values.begin() + row * grid.n_cols;
  return {first, first + grid.n_cols};
}

inline Grid transposed(const Grid& x) {
  Grid out{.n_rows = x.n_cols, .n_cols = x.n_rows};
  for (int64_t i = 0; i < out.n_rows; ++i) {
    for (int64_t j = 0; j < out.n_cols; ++j) out.values.push_back(cell(x, j, i));
  }
  return out;
}

/// a · b
inline Grid product(const Grid& a, const Grid& b) {
  Grid out{.n_rows = a.n_rows, .n_cols = b.n_cols};
  REQUIRE(a.n_cols == b.n_rows);
  for (int64_t i = 0; i < a.n_rows; ++i) {
    for (int64_t j = 0; j < b.n_cols; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < a.n_cols; ++l) sum += cell(a, i, l) * cell(b, l, j);
      out.values.push_back(sum);
    }
  }
  return out;
}

/// softmax of rows; a cell that is not there takes no part and gets 0.
inline Grid row_softmax(const Grid& x) {
  Grid out = x;
  for (int64_t i = 0; i < x.n_rows; ++i) {
    double sum = 0;
    for (const double value : row_of(x, i)) sum += std::isnan(value) ? 0 : std::exp(value);
    for (int64_t j = 0; j < x.n_cols; ++j) {
      const double value = cell(x, i, j);
      out.values[static_cast<size_t>(i * x.n_cols + j)] = std::isnan(value) ? 0 : std::exp(value) / sum;
    }
  }
  return out;
}

/// The largest |a_i - b_i|, a cell of `a` that is not there being 0.
inline double distance(const Grid& a, const Grid& b) {
  REQUIRE(a.values.size() == b.values.size());
  double largest = 0;
  for (size_t i = 0; i < a.values.size(); ++i) {
    const double value = std::isnan(a.values[i]) ? 0 : a.values[i];
    largest = std::max(largest, std::fabs(value - b.values[i]));
  }
  return largest;
}

}  // namespace sqrtdk::test
