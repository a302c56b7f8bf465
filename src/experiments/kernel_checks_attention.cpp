#include <cmath>

#include "experiments/double_reference.h"
#include "experiments/kernel_checks.h"
#include "kernels/additive_attention.h"
#include "kernels/attention.h"
#include "kernels/cosine_attention.h"
#include "kernels/tiled_attention.h"

namespace sqrtdk {
namespace {

using reference::Doubles;

Doubles of(const Tensor& x) { return reference::of(x.values); }

/// One head: q, k, v, and the gradient of its output.
struct Head {
  explicit Head(const KernelInputs& in)
      : n(in.n),
        d(in.d),
        q(in.normal(1, {n, d})),
        k(in.normal(2, {n, d})),
        v(in.normal(3, {n, d})),
        dout(in.normal(4, {n, d})),
        scores({n, n}),
        weights({n, n}),
        dscores({n, n}),
        out({n, d}),
        dq({n, d}),
        dk({n, d}),
        dv({n, d}) {}
  int64_t n, d;
  Tensor q, k, v, dout, scores, weights, dscores, out, dq, dk, dv;
};

/// scores = q kᵀ / √d, and back.
struct DotReference {
  Doubles scores;
  reference::Attended attended;
  Doubles dq, dk;
  explicit DotReference(const Head& head) {
    const int64_t n = head.n, d = head.d;
    const double scale = static_cast<double>(static_cast<float>(1 / std::sqrt(static_cast<double>(d))));
    scores = reference::product(of(head.q), reference::transposed(of(head.k), n, d), n, d, n);
    for (double& score : scores) score *= scale;
    attended = reference::attend(scores, of(head.v), of(head.dout), n, n, d);
    dq = reference::product(attended.dscores, of(head.k), n, n, d);
    dk = reference::product(reference::transposed(attended.dscores, n, n), of(head.q), n, n, d);
    for (Doubles* gradient : {&dq, &dk}) {
      for (double& each : *gradient) each *= scale;
    }
  }
};

template <Pass pass>
void check_attention(const KernelInputs& in, KernelErrors& errors) {
  Head head(in);
  attention_forward(head.q.view(), head.k.view(), head.v.view(), {}, head.scores.view(), head.weights.view(),
                    head.out.view());
  const DotReference expected(head);
  if (pass == Pass::kForward) {
    errors.add(head.scores, expected.scores);
    errors.add(head.weights, expected.attended.weights);
    errors.add(head.out, expected.attended.out);
    return;
  }
  attention_backward(head.q.view(), head.k.view(), head.v.view(), {}, head.scores.view(), head.weights.view(),
                     head.dout.view(), head.dscores.view(), head.dq.view(), head.dk.view(), head.dv.view());
  errors.add(head.dscores, expected.attended.dscores);
  errors.add(head.dq, expected.dq);
  errors.add(head.dk, expected.dk);
  errors.add(head.dv, expected.attended.dv);
}

template <Pass pass>
void check_tiled(const KernelInputs& in, KernelErrors& errors) {
  Head head(in);
  Tensor stats({in.n, 2});
  const View q = head.q.view(), k = head.k.view(), v = head.v.view();
  Arena forward(tiled_attention_forward_scratch(q, k, v)),
      backward(tiled_attention_backward_scratch(q, k, v));
  tiled_attention_forward(q, k, v, {}, head.out.view(), stats.view(), forward);
  const DotReference expected(head);
  if (pass == Pass::kForward) {
    errors.add(head.out, expected.attended.out);
    return;
  }
  tiled_attention_backward(q, k, v, {}, stats.view(), head.dout.view(), head.dq.view(), head.dk.view(),
                           head.dv.view(), backward);
  errors.add(head.dq, expected.dq);
  errors.add(head.dk, expected.dk);
  errors.add(head.dv, expected.attended.dv);
}

constexpr float kTau = 4;

/// x / |x| of each row, and the gradient through it.
Doubles unit_rows(const Doubles& x, int64_t d) {
  Doubles out;
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t first = i - i % static_cast<size_t>(d);
    double square = 0;
    for (size_t j = first; j < first + static_cast<size_t>(d); ++j) square += x[j] * x[j];
    out.push_back(x[i] / std::sqrt(square));
  }
  return out;
}
// dx = (du - (du · u) u) / |x|
Doubles unit_rows_backward(const Doubles& x, const Doubles& du, int64_t d) {
  const Doubles u = unit_rows(x, d);
  Doubles dx;
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t first = i - i % static_cast<size_t>(d);
    double square = 0, along = 0;
    for (size_t j = first; j < first + static_cast<size_t>(d); ++j) {
      square += x[j] * x[j];
      along += du[j] * u[j];
    }
    dx.push_back((du[i] - along * u[i]) / std::sqrt(square));
  }
  return dx;
}

