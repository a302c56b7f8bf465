#include <algorithm>

#include "kernels/attention.h"
#include "kernels/elementwise.h"
#include "kernels/heads.h"
#include "kernels/tiled_attention.h"
#include "layers/multi_head_attention.h"

namespace sqrtdk {
namespace {

// Of a query that nothing came back to, the numbers do not matter: they may be NaN.
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

// q = x w_qᵀ + b_q, of each head, normalised and turned to its positions.
View MultiHeadAttention::project_back(size_t projection, View dheads, int64_t position, Cache& cache) const {
  if (rotary_ && projection < 2) rotary_->backward(dheads, position, cache);
  if (projection < norms_.size()) {
    dheads = norms_[projection].backward(cache.at(names_.split[projection]), dheads, cache);
  }
  const Shape& shape = dheads.shape;
  const View rows = cache.make(names_.drows[projection], {shape[0], shape[2], shape[1] * shape[3]});
  merge_heads(dheads, rows);
  return projections_[projection].backward(rows, cache);
}

MultiHeadAttention::Gradients MultiHeadAttention::backward(ConstView dout, const AttentionOptions& given,
                                                           Cache& cache) const {
  AttentionOptions options = merged(given);
  const ConstView q = cache.at(names_.heads[0]), k = cache.at(names_.heads[1]), v = cache.at(names_.heads[2]);

  // out = concat(heads) w_oᵀ + b_o
  const ConstView drows = projections_[3].backward(dout, cache);
  const View dheads = cache.make(names_.dattended, q.shape);
  split_heads(drows, dheads);

  // heads_h = attention(q_h, k_h, v_h)
  const View dq = cache.make(names_.dheads[0], q.shape), dk = cache.make(names_.dheads[1], k.shape),
             dv = cache.make(names_.dheads[2], v.shape);
  const ConstView weights = cache.at(names_.weights);
  const bool learns = scale_ >= 0 && !given.scale, visible = weights.shape.rank() == 4;
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

  const View dquery = project_back(0, dq, options.n_past, cache), dkey = project_back(1, dk, 0, cache);
  return {dquery, dkey, project_back(2, dv, 0, cache)};
}

View MultiHeadAttention::self_backward(ConstView dout, const AttentionOptions& options, Cache& cache) const {
  const auto [dquery, dkey, dvalue] = backward(dout, options, cache);
  const View dx = cache.make(names_.dx, dquery.shape);
  add_elements(dquery, dkey, dx);
  add_elements(dx, dvalue, dx);
  return dx;
}

}  // namespace sqrtdk
