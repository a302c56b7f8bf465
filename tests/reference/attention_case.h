#pragma once
// One attention problem in float, run through the kernels and through the reference in double.
#include <cmath>
#include <optional>
#include <vector>

#include "kernels/attention.h"
#include "reference/attention.h"
#include "reference/buffers.h"

namespace sqrtdk::reference {

struct AttentionCase {
  int64_t batch = 1, n_q, n_k, d_k, d_v;
  std::vector<float> q, k, v, dout;
  std::vector<uint8_t> mask;  // empty, [n_q, n_k] or [batch, n_q, n_k]
  std::vector<float> bias;    // likewise
  Causal causal = Causal::kNo;
  std::optional<float> scale;

  // outputs; attention_backward gets the forward's weights
  std::vector<float> scores, weights, out, dscores, dq, dk, dv;

  AttentionCase(int64_t n_q, int64_t n_k, int64_t d_k, int64_t d_v, int64_t batch = 1, uint64_t seed = 1)
      : batch(batch), n_q(n_q), n_k(n_k), d_k(d_k), d_v(d_v) {
    Draws draws(seed);
    q = draws.normals(batch * n_q * d_k);
    k = draws.normals(batch * n_k * d_k);
    v = draws.normals(batch * n_k * d_v);
    dout = draws.normals(batch * n_q * d_v);
  }

  AttentionOptions options() const {
    AttentionOptions options;
    options.scale = scale;
    options.causal = causal;
    if (!mask.empty()) options.mask = {mask.data(), plane_shape(mask.size())};
    if (!bias.empty()) options.bias = {bias.data(), plane_shape(bias.size())};
    return options;
  }

  AttentionCase& run() {
    const Shape pairs{batch, n_q, n_k}, out_shape{batch, n_q, d_v};
    for (std::vector<float>* x : {&scores, &weights, &dscores})
      x->assign(static_cast<size_t>(pairs.size()), 7.0f);
    out.assign(static_cast<size_t>(out_shape.size()), 7.0f);
    dq.assign(q.size(), 7.0f);
    dk.assign(k.size(), 7.0f);
    dv.assign(v.size(), 7.0f);
    const ConstView q_view(q.data(), {batch, n_q, d_k}), k_view(k.data(), {batch, n_k, d_k});
    const ConstView v_view(v.data(), {batch, n_k, d_v}), dout_view(dout.data(), out_shape);
    const View weights_view(weights.data(), pairs);
    attention_forward(q_view, k_view, v_view, options(), {scores.data(), pairs}, weights_view,
                      {out.data(), out_shape});
    attention_backward(q_view, k_view, v_view, options(), weights_view, dout_view, {dscores.data(), pairs},
                       {dq.data(), q_view.shape}, {dk.data(), k_view.shape}, {dv.data(), v_view.shape});
    return *this;
  }

  bool live(int64_t b, int64_t i, int64_t j) const {
    if (causal == Causal::kTopLeft && j > i) return false;
    if (causal == Causal::kBottomRight && n_k - j < n_q - i) return false;
    const size_t at = static_cast<size_t>(i * n_k + j), plane = static_cast<size_t>(n_q * n_k);
    if (!mask.empty() && !mask[mask.size() > plane ? static_cast<size_t>(b) * plane + at : at]) return false;
    return bias.empty() || bias[bias.size() > plane ? static_cast<size_t>(b) * plane + at : at] != -INFINITY;
  }

  AttentionProblem problem() const {
    AttentionProblem p{batch,
                       n_q,
                       n_k,
                       d_k,
                       d_v,
                       1 / std::sqrt(static_cast<double>(d_k)),
                       [this](int64_t b, int64_t i, int64_t j) { return live(b, i, j); },
                       widen(q),
                       widen(k),
                       widen(v),
                       {}};
    if (scale) p.scale = *scale;
    if (!bias.empty()) {
      for (int64_t b = 0; b < batch; ++b) {
        const auto start = bias.begin() + (bias.size() > static_cast<size_t>(n_q * n_k) ? b * n_q * n_k : 0);
        p.bias.insert(p.bias.end(), start, start + n_q * n_k);
      }
    }
    return p;
  }

 private:
  Shape plane_shape(size_t size) const {
    return size > static_cast<size_t>(n_q * n_k) ? Shape{batch, n_q, n_k} : Shape{n_q, n_k};
  }
};

}  // namespace sqrtdk::reference