template <Pass pass>
void check_cosine(const KernelInputs& in, KernelErrors& errors) {
  Head head(in);
  const int64_t n = in.n, d = in.d;
  Arena scratch(cosine_attention_scratch(head.q.view(), head.k.view()));
  cosine_attention_forward(head.q.view(), head.k.view(), head.v.view(), kTau, {}, head.scores.view(),
                           head.weights.view(), head.out.view(), scratch);
  const double tau = static_cast<double>(kTau);
  const Doubles q = unit_rows(of(head.q), d), k = unit_rows(of(head.k), d);
  Doubles scores = reference::product(q, reference::transposed(k, n, d), n, d, n);
  for (double& score : scores) score *= tau;
  const reference::Attended expected = reference::attend(scores, of(head.v), of(head.dout), n, n, d);
  if (pass == Pass::kForward) {
    errors.add(head.scores, scores);
    errors.add(head.weights, expected.weights);
    errors.add(head.out, expected.out);
    return;
  }
  Doubles dq = reference::product(expected.dscores, k, n, n, d);
  Doubles dk = reference::product(reference::transposed(expected.dscores, n, n), q, n, n, d);
  for (Doubles* gradient : {&dq, &dk}) {
    for (double& each : *gradient) each *= tau;
  }
  Arena back(cosine_attention_scratch(head.q.view(), head.k.view()));
  cosine_attention_backward(head.q.view(), head.k.view(), head.v.view(), kTau, {}, head.weights.view(),
                            head.dout.view(), head.dscores.view(), head.dq.view(), head.dk.view(),
                            head.dv.view(), back);
  errors.add(head.dq, unit_rows_backward(of(head.q), dq, d));
  errors.add(head.dk, unit_rows_backward(of(head.k), dk, d));
  errors.add(head.dv, expected.dv);
}

constexpr int64_t kHidden = 16;

/// scores_ij = v · tanh(w_q q_i + w_k k_j + b), and back to q, k and w_q.
template <Pass pass>
void check_additive(const KernelInputs& in, KernelErrors& errors) {
  Head head(in);
  const int64_t n = in.n, d = in.d;
  const double root = std::sqrt(static_cast<double>(d));
  Tensor w_q = in.normal(5, {kHidden, d}), w_k = in.normal(6, {kHidden, d});
  const Tensor v = in.normal(7, {kHidden}), b = in.normal(8, {kHidden});
  for (Tensor* w : {&w_q, &w_k}) {
    for (float& each : w->values) each = static_cast<float>(static_cast<double>(each) / root);
  }
  const AdditiveParameters parameters{w_q.view(), w_k.view(), v.view(), b.view()};
  const View q = head.q.view(), k = head.k.view();
  Arena scratch(additive_attention_scratch(q, k, parameters));
  additive_attention_forward(AdditiveForm::kProjected, q, k, head.v.view(), parameters, {},
                             head.scores.view(), head.weights.view(), head.out.view(), scratch);

  const Doubles from_q =
                    reference::product(of(head.q), reference::transposed(of(w_q), kHidden, d), n, d, kHidden),
                from_k =
                    reference::product(of(head.k), reference::transposed(of(w_k), kHidden, d), n, d, kHidden);
  const auto hidden = [&](int64_t i, int64_t j, int64_t h) {
    return reference::tanh(from_q[static_cast<size_t>(i * kHidden + h)] +
                           from_k[static_cast<size_t>(j * kHidden + h)] +
                           static_cast<double>(b.values[static_cast<size_t>(h)]));
  };
  Doubles scores;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double score = 0;
      for (int64_t h = 0; h < kHidden; ++h) {
        score += static_cast<double>(v.values[static_cast<size_t>(h)]) * hidden(i, j, h);
      }
      scores.push_back(score);
    }
  }
  const reference::Attended expected = reference::attend(scores, of(head.v), of(head.dout), n, n, d);
  if (pass == Pass::kForward) {
    errors.add(head.scores, scores);
    errors.add(head.weights, expected.weights);
    errors.add(head.out, expected.out);
    return;
  }
  Doubles dfrom_q(from_q.size()), dfrom_k(from_k.size());
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t h = 0; h < kHidden; ++h) {
        const double t = hidden(i, j, h);
        const double dsum = expected.dscores[static_cast<size_t>(i * n + j)] *
                            static_cast<double>(v.values[static_cast<size_t>(h)]) * (1 - t * t);
        dfrom_q[static_cast<size_t>(i * kHidden + h)] += dsum;
        dfrom_k[static_cast<size_t>(j * kHidden + h)] += dsum;
      }
    }
  }
  Tensor dw_q(w_q.shape), dw_k(w_k.shape), dv(v.shape), db(b.shape);
  Arena back(additive_attention_scratch(q, k, parameters));
  additive_attention_backward(q, k, head.v.view(), parameters, {}, head.weights.view(), head.dout.view(),
                              head.dscores.view(), head.dq.view(), head.dk.view(), head.dv.view(),
                              {dw_q.view(), dw_k.view(), dv.view(), db.view()}, back);
  errors.add(head.dq, reference::product(dfrom_q, of(w_q), n, kHidden, d));
  errors.add(head.dk, reference::product(dfrom_k, of(w_k), n, kHidden, d));
  errors.add(head.dv, expected.dv);
  errors.add(dw_q, reference::product(reference::transposed(dfrom_q, n, kHidden), of(head.q), kHidden, n, d));
}

constexpr KernelCheck kChecks[] = {
    {"attention", Pass::kForward, false, 2e-6, check_attention<Pass::kForward>},
    {"attention", Pass::kBackward, false, 2e-6, check_attention<Pass::kBackward>},
    {"tiled_attention", Pass::kForward, false, 2e-6, check_tiled<Pass::kForward>},
    {"tiled_attention", Pass::kBackward, false, 2e-6, check_tiled<Pass::kBackward>},
    {"additive_attention", Pass::kForward, false, 2e-6, check_additive<Pass::kForward>},
    {"additive_attention", Pass::kBackward, false, 4e-6, check_additive<Pass::kBackward>},
    {"cosine_attention", Pass::kForward, false, 2e-6, check_cosine<Pass::kForward>},
    {"cosine_attention", Pass::kBackward, false, 2e-6, check_cosine<Pass::kBackward>},
};

}  // namespace

std::span<const KernelCheck> attention_checks() { return kChecks; }

}  // namespace sqrtdk
