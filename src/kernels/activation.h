#pragma once
// Functions of single elements.
//   relu: max(x, 0)   gelu: x Φ(x) = x (1 + erf(x/√2)) / 2   silu: x / (1 + exp(-x))   tanh
//   gelu_tanh: x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2
// Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016; Elfwing et al., "Sigmoid-weighted linear units",
// 2017.
// Errors against double: gelu 3.6e-7, and 40 ULP for x > -2.5, 60 down to -6, where x (1 + erf) / 2 has lost
// all its digits; silu 3.2 ULP; tanh 1.5; gelu_tanh 1.9 for x > 0 and, below, 2 more for each unit of the
// exponent in exp.
#include "tensor/tensor.h"

namespace sqrtdk {

enum class Activation { kRelu, kGelu, kGeluTanh, kSilu, kTanh };

/// x, out: any one shape; out may be x. NaN stays NaN, -inf has its limit. Throws ShapeError.
void activation_forward(Activation activation, const ConstView& x, const View& out);

/// dx = dout * f'(x), with x the forward's input; dx may be dout. The gradient of relu at 0 is 0, and at NaN
/// dout.
void activation_backward(Activation activation, const ConstView& x, const ConstView& dout, const View& dx);

}  // namespace sqrtdk
