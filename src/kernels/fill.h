#pragma once
// Tensors of one number, and of numbers at equal distances.
#include "tensor/tensor.h"

namespace sqrtdk {

/// out = value
void fill(View out, float value);

/// How many of start, start + step, .. there are before `stop`: NumPy's arange, at least 0. Throws ValueError
/// where one is not finite, for a step of 0, and for more than 2^40.
int64_t arange_size(double start, double stop, double step);

/// out [n] = start + i step, in double and rounded once.
void arange(double start, double step, View out);

}  // namespace sqrtdk
