#include "base/decimal.h"
#include "kernels/embedding.h"
#include "kernels/half_precision.h"
#include "kernels/product/matmul.h"
#include "kernels/rotary.h"
#include "operators.h"

namespace sqrtdk::border {
namespace {

Transpose transpose(Arguments& given) { return given.flag() ? Transpose::kYes : Transpose::kNo; }

void product(Arguments& given) {
  const ConstView a = given.input(), b = given.input(), bias = given.input();
  const View out = given.output();
  const Transpose transpose_a = transpose(given), transpose_b = transpose(given);
  matmul(a, transpose_a, b, transpose_b, out, Write::kOverwrite, bias);
}

void packed_floats(Arguments& given) {
  const int64_t k = given.integer(), n = given.integer();
  set_answer(to_general(static_cast<double>(packed_size(k, n)), 17));
}

void pack(Arguments& given) {
  const ConstView b = given.input();
  const View packed = given.output();
  pack_matrix(b, transpose(given), packed.data);
}

void product_packed(Arguments& given) {
  const ConstView a = given.input(), packed = given.input(), bias = given.input();
  const View out = given.output();
  const int64_t k = given.integer(), n = given.integer();
  matmul_packed(a, {packed.data, k, n}, out, Write::kOverwrite, bias);
}

void rounded(Arguments& given) {
  const ConstView x = given.input();
  const View out = given.output();
  round_to(given.choice<Format>(), x, out);
}

void product_in_format(Arguments& given) {
  const ConstView a = given.input(), b = given.input();
  const View out = given.output();
  const Transpose transpose_a = transpose(given), transpose_b = transpose(given);
  const auto format = given.choice<Format>(), accumulate = given.choice<Format>();
  matmul_in_format(a, transpose_a, b, transpose_b, format, accumulate, out);
}

void lookup(Arguments& given) {
  const ConstView table = given.input();
  const IndexView ids = given.indices();
  embedding_forward(table, ids, given.output());
}

void lookup_backward(Arguments& given) {
  const IndexView ids = given.indices();
  const ConstView dout = given.input();
  embedding_backward(ids, dout, given.output());
}

void angles(Arguments& given) {
  const double base = given.number();
  const View cos = given.output();
  rotary_table(base, cos, given.output());
}

template <void (*kernel)(ConstView, ConstView, ConstView, IndexView, RotaryPairs, View)>
void rotate(Arguments& given) {
  const ConstView x = given.input(), cos = given.input(), sin = given.input();
  const IndexView positions = given.indices();
  const auto pairs = given.choice<RotaryPairs>();
  kernel(x, cos, sin, positions, pairs, given.output());
}

}  // namespace

std::span<const Operator> matrix_operators() {
  static constexpr Operator kOperators[] = {
      {"matmul", &call<product>},
      {"packed_size", &call<packed_floats>},
      {"pack_matrix", &call<pack>},
      {"matmul_packed", &call<product_packed>},
      {"round_to", &call<rounded>},
      {"matmul_in_format", &call<product_in_format>},
      {"embedding_forward", &call<lookup>},
      {"embedding_backward", &call<lookup_backward>},
      {"rotary_table", &call<angles>},
      {"rotary_forward", &call<rotate<rotary_forward>>},
      {"rotary_backward", &call<rotate<rotary_backward>>},
  };
  return kOperators;
}

}  // namespace sqrtdk::border
