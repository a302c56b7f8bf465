#include "kernels/attention/additive_attention.h"
#include "kernels/attention/attention.h"
#include "kernels/attention/cosine_attention.h"
#include "kernels/attention/tiled_attention.h"
#include "operators.h"

namespace sqrtdk::border {
namespace {

constexpr const char* kForward = "attention";
constexpr const char* kBackward = "attention_backward";

void forward(ConstView q, ConstView k, ConstView v, const AttentionArguments& options, View scores,
             View weights, View out) {
  attention_forward(q, k, v, options.at(kForward, q), scores, weights, out);
}

void backward(ConstView q, ConstView k, ConstView v, const AttentionArguments& options, ConstView scores,
              ConstView weights, ConstView dout, View dscores, View dq, View dk, View dv) {
  attention_backward(q, k, v, options.at(kBackward, q), scores, weights, dout, dscores, dq, dk, dv);
}

void tiled_forward(ConstView q, ConstView k, ConstView v, const AttentionArguments& options, View out,
                   View row_stats) {
  const AttentionOptions resolved = options.at(kForward, q);
  Arena scratch(tiled_attention_forward_scratch(q, k, v));
  tiled_attention_forward(q, k, v, resolved, out, row_stats, scratch);
}

void tiled_backward(ConstView q, ConstView k, ConstView v, const AttentionArguments& options,
                    ConstView row_stats, ConstView dout, View dq, View dk, View dv) {
  const AttentionOptions resolved = options.at(kBackward, q);
  Arena scratch(tiled_attention_backward_scratch(q, k, v));
  tiled_attention_backward(q, k, v, resolved, row_stats, dout, dq, dk, dv, scratch);
}

void additive_forward(ConstView q, ConstView k, ConstView values, ConstView w_q, ConstView w_k, ConstView v,
                      ConstView b, MaskView mask, AdditiveForm form, View scores, View weights, View out) {
  const AdditiveParameters parameters{w_q, w_k, v, b};
  Arena scratch(additive_attention_scratch(q, k, parameters));
  additive_attention_forward(form, q, k, values, parameters, mask, scores, weights, out, scratch);
}

void additive_backward(ConstView q, ConstView k, ConstView values, ConstView w_q, ConstView w_k, ConstView v,
                       ConstView b, MaskView mask, ConstView weights, ConstView dout, View dscores, View dq,
                       View dk, View dvalues, View dw_q, View dw_k, View dv, View db) {
  const AdditiveParameters parameters{w_q, w_k, v, b};
  Arena scratch(additive_attention_scratch(q, k, parameters));
  additive_attention_backward(q, k, values, parameters, mask, weights, dout, dscores, dq, dk, dvalues,
                              {dw_q, dw_k, dv, db}, scratch);
}

void cosine_forward(ConstView q, ConstView k, ConstView v, float tau, MaskView mask, View scores,
                    View weights, View out) {
  Arena scratch(cosine_attention_scratch(q, k));
  cosine_attention_forward(q, k, v, tau, mask, scores, weights, out, scratch);
}

double cosine_backward(ConstView q, ConstView k, ConstView v, float tau, MaskView mask, ConstView weights,
                       ConstView dout, View dscores, View dq, View dk, View dv) {
  Arena scratch(cosine_attention_scratch(q, k));
  return cosine_attention_backward(q, k, v, tau, mask, weights, dout, dscores, dq, dk, dv, scratch);
}

}  // namespace

std::span<const Operator> attention_operators() {
  static constexpr Operator kOperators[] = {
      op<forward>("attention_forward", "q k v options scores weights out"),
      op<backward>("attention_backward", "q k v options scores weights dout dscores dq dk dv"),
      op<tiled_forward>("tiled_attention_forward", "q k v options out row_stats?"),
      op<tiled_backward>("tiled_attention_backward", "q k v options row_stats dout dq dk dv"),
      op<append_rows>("append_rows", "past x present"),
      op<additive_forward>("additive_attention_forward",
                           "q k values w_q w_k v b? mask? form scores weights out"),
      op<additive_backward>(
          "additive_attention_backward",
          "q k values w_q w_k v b? mask? weights dout dscores dq dk dvalues dw_q dw_k dv db"),
      op<cosine_forward>("cosine_attention_forward", "q k v tau mask? scores weights out"),
      op<cosine_backward>("cosine_attention_backward", "q k v tau mask? weights dout dscores dq dk dv"),
  };
  return kOperators;
}

}  // namespace sqrtdk::border
