#include "kernels/embedding.h"
#include "kernels/half_precision.h"
#include "kernels/product/matmul.h"
#include "kernels/rotary.h"
#include "layers/positional_encoding.h"
#include "operators.h"

namespace sqrtdk::border {
namespace {

Transpose transpose(bool yes) { return yes ? Transpose::kYes : Transpose::kNo; }

void product(const ConstView& a, const ConstView& b, const ConstView& bias, const View& out, bool transpose_a,
             bool transpose_b) {
  matmul(a, transpose(transpose_a), b, transpose(transpose_b), out, Write::kOverwrite, bias);
}

double packed_floats(int64_t k, int64_t n) { return static_cast<double>(packed_size(k, n)); }

void pack(const ConstView& b, const View& packed, bool transpose_b) {
  pack_matrix(b, transpose(transpose_b), packed.data);
}

void product_packed(const ConstView& a, const ConstView& packed, const ConstView& bias, const View& out,
                    int64_t k, int64_t n) {
  matmul_packed(a, {packed.data, k, n}, out, Write::kOverwrite, bias);
}

void product_in_format(const ConstView& a, const ConstView& b, const View& out, bool transpose_a,
                       bool transpose_b, Format format, Format accumulate) {
  matmul_in_format(a, transpose(transpose_a), b, transpose(transpose_b), format, accumulate, out);
}

}  // namespace

std::span<const Operator> matrix_operators() {
  static constexpr Operator kOperators[] = {
      op<product>("matmul", "a b bias? out transpose_a transpose_b"),
      op<packed_floats>("packed_size", "k n"),
      op<pack>("pack_matrix", "b packed transpose_b"),
      op<product_packed>("matmul_packed", "a packed bias? out k n"),
      op<round_to>("round_to", "format x out"),
      op<product_in_format>("matmul_in_format", "a b out transpose_a transpose_b format accumulate"),
      op<embedding_forward>("embedding_forward", "table ids out"),
      op<embedding_backward>("embedding_backward", "ids dout dtable"),
      op<sinusoidal_encoding>("positional_encoding", "out base"),
      op<rotary_table>("rotary_table", "base cos sin"),
      op<rotary_forward>("rotary_forward", "x cos sin positions? pairs out"),
      op<rotary_backward>("rotary_backward", "dout cos sin positions? pairs dx"),
  };
  return kOperators;
}

}  // namespace sqrtdk::border
