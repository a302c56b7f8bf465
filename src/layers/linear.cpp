#include "layers/linear.h"

#include <utility>

#include "base/decimal.h"
#include "base/errors.h"
#include "kernels/product/column_sums.h"

namespace sqrtdk {
namespace {

// [.., n] as [rows, n].
template <class T>
BasicView<T> flat(BasicView<T> x) {
  return {x.data, {x.shape.leading(1), x.shape[-1]}};
}

// `count` rows of a matrix, or elements of a vector, from `first` on.
template <class T>
BasicView<T> part(BasicView<T> x, int64_t first, int64_t count) {
  if (x.shape.rank() == 1) return {x.data + first, {count}};
  return {x.data + first * x.shape[1], {count, x.shape[1]}};
}

void check_part(const char* argument, const Shape& shape, int64_t first, int64_t count) {
  const int64_t rows = shape[0];
  if (first < 0 || first > rows) throw_out_of_range("linear", argument, 0, rows, first);
  if (count < 0 || count > rows - first) throw_out_of_range("linear", "n_out", 0, rows - first, count);
}

}  // namespace

Linear::Linear(Parameters& parameters, const std::string& name, int64_t n_in, int64_t n_out, bool bias)
    : Linear(parameters, name,
             {parameters.add(inside(name, "weight"), {n_out, n_in}, ParameterRole::kWeight), 0}, {}, n_out) {
  if (bias) bias_.parameter = parameters.add(inside(name, "bias"), {n_out}, ParameterRole::kBias, n_in);
}

Linear::Linear(Parameters& parameters, const std::string& name, Rows weight, Rows bias, int64_t n_out)
    : parameters_(&parameters),
      x_(inside(name, "x")),
      out_(inside(name, "out")),
      dx_(inside(name, "dx")),
      weight_(weight),
      bias_(bias),
      n_out_(n_out) {
  const Shape& shape = parameters.shape(weight.parameter);
  if (shape.rank() != 2) throw_wrong_shape("linear", "weight", "(n_out, n_in)", shape);
  check_part("weight", shape, weight.first, n_out);
  n_in_ = shape[1];
  if (bias.parameter >= 0) {
    const Shape& bias_shape = parameters.shape(bias.parameter);
    if (bias_shape.rank() != 1) throw_wrong_shape("linear", "bias", "(n_out,)", bias_shape);
    check_part("bias", bias_shape, bias.first, n_out);
  }
  matrix_ = parameters.add_matrix(weight.parameter, weight.first, n_out);
}

ConstView Linear::weights() const {
  return part(std::as_const(*parameters_).value(weight_.parameter), weight_.first, n_out_);
}

View Linear::forward(ConstView x, Cache& cache) const {
  if (x.shape.rank() < 1 || x.shape[-1] != n_in_) {
    throw_wrong_shape("linear", "x", "(.., " + to_text(n_in_) + ")", x.shape);
  }
  const Parameters& parameters = *parameters_;
  const ConstView w = weights();
  ConstView b;
  if (bias_.parameter >= 0) b = part(parameters.value(bias_.parameter), bias_.first, n_out_);
  cache.keep(x_, x);
  const View out = cache.make(out_, x.shape.first(x.shape.rank() - 1, n_out_));
  if (const PackedWeights* packed = parameters.packed(matrix_)) {
    matmul_weights(flat(x), *packed, flat(out), b);
  } else {
    matmul(flat(x), Transpose::kNo, w, Transpose::kYes, flat(out), Write::kOverwrite, b);
  }
  return out;
}

View Linear::backward(ConstView dout, Cache& cache) const {
  const ConstView x = cache.kept(x_);
  check_shape("linear_backward", "dout", dout.shape, x.shape.first(x.shape.rank() - 1, n_out_));
  // Forward: out = x wᵀ + b, so dw += doutᵀ x, db += the sum of dout's rows, dx = dout w.
  const ConstView w = weights();
  const View dw = part(parameters_->gradient(weight_.parameter), weight_.first, n_out_);
  const View dx = cache.make(dx_, x.shape);
  matmul(flat(dout), Transpose::kYes, flat(x), Transpose::kNo, dw, Write::kAccumulate);
  if (bias_.parameter >= 0) {
    add_column_sums(dout, part(parameters_->gradient(bias_.parameter), bias_.first, n_out_));
  }
  matmul(flat(dout), Transpose::kNo, w, Transpose::kNo, flat(dx));
  return dx;
}

}  // namespace sqrtdk
