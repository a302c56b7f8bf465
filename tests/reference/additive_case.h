#pragma once
// One problem of additive attention in float, run through the kernels, and its formula for any number.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/attention/additive_attention.h"
#include "reference/attend.h"
#include "reference/buffers.h"

namespace sqrtdk::reference {

struct AdditiveCase {
  int64_t batch, n_q, n_k, d_q, d_k, d_v, d_hidden;
  std::vector<float> q, k, values, w_q, w_k, v, b, dout;
  std::vector<uint8_t> mask;  // empty or as the scores
  AdditiveForm form = AdditiveForm::kProjected;

  std::vector<float> scores, weights, out, dscores, dq, dk, dvalues, dw_q, dw_k, dv, db;

  AdditiveCase(int64_t n_q, int64_t n_k, int64_t d_q, int64_t d_k, int64_t d_v, int64_t d_hidden,
               int64_t batch = 1, uint64_t seed = 1)
      : batch(batch), n_q(n_q), n_k(n_k), d_q(d_q), d_k(d_k), d_v(d_v), d_hidden(d_hidden) {
    Draws draws(seed);
    q = draws.normals(batch * n_q * d_q);
    k = draws.normals(batch * n_k * d_k);
    values = draws.normals(batch * n_k * d_v);
    w_q = draws.normals(d_hidden * d_q, 0.5f);
    w_k = draws.normals(d_hidden * d_k, 0.5f);
    v = draws.normals(d_hidden);
    b = draws.normals(d_hidden);
    dout = draws.normals(batch * n_q * d_v);
  }

  AdditiveCase& run() {
    const Shape pairs{batch, n_q, n_k}, out_shape{batch, n_q, d_v};
    for (std::vector<float>* x : {&scores, &weights, &dscores})
      x->assign(static_cast<size_t>(pairs.size()), 7.0f);
    out.assign(dout.size(), 7.0f);
    dq.assign(q.size(), 7.0f);
    dk.assign(k.size(), 7.0f);
    dvalues.assign(values.size(), 7.0f);
    dw_q.assign(w_q.size(), 0.0f);  // these are added to
    dw_k.assign(w_k.size(), 0.0f);
    dv.assign(v.size(), 0.0f);
    db.assign(b.size(), 0.0f);
    const ConstView q_view(q.data(), {batch, n_q, d_q}), k_view(k.data(), {batch, n_k, d_k});
    const ConstView values_view(values.data(), {batch, n_k, d_v});
    AdditiveParameters parameters{
        {w_q.data(), {d_hidden, d_q}}, {w_k.data(), {d_hidden, d_k}}, {v.data(), {d_hidden}}, {}};
    AdditiveGradients gradients{
        {dw_q.data(), {d_hidden, d_q}}, {dw_k.data(), {d_hidden, d_k}}, {dv.data(), {d_hidden}}, {}};
    if (!b.empty()) parameters.b = {b.data(), {d_hidden}}, gradients.db = {db.data(), {d_hidden}};
    MaskView mask_view;
    if (!mask.empty()) mask_view = {mask.data(), pairs};
    const View weights_view(weights.data(), pairs);
    // Beyond what it asks for, -0 stands, which no sum leaves as it is.
    const int64_t asked = additive_attention_scratch(q_view, k_view, parameters), beyond = 1024;
    Arena scratch(asked + beyond);
    float* const end = scratch.floats(asked + beyond) + asked;
    std::fill_n(end, beyond, -0.0f);
    scratch.reset();
    additive_attention_forward(form, q_view, k_view, values_view, parameters, mask_view,
                               {scores.data(), pairs}, weights_view, {out.data(), out_shape}, scratch);
    scratch.reset();
    additive_attention_backward(q_view, k_view, values_view, parameters, mask_view, weights_view,
                                {dout.data(), out_shape}, {dscores.data(), pairs}, {dq.data(), q_view.shape},
                                {dk.data(), k_view.shape}, {dvalues.data(), values_view.shape}, gradients,
                                scratch);
    CHECK(std::all_of(end, end + beyond, [](float x) { return x == 0 && std::signbit(x); }));
    return *this;
  }

  /// What the result depends on, in one vector, and the gradients in the same order.
  std::vector<float> inputs() const { return joined({&q, &k, &values, &w_q, &w_k, &v, &b}); }
  std::vector<float> gradients() const { return joined({&dq, &dk, &dvalues, &dw_q, &dw_k, &dv, &db}); }

  template <class T>
  Attended<T> formula(const std::vector<T>& inputs) const {
    using std::tanh;
    const T *query = inputs.data(), *key = query + q.size(), *value = key + k.size();
    const T *of_q = value + values.size(), *of_k = of_q + w_q.size(), *of_v = of_k + w_k.size();
    std::vector<T> energies;
    for (int64_t pair = 0; pair < batch * n_q * n_k; ++pair) {
      const T* q_i = query + pair / n_k * d_q;
      const T* k_j = key + (pair / (n_q * n_k) * n_k + pair % n_k) * d_k;
      T energy(0);
      for (int64_t h = 0; h < d_hidden; ++h) {
        T sum = b.empty() ? T(0) : of_v[d_hidden + h];
        for (int64_t c = 0; c < d_q; ++c) sum += of_q[h * d_q + c] * q_i[c];
        for (int64_t c = 0; c < d_k; ++c) sum += of_k[h * d_k + c] * k_j[c];
        energy += of_v[h] * tanh(sum);
      }
      energies.push_back(energy);
    }
    return attend(energies, value, mask, batch, n_q, n_k, d_v);
  }
};

}  // namespace sqrtdk::reference
