// PyTorch's operators on rows and on elements, with their gradients.
#include <cmath>

#include "conformance/operators.h"
#include "kernels/activation.h"
#include "kernels/cross_entropy.h"
#include "kernels/layer_norm.h"
#include "kernels/softmax.h"

namespace sqrtdk::conformance {
namespace {

std::optional<Floats> optional_input(const Case& reference, const std::string& name) {
  if (const Tensor* tensor = reference.input(name)) return Floats(*tensor);
  return {};
}
ConstView view_of(const std::optional<Floats>& x) { return x ? x->view() : ConstView(); }

using Forward = void (*)(ConstView x, View y);
using Backward = void (*)(ConstView y, ConstView dy, View dx);

void along_axis(const Case& reference, Results& results, Forward forward, Backward backward) {
  const int64_t axis = reference.integer("axis", -1);
  const Floats x = axis_to_last(Floats(reference.required("x")), axis);
  const Floats dy = axis_to_last(Floats(reference.required("grad_y")), axis);
  Floats y(x.shape()), dx(x.shape());
  forward(x.view(), y.view());
  backward(y.view(), dy.view(), dx.view());
  results.add("y", axis_from_last(y, axis));
  results.add("d_x", axis_from_last(dx, axis));
}

// What a norm is taken over, flattened: the parameters' dimensions, or the last `axis` without them.
Shape norm_rows(const Case& reference, const Floats& x) {
  const Tensor* weight = reference.input("weight");
  int64_t n = weight ? size_of(weight->dims) : 1;
  const auto rank = static_cast<int64_t>(x.shape().rank());
  const int64_t axis = positive_axis(reference.integer("axis", -1), rank);
  for (int64_t i = axis; !weight && i < rank; ++i) n *= x.shape()[static_cast<int>(i)];
  return {n > 0 ? x.size() / n : 0, n};
}

Activation activation_of(const std::string& kind) {
  if (kind == "relu") return Activation::kRelu;
  if (kind == "gelu_erf" || kind == "gelu") return Activation::kGelu;
  if (kind == "gelu_tanh") return Activation::kGeluTanh;
  if (kind == "silu") return Activation::kSilu;
  if (kind == "tanh") return Activation::kTanh;
  throw Skip("no " + kind);
}

Reduction reduction_of(const std::string& name) {
  if (name == "none") return Reduction::kNone;
  if (name == "mean") return Reduction::kMean;
  if (name == "sum") return Reduction::kSum;
  throw std::runtime_error("case.json: reduction " + name);
}

}  // namespace

void torch_softmax(Case& reference, Results& results) {
  along_axis(reference, results, softmax_forward, softmax_backward);
}

void torch_log_softmax(Case& reference, Results& results) {
  along_axis(reference, results, log_softmax_forward, log_softmax_backward);
}

// Row i of the Jacobian is the gradient of p_i: that of the unit vector i.
void torch_softmax_jacobian(Case& reference, Results& results) {
  const Floats x(reference.required("x")), v(reference.required("v"));
  const int64_t n = x.size();
  Floats p(x.shape()), log_p(x.shape()), jv(x.shape()), rows({n, n}), jacobian({n, n}, 0);
  softmax_forward(x.view(), p.view());
  log_softmax_forward(x.view(), log_p.view());
  softmax_backward(p.view(), v.view(), jv.view());
  for (int64_t i = 0; i < n; ++i) {
    jacobian[i * n + i] = 1;
    for (int64_t j = 0; j < n; ++j) rows[i * n + j] = p[j];
  }
  softmax_backward(rows.view(), jacobian.view(), jacobian.view());

  double squares = 0, entropy = 0;
  for (const double value : jacobian.doubles()) squares += value * value;
  for (int64_t i = 0; i < n; ++i) entropy -= p[i] > 0 ? static_cast<double>(p[i]) * log_p[i] : 0;
  results.add("p", p), results.add("J", jacobian), results.add("Jv", jv);
  results.add_scalar("frobenius", std::sqrt(squares));
  results.add_scalar("entropy", entropy);
}

void torch_layer_norm(Case& reference, Results& results) {
  Floats x(reference.required("x")), dy(reference.required("grad_y"));
  const Shape shape = x.shape(), rows = norm_rows(reference, x);
  const std::optional<Floats> gain = optional_input(reference, "weight"),
                              bias = optional_input(reference, "bias");
  const auto flat = [&](const std::optional<Floats>& parameter) {
    return parameter ? ConstView(parameter->view().data, {rows[1]}) : ConstView();
  };
  Floats y(rows), row_stats({rows[0], 2}), dx(rows), dgain({rows[1]}, 0), dbias({rows[1]}, 0);
  x.reshape(rows), dy.reshape(rows);
  layer_norm_forward(x.view(), flat(gain), flat(bias), static_cast<float>(reference.number("eps", 1e-5)),
                     y.view(), row_stats.view());
  layer_norm_backward(x.view(), flat(gain), row_stats.view(), dy.view(), dx.view(),
                      gain ? dgain.view() : View(), bias ? dbias.view() : View());
  results.add("y", y.reshape(shape)), results.add("d_x", dx.reshape(shape));
  if (gain) results.add("d_weight", dgain.reshape(gain->shape()));
  if (bias) results.add("d_bias", dbias.reshape(bias->shape()));
}

void torch_rms_norm(Case& reference, Results& results) {
  Floats x(reference.required("x")), dy(reference.required("grad_y"));
  const Shape shape = x.shape(), rows = norm_rows(reference, x);
  std::optional<Floats> gain = optional_input(reference, "weight");
  const Shape gain_shape = gain ? gain->shape() : Shape();
  if (gain) gain->reshape({rows[1]});
  Floats y(rows), row_rrms({rows[0]}), dx(rows), dgain({rows[1]}, 0);
  x.reshape(rows), dy.reshape(rows);
  rms_norm_forward(x.view(), view_of(gain), static_cast<float>(reference.number("eps", 1e-5)), y.view(),
                   row_rrms.view());
  rms_norm_backward(x.view(), view_of(gain), row_rrms.view(), dy.view(), dx.view(),
                    gain ? dgain.view() : View());
  results.add("y", y.reshape(shape)), results.add("d_x", dx.reshape(shape));
  if (gain) results.add("d_weight", dgain.reshape(gain_shape));
}

void torch_activation(Case& reference, Results& results) {
  const Activation activation = activation_of(reference.text("kind", ""));
  const Floats x(reference.required("x")), dy(reference.required("grad_y"));
  Floats y(x.shape()), dx(x.shape());
  activation_forward(activation, x.view(), y.view());
  activation_backward(activation, x.view(), dy.view(), dx.view());
  results.add("y", y), results.add("d_x", dx);
}

// logits: [n_classes], [batch, n_classes] or [batch, n_classes, d1, ..]
void torch_cross_entropy(Case& reference, Results& results) {
  const Tensor& tensor = reference.required("logits");
  const int64_t class_axis = tensor.dims.size() > 1 ? 1 : 0;
  const Floats logits = axis_to_last(Floats(tensor), class_axis);
  const Indices target(reference.required("target"));
  const std::optional<Floats> weight = optional_input(reference, "weight");
  CrossEntropyOptions options;
  options.reduction = reduction_of(reference.text("reduction", "mean"));
  options.label_smoothing = static_cast<float>(reference.number("label_smoothing", 0));
  options.ignore_index = static_cast<int32_t>(reference.integer("ignore_index", -100));
  options.weight = view_of(weight);

  Floats log_probs(logits.shape()), losses(target.shape), dlogits(logits.shape());
  const double loss =
      cross_entropy_forward(logits.view(), target.view(), options, log_probs.view(), losses.view());
  Floats dloss(reference.required("grad_loss"));
  if (options.reduction != Reduction::kNone) dloss.reshape({1});
  cross_entropy_backward(log_probs.view(), target.view(), options, dloss.view(), dlogits.view());
  if (options.reduction == Reduction::kNone)
    results.add("loss", losses);
  else
    results.add_scalar("loss", loss);
  results.add("d_logits", axis_from_last(dlogits, class_axis));
}

}  // namespace sqrtdk::conformance
