#include "kernels/dropped_attention.h"

#include "kernels/attention.h"
#include "kernels/masked_products.h"
#include "tensor/errors.h"

namespace sqrtdk {
namespace {

void multiply(View x, float factor) {
  const int64_t size = x.shape.size();
  for (int64_t i = 0; i < size; ++i) x.data[i] = factor * x.data[i];
}

}  // namespace

void dropped_attention_forward(ConstView q, ConstView k, ConstView v, const AttentionOptions& options,
                               float probability, DropoutKey key, View scores, View weights, View dropped,
                               View out) {
  const AttentionCall call("dropped_attention", q, k, v, options);
  check_shape("dropped_attention", "dropped", dropped.shape, call.scores);
  attention_forward(q, k, v, options, scores, weights, out);
  dropout_forward(weights, probability, key, dropped);
  sum_live_keys(call, dropped.data, v.data, call.d_v, out.data);
}

void dropped_attention_backward(ConstView q, ConstView k, ConstView v, const AttentionOptions& options,
                                float probability, DropoutKey key, ConstView weights, ConstView dropped,
                                ConstView dout, View dscores, View dq, View dk, View dv) {
  const char* op = "dropped_attention_backward";
  const AttentionCall call(op, q, k, v, options);
  if (call.softcap > 0) throw_out_of_range(op, "softcap", "0", call.softcap);
  check_shape(op, "weights", weights.shape, call.scores);
  check_shape(op, "dropped", dropped.shape, call.scores);
  check_shape(op, "dout", dout.shape, call.out);
  check_shape(op, "dscores", dscores.shape, call.scores);
  check_shape(op, "dq", dq.shape, q.shape);
  check_shape(op, "dk", dk.shape, k.shape);
  check_shape(op, "dv", dv.shape, v.shape);

  // out = dropped · v
  sum_live_queries(call, dropped.data, dout.data, call.d_v, dv.data);
  multiply_live_pairs(call, dout.data, v.data, call.d_v, dscores.data);  // dL/ddropped
  // dropped = dropout(weights)
  dropout_backward(dscores, probability, key, dscores);
  // weights = softmax(scores)
  softmax_live_keys_backward(call, weights.data, dscores.data);
  // scores = scale · q kᵀ + bias
  sum_live_keys(call, dscores.data, k.data, call.d_k, dq.data);
  sum_live_queries(call, dscores.data, q.data, call.d_k, dk.data);
  multiply(dq, call.scale);
  multiply(dk, call.scale);
}

}  // namespace sqrtdk
