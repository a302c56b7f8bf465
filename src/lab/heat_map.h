#pragma once
// Figures of matrices.
#include "lab/experiment.h"
#include "tensor/tensor.h"

namespace sqrtdk {

/// What a heat map says besides its numbers: keys of the content's vocabulary, and the names of rows and
/// columns, each empty for numbers from 0; of a long name the beginning is shown.
struct HeatMapAxes {
  Key x, y, z;
  std::vector<std::string> rows{}, cols{};
};

/// Tells a NaN that was computed from kNone, a cell that is masked: the figure's series "not_a_number" holds
/// the column (x) and the row (y) of each.
void mark_not_a_number(Figure& figure, int64_t cell);

/// The matrix [n_rows, n_cols], of any leading dimensions of 1. -inf, a masked score, is not there.
Figure heat_map(Key name, const Labels& at, ConstView matrix, HeatMapAxes axes);

}  // namespace sqrtdk
