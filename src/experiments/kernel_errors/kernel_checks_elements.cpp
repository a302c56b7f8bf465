#include <cmath>

#include "experiments/kernel_errors/kernel_checks.h"
#include "kernels/activation.h"
#include "lab/double_reference.h"
#include "simd/math.h"

namespace sqrtdk {
namespace {

using exact::Doubles;

Tensor numbers(const KernelInputs& inputs, float spread) {
  Tensor x = inputs.normal(1, {inputs.n, inputs.d});
  for (float& each : x.values) each *= spread;
  return x;
}

/// A float function beside its value in double.
template <class Function, class Expected>
void check(const Tensor& x, KernelErrors& errors, Function function, Expected expected) {
  Tensor got(x.shape);
  Doubles values;
  for (size_t i = 0; i < x.values.size(); ++i) {
    got.values[i] = function(x.values[i]);
    values.push_back(expected(static_cast<double>(x.values[i])));
  }
  errors.add(got, values);
}

void check_exp(const KernelInputs& inputs, KernelErrors& errors) {
  check(
      numbers(inputs, 8), errors, [](float x) { return simd::exp(x); },
      [](double x) { return simd::exp(x); });
}

void check_log(const KernelInputs& inputs, KernelErrors& errors) {
  Tensor x = numbers(inputs, 8);
  for (float& each : x.values) each = simd::exp(each);
  check(
      x, errors, [](float x) { return simd::log(x); }, [](double x) { return simd::log(x); });
}

void check_tanh(const KernelInputs& inputs, KernelErrors& errors) {
  check(
      numbers(inputs, 2), errors, [](float x) { return simd::tanh(x); },
      [](double x) { return exact::tanh(x); });
}

void check_erf(const KernelInputs& inputs, KernelErrors& errors) {
  Tensor x = numbers(inputs, 1);
  for (float& each : x.values) each = std::fmod(each, 2.0f);
  check(
      x, errors, [](float x) { return simd::erf(x); }, [](double x) { return exact::erf(x); });
}

struct Value {
  double f, slope;
};
using Formula = Value (*)(double x);

constexpr double kInverseRoot2 = 0.7071067811865476, kInverseRoot2Pi = 0.3989422804014327;

Value gelu(double x) {
  const double below = (1 + exact::erf(x * kInverseRoot2)) / 2;
  return {x * below, below + x * kInverseRoot2Pi * simd::exp(-x * x / 2)};
}
Value gelu_tanh(double x) {
  constexpr double root = 2 * kInverseRoot2Pi;  // √(2/π)
  const double t = exact::tanh(root * (x + 0.044715 * x * x * x));
  return {x * (1 + t) / 2, (1 + t) / 2 + x * (1 - t * t) * root * (1 + 3 * 0.044715 * x * x) / 2};
}
Value silu(double x) {
  const double s = 1 / (1 + simd::exp(-x));
  return {x * s, s * (1 + x * (1 - s))};
}
Value relu(double x) { return {x > 0 ? x : 0, x > 0 ? 1.0 : 0.0}; }

template <Activation activation, Formula formula>
void forward(const KernelInputs& inputs, KernelErrors& errors) {
  const Tensor x = numbers(inputs, 1);
  Tensor out(x.shape);
  Doubles expected;
  for (const float each : x.values) expected.push_back(formula(static_cast<double>(each)).f);
  activation_forward(activation, x.view(), out.view());
  errors.add(out, expected);
}

template <Activation activation, Formula formula>
void backward(const KernelInputs& inputs, KernelErrors& errors) {
  const Tensor x = numbers(inputs, 1), dout = inputs.normal(2, x.shape);
  Tensor dx(x.shape);
  Doubles expected;
  for (size_t i = 0; i < x.values.size(); ++i) {
    expected.push_back(static_cast<double>(dout.values[i]) * formula(static_cast<double>(x.values[i])).slope);
  }
  activation_backward(activation, x.view(), dout.view(), dx.view());
  errors.add(dx, expected);
}

constexpr KernelCheck kChecks[] = {
    {"exp", Pass::kForward, true, 1, check_exp},
    {"log", Pass::kForward, true, 1, check_log},
    {"tanh", Pass::kForward, true, 1.5, check_tanh},
    {"erf", Pass::kForward, true, 1.5, check_erf},
    {"relu", Pass::kForward, false, 0, forward<Activation::kRelu, relu>},
    {"relu", Pass::kBackward, false, 0, backward<Activation::kRelu, relu>},
    {"gelu", Pass::kForward, false, 4e-7, forward<Activation::kGelu, gelu>},
    {"gelu", Pass::kBackward, false, 4e-7, backward<Activation::kGelu, gelu>},
    {"gelu_tanh", Pass::kForward, false, 2e-7, forward<Activation::kGeluTanh, gelu_tanh>},
    {"gelu_tanh", Pass::kBackward, false, 3e-7, backward<Activation::kGeluTanh, gelu_tanh>},
    {"silu", Pass::kForward, false, 2e-7, forward<Activation::kSilu, silu>},
    {"silu", Pass::kBackward, false, 3e-7, backward<Activation::kSilu, silu>},
};

}  // namespace

std::span<const KernelCheck> element_checks() { return kChecks; }

}  // namespace sqrtdk
