#pragma once
// softmax over the last dimension: p_i = exp(x_i - max x) / sum_j exp(x_j - max x), and its logarithm.
#include "tensor/tensor.h"

namespace sqrtdk {

/// out = softmax(x); x, out: [.., n]; out may be x. A row of -inf gives NaN (0/0), as does a row that
/// holds NaN or +inf. At most 3 ULP from the exact value for n up to 65536: the rounding of x - max is kept.
void softmax_forward(ConstView x, View out);

/// dx_i = p_i (dp_i - sum_j dp_j p_j), with p the forward's output; dx may be dp.
void softmax_backward(ConstView p, ConstView dp, View dx);

/// out_i = x_i - max x - log sum_j exp(x_j - max x), [.., n]; out may be x. NaN where softmax is NaN.
/// At most 3 ULP of each result, however near 0.
void log_softmax_forward(ConstView x, View out);

/// dx_i = dy_i - exp(y_i) sum_j dy_j, with y the forward's output; dx may be dy.
void log_softmax_backward(ConstView y, ConstView dy, View dx);

}  // namespace sqrtdk
