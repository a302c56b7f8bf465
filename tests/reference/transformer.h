#pragma once
// The layers of the transformer in double with exact derivatives, one loop per formula: for small sizes.
#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "layers/encoder_layer.h"
#include "reference/activation.h"
#include "reference/dual.h"

namespace sqrtdk::reference {

using Numbers = std::vector<Dual>;

inline Dual relu(const Dual& x) { return x.value > 0 ? x : Dual(0); }
inline Dual gelu(const Dual& x) {
  return {x.value * normal_cdf(x.value), activation_derivative(Activation::kGelu, x.value) * x.tangent};
}
inline Numbers sum(const Numbers& a, const Numbers& b) {
  Numbers out(a.size());
  for (size_t i = 0; i < a.size(); ++i) out[i] = a[i] + b[i];
  return out;
}

using Named = std::map<std::string, std::vector<double>>;

/// A model's parameters as one vector, in the order of their block, and what dropout left of each element.
struct Weights {
  const Parameters& parameters;
  Numbers block;
  Named factors = {};     // by the name of the dropout; none: all 1
  Named* seen = nullptr;  // where intermediates are kept by the names that layers leave in their cache

  Numbers operator()(const std::string& name) const {
    const int index = parameters.find(name);
    if (index < 0) return {};
    const Parameter& parameter = parameters.list()[static_cast<size_t>(index)];
    const auto first = block.begin() + parameter.offset;
    return {first, first + parameter.shape.size()};
  }
  void see(const std::string& name, const Numbers& x) const {
    if (!seen) return;
    std::vector<double>& values = (*seen)[name];
    values.clear();
    for (const Dual& value : x) values.push_back(value.value);
  }
  void drop(const std::string& name, Numbers& x) const {
    const auto found = factors.find(name);
    if (found == factors.end()) return;
    for (size_t i = 0; i < x.size(); ++i) x[i] = x[i] * Dual(found->second.at(i));
  }
};

/// Rows first .. first + n_out of w [.., n_in], and those from first_bias on of b, where there is one.
inline Numbers linear(const Numbers& x, const Numbers& w, const Numbers& b, size_t n_in, size_t n_out,
                      size_t first = 0, size_t first_bias = 0) {
  Numbers out;
  for (size_t row = 0; row < x.size(); row += n_in) {
    for (size_t i = 0; i < n_out; ++i) {
      Dual y = b.empty() ? Dual(0) : b.at(first_bias + i);
      for (size_t j = 0; j < n_in; ++j) y += x[row + j] * w.at((first + i) * n_in + j);
      out.push_back(y);
    }
  }
  return out;
}

inline Numbers norm(const Numbers& x, const Numbers& gain, const Numbers& bias, NormKind kind,
                    double epsilon) {
  const size_t n = gain.size();
  Numbers out;
  for (size_t row = 0; row < x.size(); row += n) {
    Dual mean = 0, variance = epsilon;
    for (size_t j = 0; j < n && kind == NormKind::kLayer; ++j) mean += x[row + j] / static_cast<double>(n);
    for (size_t j = 0; j < n; ++j) {
      variance += (x[row + j] - mean) * (x[row + j] - mean) / static_cast<double>(n);
    }
    for (size_t j = 0; j < n; ++j) {
      const Dual y = (x[row + j] - mean) / sqrt(variance) * gain[j];
      out.push_back(bias.empty() ? y : y + bias[j]);
    }
  }
  return out;
}

/// Does query i of a sequence attend to key j?
using Unmasked = std::function<bool(size_t sequence, size_t i, size_t j)>;

/// rows [batch, n, heads * d] as [batch, heads, n, d].
inline Numbers split(const Numbers& rows, size_t n, size_t heads, size_t d) {
  Numbers out(rows.size());
  for (size_t at = 0; at < rows.size(); ++at) {
    const size_t x = at % d, head = at / d % heads, i = at / d / heads % n, b = at / d / heads / n;
    out[((b * heads + head) * n + i) * d + x] = rows[at];
  }
  return out;
}

/// Each head of x [.., n, heads * d] turned to its position.
inline void rotate(const MultiHeadAttentionConfig& c, Numbers& x, size_t n, size_t width) {
  const auto d = static_cast<size_t>(c.d_head);
  const bool halves = c.rotary_pairs == RotaryPairs::kHalves;
  for (size_t at = 0; at < x.size(); at += d) {
    for (size_t i = 0; i < d / 2; ++i) {
      const double frequency =
          std::pow(c.rotary_base, -2.0 * static_cast<double>(i) / static_cast<double>(d));
      const double angle = static_cast<double>(at / width % n) * frequency;
      Dual &first = x[at + (halves ? i : 2 * i)], &second = x[at + (halves ? i + d / 2 : 2 * i + 1)];
      const Dual a = first, b = second, cos = std::cos(angle), sin = std::sin(angle);
      first = a * cos - b * sin;
      second = a * sin + b * cos;
    }
  }
}

/// a · b, or the cosine of their angle.
inline Dual product(const Dual* a, const Dual* b, size_t d, bool cosine) {
  Dual dot = 0, aa = 0, bb = 0;
  for (size_t x = 0; x < d; ++x) dot += a[x] * b[x], aa += a[x] * a[x], bb += b[x] * b[x];
  return cosine ? dot / (sqrt(aa) * sqrt(bb)) : dot;
}

/// query: [batch, n_q, d_model], key: [batch, n_k, d_key_in], value: [batch, n_k, d_value_in]; the config as
/// MultiHeadAttention::config() completes it.
inline Numbers multi_head_attention(const Weights& weights, const std::string& name,
                                    const MultiHeadAttentionConfig& c, size_t batch, const Numbers& query,
                                    const Numbers& key, const Numbers& value, const Unmasked& unmasked) {
  const auto d_model = static_cast<size_t>(c.d_model), d = static_cast<size_t>(c.d_head);
  const auto heads = static_cast<size_t>(c.n_heads), kv_heads = static_cast<size_t>(c.n_kv_heads);
  const auto d_key = static_cast<size_t>(c.d_key_in), d_value = static_cast<size_t>(c.d_value_in);
  const size_t d_q = heads * d, d_kv = kv_heads * d;
  const size_t n_q = query.size() / batch / d_model, n_k = key.size() / batch / d_key;
  const auto parameter = [&](const char* which) { return weights(inside(name, which)); };
  const auto see = [&](const char* which, const Numbers& x) { weights.see(inside(name, which), x); };
  const Numbers all = parameter("in_proj_weight"), bias = parameter("in_proj_bias");
  const auto part = [&](const char* which) { return all.empty() ? parameter(which) : all; };
  const size_t step = all.empty() ? 0 : d_q, v_row = (c.tied_kv ? 1 : 2) * step;
  const char* const k_name = c.tied_kv ? "kv_proj_weight" : "k_proj_weight";
  Numbers q = linear(query, part("q_proj_weight"), bias, d_model, d_q, 0, 0);
  Numbers k = linear(key, part(k_name), bias, d_key, d_kv, step, d_q);
  const Numbers v = linear(value, part(c.tied_kv ? k_name : "v_proj_weight"), bias, d_value, d_kv, v_row,
                           c.tied_kv ? d_q : d_q + d_kv);
  see("q_proj.out", q), see("k_proj.out", k), see("v_proj.out", v);
  if (c.qk_norm) {
    q = norm(q, parameter("q_norm.weight"), {}, NormKind::kRms, c.norm_epsilon);
    k = norm(k, parameter("k_norm.weight"), {}, NormKind::kRms, c.norm_epsilon);
  }
  if (c.rotary_base != 0) rotate(c, q, n_q, d_q), rotate(c, k, n_k, d_kv);
  see("q", split(q, n_q, heads, d)), see("k", split(k, n_k, kv_heads, d));
  see("v", split(v, n_k, kv_heads, d));
  const double root = std::sqrt(static_cast<double>(d));
  const Dual scale = c.learned_scale ? parameter("scale").at(0)
                     : c.scale       ? Dual(*c.scale)
                                     : Dual(c.cosine ? root : 1 / root);
  Numbers scores(batch * heads * n_q * n_k, Dual(-INFINITY)), attention(scores.size());
  for (size_t b = 0; b < batch; ++b) {
    for (size_t row = 0; row < heads * n_q; ++row) {
      const size_t head = row / n_q, i = row % n_q, at = (b * heads * n_q + row) * n_k;
      Dual total = 0;
      for (size_t j = 0; j < n_k; ++j) {
        if (!unmasked(b, i, j)) continue;
        const size_t kv_head = head / (heads / kv_heads);
        Dual score =
            product(&q[(b * n_q + i) * d_q + head * d], &k[(b * n_k + j) * d_kv + kv_head * d], d, c.cosine);
        score = score * scale;
        if (c.softcap > 0) score = tanh(score / Dual(c.softcap)) * Dual(c.softcap);
        scores[at + j] = score;
        total += attention[at + j] = exp(score);
      }
      for (size_t j = 0; j < n_k; ++j) {
        if (unmasked(b, i, j)) attention[at + j] = attention[at + j] / total;
      }
    }
  }
  see("scores", scores), see("weights", attention);
  weights.drop(inside(name, "weights"), attention);
  Numbers concat(batch * n_q * d_q);
  for (size_t at = 0; n_k > 0 && at < attention.size(); ++at) {
    const size_t j = at % n_k, i = at / n_k % n_q, head = at / n_k / n_q % heads, b = at / n_k / n_q / heads;
    for (size_t x = 0; x < d; ++x) {
      concat[(b * n_q + i) * d_q + head * d + x] +=
          attention[at] * v[(b * n_k + j) * d_kv + head / (heads / kv_heads) * d + x];
    }
  }
  see("heads", split(concat, n_q, heads, d)), see("concat", concat);
  const Numbers out = linear(concat, parameter("out_proj.weight"), parameter("out_proj.bias"), d_q, d_model);
  see("out_proj.out", out);
  return out;
}

/// One sublayer: norm(x + f(x)) or x + f(norm(x)).
template <class Function>
Numbers sublayer(const Weights& weights, const std::string& outer, int number,
                 const TransformerLayerConfig& c, const Numbers& x, Function f) {
  const std::string name = inside(outer, "norm" + std::to_string(number));
  const auto normalized = [&](const Numbers& values) {
    Numbers y =
        norm(values, weights(inside(name, "weight")), weights(inside(name, "bias")), c.norm, c.epsilon);
    weights.see(inside(name, "out"), y);
    return y;
  };
  Numbers y = f(c.norm_first ? normalized(x) : x);
  weights.drop(inside(outer, "dropout" + std::to_string(number)), y);
  const Numbers residual = sum(x, y);
  weights.see(inside(outer, "residual" + std::to_string(number)), residual);
  return c.norm_first ? residual : normalized(residual);
}

/// relu or gelu.
inline Numbers feed_forward(const Weights& weights, const std::string& name, const TransformerLayerConfig& c,
                            const Numbers& x) {
  const auto d_model = static_cast<size_t>(c.attention.d_model), d_ff = static_cast<size_t>(c.d_ff);
  const auto parameter = [&](const char* which) { return weights(inside(name, which)); };
  Numbers hidden = linear(x, parameter("linear1.weight"), parameter("linear1.bias"), d_model, d_ff);
  weights.see(inside(name, "linear1.out"), hidden);
  for (Dual& h : hidden) h = c.feed_forward == FeedForwardKind::kRelu ? relu(h) : gelu(h);
  weights.drop(inside(name, "dropout"), hidden);
  weights.see(inside(name, "hidden"), hidden);
  const Numbers out = linear(hidden, parameter("linear2.weight"), parameter("linear2.bias"), d_ff, d_model);
  weights.see(inside(name, "linear2.out"), out);
  return out;
}

}  // namespace sqrtdk::reference
