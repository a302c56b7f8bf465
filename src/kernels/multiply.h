#pragma once
// Products of tensors, element by element: gates.
#include "tensor/tensor.h"

namespace sqrtdk {

/// out = a · b, of one shape; out may be a or b. Throws ShapeError.
void multiply_elements(ConstView a, ConstView b, View out);

}  // namespace sqrtdk
