#pragma once
// Matrix product, [.., m, k] · [.., k, n] -> [.., m, n].
#include "tensor/tensor.h"

namespace sqrtdk {

enum class Transpose { kNo, kYes };
enum class Write { kOverwrite, kAccumulate };

/// Short blocks keep the rounding error of a float sum small: at 512 x 64, attention's largest error is half
/// of what one long sum gives.
inline constexpr int64_t kSumBlock = 32;

/// out = op(a) · op(b), or out += with kAccumulate. a: [m, k] ([k, m] if transposed); b: [k, n]
/// ([n, k] if transposed); out: [m, n]; leading dimensions are batches and must be equal.
/// Each element is summed over k in order, in blocks of kSumBlock added to each other in order: its bits
/// depend on its row of op(a) and column of op(b) alone. Throws ShapeError.
void matmul(ConstView a, Transpose transpose_a, ConstView b, Transpose transpose_b, View out,
            Write write = Write::kOverwrite);

}  // namespace sqrtdk
