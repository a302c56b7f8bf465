#include <cmath>

#include "experiments/kernel_errors/kernel_checks.h"
#include "kernels/attention/additive_attention.h"
#include "kernels/attention/attention.h"
#include "kernels/attention/cosine_attention.h"
#include "kernels/attention/tiled_attention.h"
#include "lab/double_reference.h"

namespace sqrtdk {
namespace {

using exact::Doubles;

Doubles of(const Tensor& x) { return exact::of(x.values); }

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

/// scores = factor · q kᵀ with the values and the gradient of a head, and back.
struct DotReference {
  Doubles scores;
  exact::Attended attended;
  Doubles dq, dk;
  DotReference(const Doubles& q, const Doubles& k, double factor, const Head& head) {
    const int64_t n = head.n, d = head.d;
    scores = times(exact::product(q, exact::transposed(k, n, d), n, d, n), factor);
    attended = exact::attend(scores, of(head.v), of(head.dout), n, n, d);
    dq = times(exact::product(attended.dscores, k, n, n, d), factor);
    dk = times(exact::product(exact::transposed(attended.dscores, n, n), q, n, n, d), factor);
  }
  /// Scaled by 1/√d.
  explicit DotReference(const Head& head)
      : DotReference(of(head.q), of(head.k),
                     static_cast<double>(static_cast<float>(1 / std::sqrt(static_cast<double>(head.d)))),
                     head) {}

 private:
  static Doubles times(Doubles x, double factor) {
    for (double& each : x) each *= factor;
    return x;
  }
};

void add_forward(KernelErrors& errors, const Head& head, const Doubles& scores,
                 const exact::Attended& expected) {
  errors.add(head.scores, scores);
  errors.add(head.weights, expected.weights);
  errors.add(head.out, expected.out);
}

void add_backward(KernelErrors& errors, const Head& head, const Doubles& dq, const Doubles& dk,
                  const Doubles& dv) {
  errors.add(head.dq, dq);
  errors.add(head.dk, dk);
  errors.add(head.dv, dv);
}

template <Pass pass>
void check_attention(const KernelInputs& in, KernelErrors& errors) {
  Head head(in);
  const View q = head.q.view(), k = head.k.view(), v = head.v.view();
  attention_forward(q, k, v, {}, head.scores.view(), head.weights.view(), head.out.view());
  const DotReference expected(head);
  if (pass == Pass::kForward) return add_forward(errors, head, expected.scores, expected.attended);
  attention_backward(q, k, v, {}, head.scores.view(), head.weights.view(), head.dout.view(),
                     head.dscores.view(), head.dq.view(), head.dk.view(), head.dv.view());
  errors.add(head.dscores, expected.attended.dscores);
  add_backward(errors, head, expected.dq, expected.dk, expected.attended.dv);
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
  if (pass == Pass::kForward) return errors.add(head.out, expected.attended.out);
  tiled_attention_backward(q, k, v, {}, stats.view(), head.dout.view(), head.dq.view(), head.dk.view(),
                           head.dv.view(), backward);
  add_backward(errors, head, expected.dq, expected.dk, expected.attended.dv);
}

constexpr float kTau = 4;

/// The inner product of the row of d that holds x[i] with the same row of y.
double along_row(const Doubles& x, const Doubles& y, size_t i, int64_t d) {
  const size_t first = i - i % static_cast<size_t>(d);
  double sum = 0;
  for (size_t j = first; j < first + static_cast<size_t>(d); ++j) sum += x[j] * y[j];
  return sum;
}

/// x / |x| of each row.
Doubles unit_rows(const Doubles& x, int64_t d) {
  Doubles out;
  for (size_t i = 0; i < x.size(); ++i) out.push_back(x[i] / std::sqrt(along_row(x, x, i, d)));
  return out;
}
// dx = (du - (du · u) u) / |x|
Doubles unit_rows_backward(const Doubles& x, const Doubles& du, int64_t d) {
  const Doubles u = unit_rows(x, d);
  Doubles dx;
  for (size_t i = 0; i < x.size(); ++i) {
    dx.push_back((du[i] - along_row(du, u, i, d) * u[i]) / std::sqrt(along_row(x, x, i, d)));
  }
  return dx;
}

template <Pass pass>
void check_cosine(const KernelInputs& in, KernelErrors& errors) {
  Head head(in);
  const View q = head.q.view(), k = head.k.view(), v = head.v.view();
  Arena scratch(cosine_attention_scratch(q, k));
  cosine_attention_forward(q, k, v, kTau, {}, head.scores.view(), head.weights.view(), head.out.view(),
                           scratch);
  const DotReference expected(unit_rows(of(head.q), in.d), unit_rows(of(head.k), in.d),
                              static_cast<double>(kTau), head);
  if (pass == Pass::kForward) return add_forward(errors, head, expected.scores, expected.attended);
  Arena back(cosine_attention_scratch(q, k));
  cosine_attention_backward(q, k, v, kTau, {}, head.weights.view(), head.dout.view(), head.dscores.view(),
                            head.dq.view(), head.dk.view(), head.dv.view(), back);
  add_backward(errors, head, unit_rows_backward(of(head.q), expected.dq, in.d),
               unit_rows_backward(of(head.k), expected.dk, in.d), expected.attended.dv);
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

  const auto hidden_from = [&](const Tensor& rows, const Tensor& w) {
    return exact::product(of(rows), exact::transposed(of(w), kHidden, d), n, d, kHidden);
  };
  const Doubles from_q = hidden_from(head.q, w_q), from_k = hidden_from(head.k, w_k);
  const auto hidden = [&](int64_t i, int64_t j, int64_t h) {
    return exact::tanh(from_q[static_cast<size_t>(i * kHidden + h)] +
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
  const exact::Attended expected = exact::attend(scores, of(head.v), of(head.dout), n, n, d);
  if (pass == Pass::kForward) return add_forward(errors, head, scores, expected);
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
  add_backward(errors, head, exact::product(dfrom_q, of(w_q), n, kHidden, d),
               exact::product(dfrom_k, of(w_k), n, kHidden, d), expected.dv);
  errors.add(dw_q, exact::product(exact::transposed(dfrom_q, n, kHidden), of(head.q), kHidden, n, d));
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
