#pragma once
// One problem of cosine attention in float, run through the kernels, and its formula for any number.
#include <cmath>
#include <vector>

#include "kernels/attention/cosine_attention.h"
#include "reference/attend.h"
#include "reference/buffers.h"

namespace sqrtdk::reference {

struct CosineCase {
  int64_t batch, n_q, n_k, d, d_v;
  std::vector<float> q, k, v, dout;
  float tau = 4;
  std::vector<uint8_t> mask;  // empty or as the scores

  std::vector<float> scores, weights, out, dscores, dq, dk, dv;
  double dtau = 7;

  CosineCase(int64_t n_q, int64_t n_k, int64_t d, int64_t d_v, int64_t batch = 1, uint64_t seed = 1)
      : batch(batch), n_q(n_q), n_k(n_k), d(d), d_v(d_v) {
    Draws draws(seed);
    q = draws.normals(batch * n_q * d);
    k = draws.normals(batch * n_k * d);
    v = draws.normals(batch * n_k * d_v);
    dout = draws.normals(batch * n_q * d_v);
  }

  CosineCase& run() {
    const Shape pairs{batch, n_q, n_k}, out_shape{batch, n_q, d_v};
    for (std::vector<float>* x : {&scores, &weights, &dscores})
      x->assign(static_cast<size_t>(pairs.size()), 7.0f);
    out.assign(dout.size(), 7.0f);
    dq.assign(q.size(), 7.0f);
    dk.assign(k.size(), 7.0f);
    dv.assign(v.size(), 7.0f);
    const ConstView q_view(q.data(), {batch, n_q, d}), k_view(k.data(), {batch, n_k, d});
    const ConstView v_view(v.data(), {batch, n_k, d_v});
    const View weights_view(weights.data(), pairs);
    MaskView mask_view;
    if (!mask.empty()) mask_view = {mask.data(), pairs};
    Arena scratch(cosine_attention_scratch(q_view, k_view));
    cosine_attention_forward(q_view, k_view, v_view, tau, mask_view, {scores.data(), pairs}, weights_view,
                             {out.data(), out_shape}, scratch);
    scratch.reset();
    dtau = cosine_attention_backward(q_view, k_view, v_view, tau, mask_view, weights_view,
                                     {dout.data(), out_shape}, {dscores.data(), pairs},
                                     {dq.data(), q_view.shape}, {dk.data(), k_view.shape},
                                     {dv.data(), v_view.shape}, scratch);
    return *this;
  }

  /// What the result depends on, in one vector, and the gradients in the same order.
  std::vector<float> inputs() const {
    const std::vector<float> last = {tau};
    return joined({&q, &k, &v, &last});
  }
  std::vector<float> gradients() const {
    const std::vector<float> last = {static_cast<float>(dtau)};
    return joined({&dq, &dk, &dv, &last});
  }

  template <class T>
  Attended<T> formula(const std::vector<T>& inputs) const {
    const T *query = inputs.data(), *key = query + q.size(), *value = key + k.size();
    const T temperature = inputs.back();
    std::vector<T> scores;
    for (int64_t pair = 0; pair < batch * n_q * n_k; ++pair) {
      const T* q_i = query + pair / n_k * d;
      const T* k_j = key + (pair / (n_q * n_k) * n_k + pair % n_k) * d;
      T product(0);
      for (int64_t c = 0; c < d; ++c) product += q_i[c] * k_j[c];
      scores.push_back(temperature * product / (divisor(q_i) * divisor(k_j)));
    }
    return attend(scores, value, mask, batch, n_q, n_k, d_v);
  }

 private:
  template <class T>
  T divisor(const T* x) const {
    using std::sqrt;
    T sum(0);
    for (int64_t c = 0; c < d; ++c) sum += x[c] * x[c];
    const T epsilon(double{kCosineEpsilon});
    return sum < epsilon * epsilon ? epsilon : sqrt(sum);
  }
};

}  // namespace sqrtdk::reference
