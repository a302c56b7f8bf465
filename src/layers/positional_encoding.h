#pragma once
// Sinusoidal positions: PE[pos, 2i] = sin(pos / 10000^(2i/d)), PE[pos, 2i+1] = cos(..). Vaswani et al.,
// section 3.5.
#include "tensor/tensor.h"

namespace sqrtdk {

/// out: [n_positions, d_model], d_model of either parity; in double, rounded once. Throws ShapeError, and
/// ValueError for base < 1 and for more than 2^20 positions.
void sinusoidal_encoding(View out, double base = 10000);

/// x[.., n, d] += encoding[first .. first + n, d]; encoding: [n_positions, d]. Throws ShapeError, ValueError.
void add_positions(ConstView encoding, int64_t first, View x);

/// For learned positions: dencoding[first .. first + n, d] += the sum of dx[.., n, d] over its batches.
void add_positions_backward(ConstView dx, int64_t first, View dencoding);

}  // namespace sqrtdk
