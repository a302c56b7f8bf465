#pragma once
// Matrix product, [.., m, k] · [.., k, n] -> [.., m, n].
#include "tensor/tensor.h"

namespace sqrtdk {

enum class Transpose { kNo, kYes };
enum class Write { kOverwrite, kAccumulate };

/// Each element is summed over k in order, in blocks of this many added to each other in order. Short blocks
/// keep the rounding error of a float sum small.
inline constexpr int64_t kSumBlock = 32;

/// out = op(a) · op(b) + bias, or out += with kAccumulate. a: [m, k] ([k, m] if transposed); b: [k, n]
/// ([n, k] if transposed); out: [m, n]; leading dimensions are batches: those of a and b are equal, or b has
/// none and serves all. bias: [n], added to every row after the sum, or empty. The bits of an element depend
/// on its row of op(a), its column of op(b) and its bias alone. Throws ShapeError.
void matmul(const ConstView& a, Transpose transpose_a, const ConstView& b, Transpose transpose_b,
            const View& out, Write write = Write::kOverwrite, const ConstView& bias = {});

/// A right operand rearranged once for many products: a layer's weights.
struct PackedMatrix {
  const float* data;
  int64_t k, n;
};

/// Floats that pack_matrix writes for op(b) [k, n].
int64_t packed_size(int64_t k, int64_t n);

/// Rearranges op(b) into `packed` (packed_size floats), which must outlive the result. b: [k, n], or [n, k]
/// if transposed. Throws ShapeError.
PackedMatrix pack_matrix(const ConstView& b, Transpose transpose_b, float* packed);

/// Bit-identical to matmul with the matrix that was packed. a: [.., m, k], out: [.., m, n].
void matmul_packed(const ConstView& a, const PackedMatrix& b, const View& out,
                   Write write = Write::kOverwrite, const ConstView& bias = {});

}  // namespace sqrtdk
