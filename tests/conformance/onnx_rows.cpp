// ONNX operators on rows and on elements.
#include "conformance/operators.h"
#include "kernels/activation.h"
#include "kernels/layer_norm.h"
#include "kernels/softmax.h"

namespace sqrtdk::conformance {
namespace {

using RowFunction = void (*)(ConstView, View);

void along_axis(const Case& reference, Results& results, RowFunction row_function) {
  const Floats x(reference.required(0));
  const int64_t axis = reference.integer("axis", -1);
  Floats rows = axis_to_last(x, axis);
  row_function(rows.view(), rows.view());
  results.add(0, axis_from_last(rows, axis));
}

// x as rows of all that lies from `axis` on.
struct NormRows {
  NormRows(const Tensor& tensor, int64_t axis) : x(tensor) {
    const auto rank = static_cast<int64_t>(tensor.dims.size());
    axis = positive_axis(axis, rank);
    const std::vector<int64_t> inner(tensor.dims.begin() + axis, tensor.dims.end());
    std::vector<int64_t> outer(tensor.dims.begin(), tensor.dims.begin() + axis);
    n = size_of(inner), n_rows = size_of(outer);
    normalized = shape_of(inner);
    outer.resize(static_cast<size_t>(rank), 1);
    stats = shape_of(outer);
    x.reshape({n_rows, n});
  }
  // A parameter as [n]; null where there is none.
  std::optional<Floats> parameter(const Tensor* tensor) const {
    if (!tensor) return {};
    Floats all = broadcast(Floats(*tensor), normalized);
    return all.reshape({n});
  }
  Floats x;
  int64_t n, n_rows;
  Shape normalized, stats;
};

ConstView view_of(const std::optional<Floats>& x) { return x ? x->view() : ConstView(); }

// Column `column` of [rows, 2].
Floats column(const Floats& row_stats, int64_t column, const Shape& shape) {
  Floats out(shape);
  for (int64_t i = 0; i < out.size(); ++i) out[i] = row_stats[2 * i + column];
  return out;
}

// x / (1 + exp(-alpha x)) = silu(alpha x) / alpha
Floats swish(const Floats& x, float alpha) {
  Floats out = x;
  if (alpha == 0) throw Skip("alpha = 0");
  for (int64_t i = 0; i < x.size(); ++i) out[i] = alpha * x[i];
  activation_forward(Activation::kSilu, out.view(), out.view());
  for (int64_t i = 0; i < x.size(); ++i) out[i] /= alpha;
  return out;
}

}  // namespace

void onnx_softmax(Case& reference, Results& results) { along_axis(reference, results, softmax_forward); }

void onnx_log_softmax(Case& reference, Results& results) {
  along_axis(reference, results, log_softmax_forward);
}

void onnx_layer_norm(Case& reference, Results& results) {
  const Tensor& x = reference.required(0);
  const NormRows rows(x, reference.integer("axis", -1));
  const std::optional<Floats> gain = rows.parameter(reference.input(1)),
                              bias = rows.parameter(reference.input(2));
  Floats out(rows.x.shape()), row_stats({rows.n_rows, 2});
  layer_norm_forward(rows.x.view(), view_of(gain), view_of(bias),
                     static_cast<float>(reference.number("epsilon", 1e-5)), out.view(), row_stats.view());
  results.add(0, out.reshape(shape_of(x.dims)));
  results.add(1, column(row_stats, 0, rows.stats));
  results.add(2, column(row_stats, 1, rows.stats));
}

void onnx_rms_norm(Case& reference, Results& results) {
  const Tensor& x = reference.required(0);
  const NormRows rows(x, reference.integer("axis", -1));
  const std::optional<Floats> gain = rows.parameter(reference.input(1));
  Floats out(rows.x.shape());
  rms_norm_forward(rows.x.view(), view_of(gain), static_cast<float>(reference.number("epsilon", 1e-5)),
                   out.view(), {});
  results.add(0, out.reshape(shape_of(x.dims)));
}

void onnx_gelu(Case& reference, Results& results) {
  const Floats x(reference.required(0));
  Floats out(x.shape());
  const std::string approximate = reference.text("approximate", "none");
  if (approximate != "none" && approximate != "tanh") throw Skip("approximate = " + approximate);
  activation_forward(approximate == "tanh" ? Activation::kGeluTanh : Activation::kGelu, x.view(), out.view());
  results.add(0, out);
}

void onnx_swish(Case& reference, Results& results) {
  results.add(0, swish(Floats(reference.required(0)), static_cast<float>(reference.number("alpha", 1))));
}

void onnx_swiglu(Case& reference, Results& results) {
  Floats out = swish(Floats(reference.required(0)), static_cast<float>(reference.number("alpha", 1)));
  const Floats b(reference.required(1));
  if (!(b.shape() == out.shape())) throw std::runtime_error("the inputs differ in shape");
  for (int64_t i = 0; i < out.size(); ++i) out[i] *= b[i];
  results.add(0, out);
}

}  // namespace sqrtdk::conformance
