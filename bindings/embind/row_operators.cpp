#include "base/decimal.h"
#include "kernels/activation.h"
#include "kernels/cross_entropy.h"
#include "kernels/dropout.h"
#include "kernels/layer_norm.h"
#include "kernels/softmax.h"
#include "operators.h"
#include "tensor/random.h"
#include "tensor/torch_generator.h"

namespace sqrtdk::border {
namespace {

template <void (*kernel)(ConstView, View)>
void one_input(Arguments& given) {
  const ConstView x = given.input();
  kernel(x, given.output());
}

template <void (*kernel)(ConstView, ConstView, View)>
void two_inputs(Arguments& given) {
  const ConstView x = given.input(), y = given.input();
  kernel(x, y, given.output());
}

void activate(Arguments& given) {
  const auto activation = given.choice<Activation>();
  const ConstView x = given.input();
  activation_forward(activation, x, given.output());
}

void activate_backward(Arguments& given) {
  const auto activation = given.choice<Activation>();
  const ConstView x = given.input(), dout = given.input();
  activation_backward(activation, x, dout, given.output());
}

void layer_norm(Arguments& given) {
  const ConstView x = given.input(), gain = given.input(), bias = given.input();
  const float epsilon = given.real();
  const View out = given.output();
  layer_norm_forward(x, gain, bias, epsilon, out, given.output());
}

void layer_norm_gradients(Arguments& given) {
  const ConstView x = given.input(), gain = given.input(), row_stats = given.input(), dout = given.input();
  const View dx = given.output(), dgain = given.output();
  layer_norm_backward(x, gain, row_stats, dout, dx, dgain, given.output());
}

void rms_norm(Arguments& given) {
  const ConstView x = given.input(), gain = given.input();
  const float epsilon = given.real();
  const View out = given.output();
  rms_norm_forward(x, gain, epsilon, out, given.output());
}

void rms_norm_gradients(Arguments& given) {
  const ConstView x = given.input(), gain = given.input(), row_rrms = given.input(), dout = given.input();
  const View dx = given.output();
  rms_norm_backward(x, gain, row_rrms, dout, dx, given.output());
}

CrossEntropyOptions cross_entropy_options(Arguments& given) {
  CrossEntropyOptions options;
  options.reduction = given.choice<Reduction>();
  options.label_smoothing = given.real();
  options.ignore_index = static_cast<int32_t>(given.number());
  options.weight = given.input();
  return options;
}

void loss(Arguments& given) {
  const ConstView logits = given.input();
  const IndexView target = given.indices();
  const CrossEntropyOptions options = cross_entropy_options(given);
  const View log_probs = given.output();
  set_answer(to_general(cross_entropy_forward(logits, target, options, log_probs, given.output()), 17));
}

void loss_backward(Arguments& given) {
  const ConstView log_probs = given.input();
  const IndexView target = given.indices();
  const CrossEntropyOptions options = cross_entropy_options(given);
  const ConstView dloss = given.input();
  cross_entropy_backward(log_probs, target, options, dloss, given.output());
}

template <void (*kernel)(ConstView, float, DropoutKey, View)>
void drop(Arguments& given) {
  const ConstView x = given.input();
  const float probability = given.real();
  const uint64_t seed = given.words();
  const DropoutKey key{seed, static_cast<uint64_t>(given.number())};
  kernel(x, probability, key, given.output());
}

void philox(Arguments& given) {
  const View out = given.output();
  const auto fill = given.flag() ? philox_normal : philox_uniform;
  const uint64_t seed = given.words();
  fill(seed, static_cast<uint64_t>(given.number()), 0, out.data, out.shape.size());
}

void torch(Arguments& given) {
  const View out = given.output();
  const bool normal = given.flag();
  TorchGenerator generator(given.words());
  if (normal) {
    generator.randn(out.data, out.shape.size());
  } else {
    generator.rand(out.data, out.shape.size());
  }
}

}  // namespace

std::span<const Operator> row_operators() {
  static constexpr Operator kOperators[] = {
      {"softmax_forward", &call<one_input<softmax_forward>>},
      {"softmax_backward", &call<two_inputs<softmax_backward>>},
      {"log_softmax_forward", &call<one_input<log_softmax_forward>>},
      {"log_softmax_backward", &call<two_inputs<log_softmax_backward>>},
      {"activation_forward", &call<activate>},
      {"activation_backward", &call<activate_backward>},
      {"layer_norm_forward", &call<layer_norm>},
      {"layer_norm_backward", &call<layer_norm_gradients>},
      {"rms_norm_forward", &call<rms_norm>},
      {"rms_norm_backward", &call<rms_norm_gradients>},
      {"cross_entropy_forward", &call<loss>},
      {"cross_entropy_backward", &call<loss_backward>},
      {"dropout_forward", &call<drop<dropout_forward>>},
      {"dropout_backward", &call<drop<dropout_backward>>},
      {"philox", &call<philox>},
      {"torch", &call<torch>},
  };
  return kOperators;
}

}  // namespace sqrtdk::border
