#pragma once
// One attention problem in float, run through the kernels and through the reference in double.
#include <cmath>
#include <optional>
#include <vector>

#include "kernels/attention/attention.h"
#include "reference/attention.h"
#include "reference/buffers.h"

namespace sqrtdk::reference {

struct AttentionCase {
  int64_t batch, heads, kv_heads, n_q, n_k, d_k, d_v;
  std::vector<float> q, k, v, dout;  // [batch, heads, n_q, d_k], [batch, kv_heads, n_k, d_k], ..
  std::vector<uint8_t> mask;         // empty, [n_q, n_k], as the scores, or of mask_shape
  std::vector<float> bias;           // likewise, bias_shape
  std::optional<Shape> mask_shape, bias_shape;
  std::vector<int32_t> lengths;  // empty, [batch] or [batch, heads]
  Causal causal = Causal::kNo;
  int64_t n_past = 0;
  std::optional<float> scale;
  std::vector<float> head_scales;  // empty or [heads]
  float softcap = 0;

  // outputs; attention_backward gets the forward's scores and weights
  std::vector<float> scores, weights, out, dscores, dq, dk, dv;

  AttentionCase(int64_t n_q, int64_t n_k, int64_t d_k, int64_t d_v, int64_t batch = 1, uint64_t seed = 1,
                int64_t heads = 1, int64_t kv_heads = 1)
      : batch(batch), heads(heads), kv_heads(kv_heads), n_q(n_q), n_k(n_k), d_k(d_k), d_v(d_v) {
    Draws draws(seed);
    q = draws.normals(q_shape().size());
    k = draws.normals(k_shape().size());
    v = draws.normals(v_shape().size());
    dout = draws.normals(out_shape().size());
  }

  Shape q_shape() const { return {batch, heads, n_q, d_k}; }
  Shape k_shape() const { return {batch, kv_heads, n_k, d_k}; }
  Shape v_shape() const { return {batch, kv_heads, n_k, d_v}; }
  Shape scores_shape() const { return {batch, heads, n_q, n_k}; }
  Shape out_shape() const { return {batch, heads, n_q, d_v}; }
  ConstView q_view() const { return {q.data(), q_shape()}; }
  ConstView k_view() const { return {k.data(), k_shape()}; }
  ConstView v_view() const { return {v.data(), v_shape()}; }
  ConstView dout_view() const { return {dout.data(), out_shape()}; }

  AttentionOptions options() const {
    AttentionOptions options;
    options.scale = scale;
    options.head_scales = head_scales;
    options.softcap = softcap;
    options.causal = causal;
    options.n_past = n_past;
    if (!mask.empty()) options.mask = {mask.data(), shape_of_mask()};
    if (!bias.empty()) options.bias = {bias.data(), shape_of_bias()};
    if (!lengths.empty()) {
      const bool per_sequence = static_cast<int64_t>(lengths.size()) == batch;
      options.lengths = {lengths.data(), per_sequence ? Shape{batch} : Shape{batch, heads}};
    }
    return options;
  }

  AttentionCase& run() {
    for (std::vector<float>* x : {&scores, &weights, &dscores}) refill(*x, scores_shape().size());
    refill(out, out_shape().size());
    refill(dq, q_shape().size());
    refill(dk, k_shape().size());
    refill(dv, v_shape().size());
    const View scores_view(scores.data(), scores_shape()), weights_view(weights.data(), scores_shape());
    attention_forward(q_view(), k_view(), v_view(), options(), scores_view, weights_view,
                      {out.data(), out_shape()});
    attention_backward(q_view(), k_view(), v_view(), options(), scores_view, weights_view, dout_view(),
                       {dscores.data(), scores_shape()}, {dq.data(), q_shape()}, {dk.data(), k_shape()},
                       {dv.data(), v_shape()});
    return *this;
  }

  /// Does query i of head b (sequence * heads + head) attend to key j?
  bool unmasked(int64_t b, int64_t i, int64_t j) const {
    int64_t length = n_k;
    if (!lengths.empty()) length = lengths[static_cast<int64_t>(lengths.size()) == batch ? b / heads : b];
    if (j >= length) return false;
    if (causal == Causal::kTopLeft && j > i + n_past) return false;
    if (causal == Causal::kBottomRight && length - 1 - j < n_q - 1 - i) return false;
    if (!mask.empty() && !mask[broadcast(shape_of_mask(), b, i, j)]) return false;
    return bias.empty() || bias[broadcast(shape_of_bias(), b, i, j)] != -INFINITY;
  }

  AttentionProblem problem() const {
    AttentionProblem p{batch,    heads,
                       kv_heads, n_q,
                       n_k,      d_k,
                       d_v,      1 / std::sqrt(static_cast<double>(d_k)),
                       softcap,  [this](int64_t b, int64_t i, int64_t j) { return unmasked(b, i, j); },
                       widen(q), widen(k),
                       widen(v), {}};
    if (scale) p.scale = *scale;
    p.head_scales = widen(head_scales);
    if (bias.empty()) return p;
    for (int64_t b = 0; b < batch * heads; ++b) {
      for (int64_t i = 0; i < n_q; ++i) {
        for (int64_t j = 0; j < n_k; ++j) p.bias.push_back(bias[broadcast(shape_of_bias(), b, i, j)]);
      }
    }
    return p;
  }

 private:
  static void refill(std::vector<float>& x, int64_t n) { x.assign(static_cast<size_t>(n), 7.0f); }

  Shape shape_of_mask() const { return mask_shape ? *mask_shape : pairs_or_scores(mask.size()); }
  Shape shape_of_bias() const { return bias_shape ? *bias_shape : pairs_or_scores(bias.size()); }
  Shape pairs_or_scores(size_t size) const {
    return size > static_cast<size_t>(n_q * n_k) ? scores_shape() : Shape{n_q, n_k};
  }

  // Where the element for this pair lies in an array of a shape that broadcasts to the scores.
  size_t broadcast(const Shape& shape, int64_t b, int64_t i, int64_t j) const {
    const int64_t pair[] = {b / heads, b % heads, i, j};
    int64_t at = 0;
    for (int dim = 0; dim < shape.rank(); ++dim) {
      at = at * shape[dim] + (shape[dim] == 1 ? 0 : pair[4 - shape.rank() + dim]);
    }
    return static_cast<size_t>(at);
  }
};

}  // namespace sqrtdk::reference
