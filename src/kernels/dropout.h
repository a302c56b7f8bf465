#pragma once
// Dropout: an element is 0 with the given probability and x / (1 - probability) otherwise.
// Srivastava et al., "Dropout", 2014.
#include <cstdint>

#include "tensor/tensor.h"

namespace sqrtdk {

/// Which elements are dropped: element i by Philox keyed by (seed, stream, i), whatever the tensor's shape
/// and order.
struct DropoutKey {
  uint64_t seed, stream;
};

/// Throws ValueError unless 0 <= probability < 1.
void check_probability(const char* op, float probability);

/// Kept elements are multiplied by 1 / (1 - probability), rounded. x, out: any one shape; out may be x. A
/// dropped NaN is 0; probability 0 copies. Throws ShapeError, and ValueError unless
/// 0 <= probability < 1.
void dropout_forward(ConstView x, float probability, DropoutKey key, View out);

/// dx from dout with the forward's key; dx may be dout.
void dropout_backward(ConstView dout, float probability, DropoutKey key, View dx);

}  // namespace sqrtdk
