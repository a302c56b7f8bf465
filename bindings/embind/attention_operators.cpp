#include "kernels/attention/additive_attention.h"
#include "kernels/attention/attention.h"
#include "kernels/attention/cosine_attention.h"
#include "kernels/attention/tiled_attention.h"
#include "operators.h"

namespace sqrtdk::border {
namespace {

constexpr const char* kForward = "attention";
constexpr const char* kBackward = "attention_backward";

void forward(const ConstView& q, const ConstView& k, const ConstView& v, const AttentionArguments& options,
             const View& scores, const View& weights, const View& out) {
  attention_forward(q, k, v, options.at(kForward, q), scores, weights, out);
}

void backward(const ConstView& q, const ConstView& k, const ConstView& v, const AttentionArguments& options,
              const ConstView& scores, const ConstView& weights, const ConstView& dout, const View& dscores,
              const View& dq, const View& dk, const View& dv) {
  attention_backward(q, k, v, options.at(kBackward, q), scores, weights, dout, dscores, dq, dk, dv);
}

void tiled_forward(const ConstView& q, const ConstView& k, const ConstView& v,
                   const AttentionArguments& options, const View& out, const View& row_stats) {
  const AttentionOptions resolved = options.at(kForward, q);
  Arena scratch(tiled_attention_forward_scratch(q, k, v));
  tiled_attention_forward(q, k, v, resolved, out, row_stats, scratch);
}

void tiled_backward(const ConstView& q, const ConstView& k, const ConstView& v,
                    const AttentionArguments& options, const ConstView& row_stats, const ConstView& dout,
                    const View& dq, const View& dk, const View& dv) {
  const AttentionOptions resolved = options.at(kBackward, q);
  Arena scratch(tiled_attention_backward_scratch(q, k, v));
  tiled_attention_backward(q, k, v, resolved, row_stats, dout, dq, dk, dv, scratch);
}

void additive_forward(const ConstView& q, const ConstView& k, const ConstView& values, const ConstView& w_q,
                      const ConstView& w_k, const ConstView& v, const ConstView& b, const MaskView& mask,
                      AdditiveForm form, const View& scores, const View& weights, const View& out) {
  const AdditiveParameters parameters{w_q, w_k, v, b};
  Arena scratch(additive_attention_scratch(q, k, parameters));
  additive_attention_forward(form, q, k, values, parameters, mask, scores, weights, out, scratch);
}

void additive_backward(const ConstView& q, const ConstView& k, const ConstView& values, const ConstView& w_q,
                       const ConstView& w_k, const ConstView& v, const ConstView& b, const MaskView& mask,
                       const ConstView& weights, const ConstView& dout, const View& dscores, const View& dq,
                       const View& dk, const View& dvalues, const View& dw_q, const View& dw_k,
                       const View& dv, const View& db) {
  const AdditiveParameters parameters{w_q, w_k, v, b};
  Arena scratch(additive_attention_scratch(q, k, parameters));
  additive_attention_backward(q, k, values, parameters, mask, weights, dout, dscores, dq, dk, dvalues,
                              {dw_q, dw_k, dv, db}, scratch);
}

void cosine_forward(const ConstView& q, const ConstView& k, const ConstView& v, float tau,
                    const MaskView& mask, const View& scores, const View& weights, const View& out) {
  Arena scratch(cosine_attention_scratch(q, k));
  cosine_attention_forward(q, k, v, tau, mask, scores, weights, out, scratch);
}

double cosine_backward(const ConstView& q, const ConstView& k, const ConstView& v, float tau,
                       const MaskView& mask, const ConstView& weights, const ConstView& dout,
                       const View& dscores, const View& dq, const View& dk, const View& dv) {
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
