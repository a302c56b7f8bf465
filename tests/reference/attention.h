#pragma once
// Attention in double, one loop per formula, with masks decided by the caller's predicate.
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace sqrtdk::reference {

struct AttentionProblem {
  int64_t batch, n_q, n_k, d_k, d_v;
  double scale;
  std::function<bool(int64_t b, int64_t i, int64_t j)> live;  // query i of batch b attends to key j
  std::vector<double> q, k, v, bias;                          // bias [batch, n_q, n_k], or empty

  int64_t at(int64_t b, int64_t i, int64_t j) const { return (b * n_q + i) * n_k + j; }
};

struct AttentionValues {
  std::vector<double> scores, weights, out;
};
struct AttentionGradients {
  std::vector<double> dscores, dq, dk, dv;
};

template <class Visit>  // visit(b, i, j) for every live pair
void each_live(const AttentionProblem& p, Visit visit) {
  for (int64_t b = 0; b < p.batch; ++b) {
    for (int64_t i = 0; i < p.n_q; ++i) {
      for (int64_t j = 0; j < p.n_k; ++j) {
        if (p.live(b, i, j)) visit(b, i, j);
      }
    }
  }
}

inline AttentionValues attention(const AttentionProblem& p) {
  const size_t pairs = static_cast<size_t>(p.batch * p.n_q * p.n_k);
  AttentionValues r{std::vector<double>(pairs, -INFINITY), std::vector<double>(pairs, 0.0),
                    std::vector<double>(static_cast<size_t>(p.batch * p.n_q * p.d_v), 0.0)};
  const size_t rows = static_cast<size_t>(p.batch * p.n_q);
  std::vector<double> largest(rows, -INFINITY), sum(rows, 0.0);
  each_live(p, [&](int64_t b, int64_t i, int64_t j) {
    double score = 0;
    for (int64_t c = 0; c < p.d_k; ++c) {
      score += p.q[(b * p.n_q + i) * p.d_k + c] * p.k[(b * p.n_k + j) * p.d_k + c];
    }
    score *= p.scale;
    if (!p.bias.empty()) score += p.bias[p.at(b, i, j)];
    r.scores[p.at(b, i, j)] = score;
    if (score > largest[b * p.n_q + i]) largest[b * p.n_q + i] = score;
  });
  each_live(p, [&](int64_t b, int64_t i, int64_t j) {
    const double e = std::exp(r.scores[p.at(b, i, j)] - largest[b * p.n_q + i]);
    r.weights[p.at(b, i, j)] = e;
    sum[b * p.n_q + i] += e;
  });
  each_live(p, [&](int64_t b, int64_t i, int64_t j) {
    const double weight = r.weights[p.at(b, i, j)] /= sum[b * p.n_q + i];
    for (int64_t c = 0; c < p.d_v; ++c) {
      r.out[(b * p.n_q + i) * p.d_v + c] += weight * p.v[(b * p.n_k + j) * p.d_v + c];
    }
  });
  return r;
}

/// Jᵀ dout: the gradients of <dout, out>.
inline AttentionGradients attention_gradients(const AttentionProblem& p, const std::vector<double>& weights,
                                              const std::vector<double>& dout) {
  AttentionGradients g{std::vector<double>(weights.size()), std::vector<double>(p.q.size()),
                       std::vector<double>(p.k.size()), std::vector<double>(p.v.size())};
  std::vector<double> dweights(weights.size()), mean(static_cast<size_t>(p.batch * p.n_q));
  each_live(p, [&](int64_t b, int64_t i, int64_t j) {
    for (int64_t c = 0; c < p.d_v; ++c) {
      const double upstream = dout[(b * p.n_q + i) * p.d_v + c];
      g.dv[(b * p.n_k + j) * p.d_v + c] += weights[p.at(b, i, j)] * upstream;
      dweights[p.at(b, i, j)] += upstream * p.v[(b * p.n_k + j) * p.d_v + c];
    }
    mean[b * p.n_q + i] += weights[p.at(b, i, j)] * dweights[p.at(b, i, j)];
  });
  each_live(p, [&](int64_t b, int64_t i, int64_t j) {
    const int64_t at = p.at(b, i, j);
    g.dscores[at] = weights[at] * (dweights[at] - mean[b * p.n_q + i]);
    for (int64_t c = 0; c < p.d_k; ++c) {
      const int64_t query = (b * p.n_q + i) * p.d_k + c, key = (b * p.n_k + j) * p.d_k + c;
      g.dq[query] += p.scale * g.dscores[at] * p.k[key];
      g.dk[key] += p.scale * g.dscores[at] * p.q[query];
    }
  });
  return g;
}

/// J (tq, tk, tv): how out changes along a tangent of q, k, v.
inline std::vector<double> attention_tangent(const AttentionProblem& p, const std::vector<double>& weights,
                                             const std::vector<double>& tq, const std::vector<double>& tk,
                                             const std::vector<double>& tv) {
  std::vector<double> tscores(weights.size()), mean(static_cast<size_t>(p.batch * p.n_q));
  std::vector<double> tout(static_cast<size_t>(p.batch * p.n_q * p.d_v));
  each_live(p, [&](int64_t b, int64_t i, int64_t j) {
    for (int64_t c = 0; c < p.d_k; ++c) {
      const int64_t query = (b * p.n_q + i) * p.d_k + c, key = (b * p.n_k + j) * p.d_k + c;
      tscores[p.at(b, i, j)] += p.scale * (tq[query] * p.k[key] + p.q[query] * tk[key]);
    }
    mean[b * p.n_q + i] += weights[p.at(b, i, j)] * tscores[p.at(b, i, j)];
  });
  each_live(p, [&](int64_t b, int64_t i, int64_t j) {
    const double weight = weights[p.at(b, i, j)];
    const double tweight = weight * (tscores[p.at(b, i, j)] - mean[b * p.n_q + i]);
    for (int64_t c = 0; c < p.d_v; ++c) {
      const int64_t value = (b * p.n_k + j) * p.d_v + c;
      tout[(b * p.n_q + i) * p.d_v + c] += tweight * p.v[value] + weight * tv[value];
    }
  });
  return tout;
}

}  // namespace sqrtdk::reference
