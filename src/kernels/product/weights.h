#pragma once
// Right operands that are kept for many products, in as many bits as one likes. A product with one row or a
// few, as of a decoded token, takes as long as reading the matrix does.
#include "base/fields.h"
#include "kernels/product/matmul.h"

namespace sqrtdk {

/// How a matrix keeps its numbers: as they are; rounded to bfloat16; or as int8 and a scale for each column
/// of op(b), b ≈ scale · round(b / scale) with scale = max |b| / 127.
enum class WeightFormat { kF32, kBf16, kInt8 };
template <>
struct Choices<WeightFormat> {
  static constexpr const char* kNames[] = {"f32", "bf16", "int8"};
};

struct PackedWeights {
  PackedMatrix matrix;  // its numbers are floats in kF32 alone
  WeightFormat format;
};

/// Floats that pack_weights writes for op(b) [k, n].
int64_t weights_size(int64_t k, int64_t n, WeightFormat format);

/// Rearranges op(b) into `packed` (weights_size floats), which must outlive the result. b: [k, n], or [n, k]
/// if transposed. In kInt8 a column with NaN or infinity is NaN. Throws ShapeError.
PackedWeights pack_weights(const ConstView& b, Transpose transpose_b, WeightFormat format, float* packed);

/// out = a · b + bias. a: [.., m, k], out: [.., m, n], bias: [n] or empty. In kF32 bit-identical to matmul,
/// in kBf16 to matmul with the rounded matrix. In kInt8 each sum of a · round(b / scale), of the same order,
/// is multiplied by its column's scale before the bias is added. The error of an element is at most 2^-8 Σ
/// |a| |b| in kBf16 and max |b[:, j]| / 254 · Σ |a| in kInt8, beyond rounding. Throws ShapeError.
void matmul_weights(const ConstView& a, const PackedWeights& b, const View& out, const ConstView& bias = {});

}  // namespace sqrtdk
