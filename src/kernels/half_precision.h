#pragma once
// 16-bit number formats in software: IEEE binary16 (fp16) and bfloat16 (bf16). Values stay in floats.
#include "kernels/product/matmul.h"
#include "tensor/half.h"

namespace sqrtdk {

enum class Format { kF32, kF16, kBf16 };

/// Each element rounded to the format, to nearest even; out may be x. Throws ShapeError.
void round_to(Format format, ConstView x, View out);

/// out = op(a) · op(b) with a and b rounded to `format` first, each product exact, and the running sum over
/// k, in order, rounded to `accumulate` after every addition (kF32: as plain float additions in order). out
/// holds the sums unrounded otherwise. Shapes as in matmul. Throws ShapeError.
void matmul_in_format(ConstView a, Transpose transpose_a, ConstView b, Transpose transpose_b, Format format,
                      Format accumulate, View out);

}  // namespace sqrtdk
