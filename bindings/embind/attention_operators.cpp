#include "base/decimal.h"
#include "kernels/attention/additive_attention.h"
#include "kernels/attention/attention.h"
#include "kernels/attention/cosine_attention.h"
#include "kernels/attention/tiled_attention.h"
#include "operators.h"

namespace sqrtdk::border {
namespace {

struct Inputs {
  ConstView q, k, v;
  explicit Inputs(Arguments& given) : q(given.input()), k(given.input()), v(given.input()) {}
};

void forward(Arguments& given) {
  const Inputs in(given);
  const AttentionOptions options = given.attention_options();
  const View scores = given.output(), weights = given.output(), out = given.output();
  attention_forward(in.q, in.k, in.v, options, scores, weights, out);
}

void backward(Arguments& given) {
  const Inputs in(given);
  const AttentionOptions options = given.attention_options();
  const ConstView scores = given.input(), weights = given.input(), dout = given.input();
  const View dscores = given.output();
  const View dq = given.output(), dk = given.output(), dv = given.output();
  attention_backward(in.q, in.k, in.v, options, scores, weights, dout, dscores, dq, dk, dv);
}

void tiled_forward(Arguments& given) {
  const Inputs in(given);
  const AttentionOptions options = given.attention_options();
  const View out = given.output(), row_stats = given.output();
  Arena scratch(tiled_attention_forward_scratch(in.q, in.k, in.v));
  tiled_attention_forward(in.q, in.k, in.v, options, out, row_stats, scratch);
}

void tiled_backward(Arguments& given) {
  const Inputs in(given);
  const AttentionOptions options = given.attention_options();
  const ConstView row_stats = given.input(), dout = given.input();
  const View dq = given.output(), dk = given.output(), dv = given.output();
  Arena scratch(tiled_attention_backward_scratch(in.q, in.k, in.v));
  tiled_attention_backward(in.q, in.k, in.v, options, row_stats, dout, dq, dk, dv, scratch);
}

void append(Arguments& given) {
  const ConstView past = given.input(), x = given.input();
  append_rows(past, x, given.output());
}

AdditiveParameters additive_parameters(Arguments& given) {
  const ConstView w_q = given.input(), w_k = given.input(), v = given.input();
  return {w_q, w_k, v, given.input()};
}

void additive_forward(Arguments& given) {
  const Inputs in(given);
  const AdditiveParameters parameters = additive_parameters(given);
  const MaskView mask = given.mask();
  const auto form = given.choice<AdditiveForm>();
  const View scores = given.output(), weights = given.output(), out = given.output();
  Arena scratch(additive_attention_scratch(in.q, in.k, parameters));
  additive_attention_forward(form, in.q, in.k, in.v, parameters, mask, scores, weights, out, scratch);
}

void additive_backward(Arguments& given) {
  const Inputs in(given);
  const AdditiveParameters parameters = additive_parameters(given);
  const MaskView mask = given.mask();
  const ConstView weights = given.input(), dout = given.input();
  const View dscores = given.output(), dq = given.output(), dk = given.output(), dvalues = given.output();
  const View dw_q = given.output(), dw_k = given.output(), dv = given.output();
  const AdditiveGradients gradients{dw_q, dw_k, dv, given.output()};
  Arena scratch(additive_attention_scratch(in.q, in.k, parameters));
  additive_attention_backward(in.q, in.k, in.v, parameters, mask, weights, dout, dscores, dq, dk, dvalues,
                              gradients, scratch);
}

void cosine_forward(Arguments& given) {
  const Inputs in(given);
  const float tau = given.real();
  const MaskView mask = given.mask();
  const View scores = given.output(), weights = given.output(), out = given.output();
  Arena scratch(cosine_attention_scratch(in.q, in.k));
  cosine_attention_forward(in.q, in.k, in.v, tau, mask, scores, weights, out, scratch);
}

void cosine_backward(Arguments& given) {
  const Inputs in(given);
  const float tau = given.real();
  const MaskView mask = given.mask();
  const ConstView weights = given.input(), dout = given.input();
  const View dscores = given.output(), dq = given.output(), dk = given.output(), dv = given.output();
  Arena scratch(cosine_attention_scratch(in.q, in.k));
  set_answer(to_general(
      cosine_attention_backward(in.q, in.k, in.v, tau, mask, weights, dout, dscores, dq, dk, dv, scratch),
      17));
}

}  // namespace

std::span<const Operator> attention_operators() {
  static constexpr Operator kOperators[] = {
      {"attention_forward", &call<forward>},
      {"attention_backward", &call<backward>},
      {"tiled_attention_forward", &call<tiled_forward>},
      {"tiled_attention_backward", &call<tiled_backward>},
      {"append_rows", &call<append>},
      {"additive_attention_forward", &call<additive_forward>},
      {"additive_attention_backward", &call<additive_backward>},
      {"cosine_attention_forward", &call<cosine_forward>},
      {"cosine_attention_backward", &call<cosine_backward>},
  };
  return kOperators;
}

}  // namespace sqrtdk::border
