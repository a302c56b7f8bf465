#pragma once
// Sums and products of tensors, element by element: residual connections, gates, gradients that meet.
#include "tensor/tensor.h"

namespace sqrtdk {

/// out = a + b, of one shape; out may be a or b. Throws ShapeError.
void add_elements(ConstView a, ConstView b, View out);

/// out = a · b, of one shape; out may be a or b. Throws ShapeError.
void multiply_elements(ConstView a, ConstView b, View out);

/// x = factor · x
void scale_elements(View x, float factor);

/// x = 0
void clear_elements(View x);

}  // namespace sqrtdk
