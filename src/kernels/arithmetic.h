#pragma once
// a + b, a - b, a · b and a / b, element by element, of shapes that are broadcast as in NumPy.
#include "base/fields.h"
#include "tensor/tensor.h"

namespace sqrtdk {

enum class Arithmetic { kAdd, kSub, kMul, kDiv };
template <>
struct Choices<Arithmetic> {
  static constexpr const char* kNames[] = {"add", "sub", "mul", "div"};
};

/// NumPy's rule: dimensions are compared from the last one; what has 1 or none there is repeated. Throws
/// ShapeError.
Shape broadcast_shape(Arithmetic operation, const Shape& a, const Shape& b);

/// out [broadcast_shape] = a ∘ b, each element rounded once; out may be an operand of its shape. Throws
/// ShapeError.
void arithmetic(Arithmetic operation, ConstView a, ConstView b, View out);

}  // namespace sqrtdk
