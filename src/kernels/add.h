#pragma once
// Sums of tensors: residual connections, and gradients that meet.
#include "tensor/tensor.h"

namespace sqrtdk {

/// out = a + b, of one shape; out may be a or b. Throws ShapeError.
void add_elements(ConstView a, ConstView b, View out);

}  // namespace sqrtdk
