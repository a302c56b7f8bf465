#include "conformance/attention_forms.h"

#include "kernels/attention/attention.h"
#include "kernels/attention/tiled_attention.h"

namespace sqrtdk::conformance {

Mask::Mask(const Tensor& tensor, bool true_means_attend) : shape(shape_of(tensor.dims)) {
  values.reserve(1);
  for (const double value : tensor.values) values.push_back((value != 0) == true_means_attend ? 1 : 0);
}

ExplainableForward::ExplainableForward(const Floats& q, const Floats& k, const Floats& v,
                                       const AttentionOptions& options)
    : scores(q.shape().with_last(q.shape()[-2], k.shape()[-2])),
      weights(scores.shape()),
      out(q.shape().with_last(q.shape()[-2], v.shape()[-1])) {
  attention_forward(q.view(), k.view(), v.view(), options, scores.view(), weights.view(), out.view());
}

TiledForward::TiledForward(const Floats& q, const Floats& k, const Floats& v, const AttentionOptions& options)
    : out(q.shape().with_last(q.shape()[-2], v.shape()[-1])),
      row_stats(q.shape().with_last(q.shape()[-2], 2)) {
  Arena scratch(tiled_attention_forward_scratch(q.view(), k.view(), v.view()));
  tiled_attention_forward(q.view(), k.view(), v.view(), options, out.view(), row_stats.view(), scratch);
}

AttentionGradients explainable_backward(const Floats& q, const Floats& k, const Floats& v,
                                        const AttentionOptions& options, const ExplainableForward& forward,
                                        const Floats& dout, Floats& dscores) {
  AttentionGradients gradients(q, k, v);
  attention_backward(q.view(), k.view(), v.view(), options, forward.scores.view(), forward.weights.view(),
                     dout.view(), dscores.view(), gradients.dq.view(), gradients.dk.view(),
                     gradients.dv.view());
  return gradients;
}

AttentionGradients tiled_backward(const Floats& q, const Floats& k, const Floats& v,
                                  const AttentionOptions& options, const TiledForward& forward,
                                  const Floats& dout) {
  AttentionGradients gradients(q, k, v);
  Arena scratch(tiled_attention_backward_scratch(q.view(), k.view(), v.view()));
  tiled_attention_backward(q.view(), k.view(), v.view(), options, forward.row_stats.view(), dout.view(),
                           gradients.dq.view(), gradients.dk.view(), gradients.dv.view(), scratch);
  return gradients;
}

}  // namespace sqrtdk::conformance
