#pragma once
// Normalisation over the last dimension. Gradients of inputs are overwritten; those of parameters are added
// to.
#include "tensor/tensor.h"

namespace sqrtdk {

/// Throws ValueError unless epsilon is finite and at least 0.
void check_epsilon(const char* op, float epsilon);

/// out = (x - mean) * rstd * gain + bias with rstd = 1 / sqrt(variance + epsilon), the variance with n in the
/// denominator, of deviations from near the mean. x, out: [.., n], out may be x; gain, bias: [n] or empty;
/// row_stats: [.., 2], mean and rstd of each row, or empty. Ba, Kiros and Hinton, "Layer Normalization",
/// 2016. Throws ShapeError, ValueError.
void layer_norm_forward(ConstView x, ConstView gain, ConstView bias, float epsilon, View out, View row_stats);

/// dx is overwritten and may be dout; dgain and dbias ([n] or empty) are added to.
void layer_norm_backward(ConstView x, ConstView gain, ConstView row_stats, ConstView dout, View dx,
                         View dgain, View dbias);

/// out = x * rrms * gain with rrms = 1 / sqrt(mean(x²) + epsilon); out may be x;
/// row_rrms: [..], or empty. Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019. Throws
/// ShapeError, ValueError.
void rms_norm_forward(ConstView x, ConstView gain, float epsilon, View out, View row_rrms);

/// dx is overwritten and may be dout; dgain ([n] or empty) is added to.
void rms_norm_backward(ConstView x, ConstView gain, ConstView row_rrms, ConstView dout, View dx, View dgain);

}  // namespace sqrtdk
