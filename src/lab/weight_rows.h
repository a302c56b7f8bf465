#pragma once
// Rows of attention weights, seen by their sums and entropies, in double.
#include <vector>

#include "tensor/tensor.h"

namespace sqrtdk {

std::vector<double> row_sums_of(ConstView weights);  // weights: [.., n], one sum per row

/// The largest distance of a sum from 1; NaN where one is.
double farthest_from_1(const std::vector<double>& sums);

/// -sum p ln p of a row of n weights, in nats.
double entropy_of(const float* weights, int64_t n);

/// The largest |a_i - b_i|; NaN where one is.
double largest_difference(ConstView a, ConstView b);

}  // namespace sqrtdk
