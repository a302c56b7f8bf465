#pragma once
// Attention in double, one loop per formula, with masks decided by the caller's predicate.
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace sqrtdk::reference {

struct AttentionProblem {
  int64_t batch, heads, kv_heads;  // heads / kv_heads neighbours share one head of k and v
  int64_t n_q, n_k, d_k, d_v;
  double scale, softcap;                                          // softcap 0 is none
  std::function<bool(int64_t b, int64_t i, int64_t j)> unmasked;  // query i of head b attends to key j
  std::vector<double> q, k, v, bias;                              // bias as the scores, or empty
  std::vector<double> head_scales = {};                           // one for each head, or empty

  // A head of one sequence has the number b = sequence * heads + head.
  int64_t all_heads() const { return batch * heads; }
  double scale_of(int64_t b) const {
    return head_scales.empty() ? scale : head_scales[static_cast<size_t>(b % heads)];
  }
  int64_t rows() const { return all_heads() * n_q; }
  int64_t row(int64_t b, int64_t i) const { return b * n_q + i; }
  int64_t key(int64_t b, int64_t j) const { return b / (heads / kv_heads) * n_k + j; }
  int64_t at(int64_t b, int64_t i, int64_t j) const { return row(b, i) * n_k + j; }
};

struct AttentionValues {
  std::vector<double> scores, weights, out;
};
struct AttentionGradients {
  std::vector<double> dscores, dq, dk, dv;  // dscores: of the scaled product, before softcap and bias
};

template <class Visit>  // visit(b, i, j) for every unmasked pair
void each_unmasked(const AttentionProblem& p, Visit visit) {
  for (int64_t b = 0; b < p.all_heads(); ++b) {
    for (int64_t i = 0; i < p.n_q; ++i) {
      for (int64_t j = 0; j < p.n_k; ++j) {
        if (p.unmasked(b, i, j)) visit(b, i, j);
      }
    }
  }
}

inline double scaled_product(const AttentionProblem& p, int64_t b, int64_t i, int64_t j) {
  double product = 0;
  for (int64_t c = 0; c < p.d_k; ++c) {
    product += p.q[p.row(b, i) * p.d_k + c] * p.k[p.key(b, j) * p.d_k + c];
  }
  return p.scale_of(b) * product;
}

inline double capped(const AttentionProblem& p, double x) {
  return p.softcap > 0 ? p.softcap * std::tanh(x / p.softcap) : x;
}
inline double capped_derivative(const AttentionProblem& p, double x) {
  if (!(p.softcap > 0)) return 1;
  const double cosh = std::cosh(x / p.softcap);
  return 1 / (cosh * cosh);
}

inline AttentionValues attention(const AttentionProblem& p) {
  const size_t rows = static_cast<size_t>(p.rows()), pairs = static_cast<size_t>(p.rows() * p.n_k);
  AttentionValues r{std::vector<double>(pairs, -INFINITY), std::vector<double>(pairs, 0.0),
                    std::vector<double>(static_cast<size_t>(p.rows() * p.d_v), 0.0)};
  std::vector<double> largest(rows, -INFINITY), sum(rows, 0.0);
  each_unmasked(p, [&](int64_t b, int64_t i, int64_t j) {
    double score = capped(p, scaled_product(p, b, i, j));
    if (!p.bias.empty()) score += p.bias[p.at(b, i, j)];
    r.scores[p.at(b, i, j)] = score;
    if (score > largest[p.row(b, i)]) largest[p.row(b, i)] = score;
  });
  each_unmasked(p, [&](int64_t b, int64_t i, int64_t j) {
    const double e = std::exp(r.scores[p.at(b, i, j)] - largest[p.row(b, i)]);
    r.weights[p.at(b, i, j)] = e;
    sum[p.row(b, i)] += e;
  });
  each_unmasked(p, [&](int64_t b, int64_t i, int64_t j) {
    const double weight = r.weights[p.at(b, i, j)] /= sum[p.row(b, i)];
    for (int64_t c = 0; c < p.d_v; ++c) {
      r.out[p.row(b, i) * p.d_v + c] += weight * p.v[p.key(b, j) * p.d_v + c];
    }
  });
  return r;
}

/// Jᵀ dout: the gradients of <dout, out>.
inline AttentionGradients attention_gradients(const AttentionProblem& p, const std::vector<double>& weights,
                                              const std::vector<double>& dout) {
  AttentionGradients g{std::vector<double>(weights.size()), std::vector<double>(p.q.size()),
                       std::vector<double>(p.k.size()), std::vector<double>(p.v.size())};
  std::vector<double> dweights(weights.size()), mean(static_cast<size_t>(p.rows()));
  each_unmasked(p, [&](int64_t b, int64_t i, int64_t j) {
    for (int64_t c = 0; c < p.d_v; ++c) {
      const double upstream = dout[p.row(b, i) * p.d_v + c];
      g.dv[p.key(b, j) * p.d_v + c] += weights[p.at(b, i, j)] * upstream;
      dweights[p.at(b, i, j)] += upstream * p.v[p.key(b, j) * p.d_v + c];
    }
    mean[p.row(b, i)] += weights[p.at(b, i, j)] * dweights[p.at(b, i, j)];
  });
  each_unmasked(p, [&](int64_t b, int64_t i, int64_t j) {
    const int64_t at = p.at(b, i, j);
    g.dscores[at] =
        weights[at] * (dweights[at] - mean[p.row(b, i)]) * capped_derivative(p, scaled_product(p, b, i, j));
    for (int64_t c = 0; c < p.d_k; ++c) {
      const int64_t query = p.row(b, i) * p.d_k + c, key = p.key(b, j) * p.d_k + c;
      g.dq[query] += p.scale_of(b) * g.dscores[at] * p.k[key];
      g.dk[key] += p.scale_of(b) * g.dscores[at] * p.q[query];
    }
  });
  return g;
}

/// J (tq, tk, tv): how out changes along a tangent of q, k, v.
inline std::vector<double> attention_tangent(const AttentionProblem& p, const std::vector<double>& weights,
                                             const std::vector<double>& tq, const std::vector<double>& tk,
                                             const std::vector<double>& tv) {
  std::vector<double> tscores(weights.size()), mean(static_cast<size_t>(p.rows()));
  std::vector<double> tout(static_cast<size_t>(p.rows() * p.d_v));
  each_unmasked(p, [&](int64_t b, int64_t i, int64_t j) {
    for (int64_t c = 0; c < p.d_k; ++c) {
      const int64_t query = p.row(b, i) * p.d_k + c, key = p.key(b, j) * p.d_k + c;
      tscores[p.at(b, i, j)] += p.scale_of(b) * (tq[query] * p.k[key] + p.q[query] * tk[key]);
    }
    tscores[p.at(b, i, j)] *= capped_derivative(p, scaled_product(p, b, i, j));
    mean[p.row(b, i)] += weights[p.at(b, i, j)] * tscores[p.at(b, i, j)];
  });
  each_unmasked(p, [&](int64_t b, int64_t i, int64_t j) {
    const double weight = weights[p.at(b, i, j)];
    const double tweight = weight * (tscores[p.at(b, i, j)] - mean[p.row(b, i)]);
    for (int64_t c = 0; c < p.d_v; ++c) {
      const int64_t value = p.key(b, j) * p.d_v + c;
      tout[p.row(b, i) * p.d_v + c] += tweight * p.v[value] + weight * tv[value];
    }
  });
  return tout;
}

}  // namespace sqrtdk::reference
