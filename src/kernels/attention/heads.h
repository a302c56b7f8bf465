#pragma once
// The heads of attention side by side in rows, and each by itself.
#include "tensor/tensor.h"

namespace sqrtdk {

/// out [.., n_heads, n, d] from x [.., n, n_heads * d]: head h is columns h*d .. h*d + d-1. Throws
/// ShapeError.
void split_heads(const ConstView& x, const View& out);

/// The inverse: out [.., n, n_heads * d] from x [.., n_heads, n, d].
void merge_heads(const ConstView& x, const View& out);

}  // namespace sqrtdk
