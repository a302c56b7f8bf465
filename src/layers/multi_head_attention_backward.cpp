#include <algorithm>

#include "kernels/attention/attention.h"
#include "kernels/attention/heads.h"
#include "kernels/attention/tiled_attention.h"
#include "kernels/elementwise.h"
#include "layers/multi_head_attention.h"

namespace sqrtdk {
namespace {

// dx · x. Where dx is 0, x may be NaN: it belongs to a query that no gradient reached.
double dot(ConstView dx, ConstView x) {
  double sum = 0;
  const int64_t n = x.shape.size();
  for (int64_t i = 0; i < n; ++i) {
    if (dx.data[i] != 0) sum += static_cast<double>(dx.data[i]) * x.data[i];
  }
  return sum;
}

}  // namespace

// scores = scale (q · k) and dq = scale (dscores · k), so dscale = sum of dscores (q · k) = <dq, q> / scale.
// Where dq and dk are without the scale yet (`unscaled`), they get it.
void MultiHeadAttention::scale_backward(const AttentionOptions& options, bool unscaled, ConstView q, View dq,
                                        View dk) const {
  const float scale = *options.scale;
  double dscale = dot(dq, q);
  if (unscaled) {
    scale_elements(dq, scale);
    scale_elements(dk, scale);
  } else {
    dscale /= scale;
  }
  if (config_.cosine) dscale /= static_cast<double>(config_.d_head);
  float& total = *parameters_->gradient(scale_).data;
  total = total + static_cast<float>(dscale);
}

MultiHeadAttention::Gradients MultiHeadAttention::backward(ConstView dout, const AttentionOptions& given,
                                                           Cache& cache) const {
  const AttentionOptions options = merged(given, cache);
  const ConstView q = q_.heads(cache), k = k_.heads(cache), v = v_.heads(cache);

  // out = concat(heads) w_oᵀ + b_o
  const ConstView drows = out_.backward(dout, cache);
  const View dheads = cache.make(names_.dheads, q.shape);
  split_heads(drows, dheads);

  // heads_h = attention(q_h, k_h, v_h)
  const View dq = q_.make_dheads(cache), dk = k_.make_dheads(cache), dv = v_.make_dheads(cache);
  const ConstView weights = cache.at(names_.weights);
  const bool learns = scale_ >= 0 && !given.scale && given.head_scales.empty();
  const bool visible = weights.shape.rank() == 4;
  if (visible) {
    const View dscores = cache.make(names_.dscores, weights.shape);
    std::optional<WeightDropout> dropout;
    if (drops(cache.mode)) {
      dropout = {config_.dropout, dropout_key_of(cache.mode), cache.at(names_.dropped_weights)};
    }
    AttentionOptions back = options;
    if (learns) back.scale = 1.0f;
    attention_backward(q, k, v, back, cache.at(names_.scores), weights, dheads, dscores, dq, dk, dv,
                       dropout ? &*dropout : nullptr);
  } else {
    Arena& scratch = cache.scratch(tiled_attention_backward_scratch(q, k, v));
    tiled_attention_backward(q, k, v, options, cache.at(names_.row_stats), dheads, dq, dk, dv, scratch);
  }
  if (learns) scale_backward(options, visible, q, dq, dk);

  const View dquery = q_.backward(dq, rotary(), options.n_past, cache),
             dkey = k_.backward(dk, rotary(), 0, cache);
  return {dquery, dkey, v_.backward(dv, nullptr, 0, cache)};
}

View MultiHeadAttention::self_backward(ConstView dout, const AttentionOptions& options, Cache& cache) const {
  const auto [dquery, dkey, dvalue] = backward(dout, options, cache);
  const View dx = cache.make(names_.dx, dquery.shape);
  add_elements(dquery, dkey, dx);
  add_elements(dx, dvalue, dx);
  return dx;
}

}  // namespace sqrtdk
