#pragma once
// Sums over rows: the gradient of what was added to every row.
#include "tensor/tensor.h"

namespace sqrtdk {

/// sums[j] += Σ_i x[i, j], summed in double in the order of i and rounded once. x: [.., n], sums: [n]. Throws
/// ShapeError.
void add_column_sums(ConstView x, View sums);

}  // namespace sqrtdk
