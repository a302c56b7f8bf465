#include "experiments/layer_trace.h"

#include <cmath>

#include "base/text.h"
#include "lab/heat_map.h"
#include "lab/statistics.h"
#include "lab/work.h"
#include "layers/layer.h"

namespace sqrtdk {
namespace {

std::string padded(std::string text, size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

/// Three decimals, 0 without a sign.
std::string rounded(double x) { return fixed(std::fabs(x) < 0.0005 ? 0 : x, 3); }

/// With n in the denominator, as in layer norm.
double std_of(const Moments& moments) {
  const double n = static_cast<double>(moments.count());
  return n > 1 ? std::sqrt(moments.variance() * (n - 1) / n) : 0;
}

}  // namespace

Spread spread_of(ConstView x) {
  Moments moments;
  for (int64_t i = 0; i < x.shape.size(); ++i) {
    const double value = static_cast<double>(x.data[i]);
    if (value != -HUGE_VAL) moments.add(value);
  }
  return {moments.mean(), std_of(moments)};
}

Spread worst_row(ConstView x) {
  const int64_t n = x.shape[-1], rows = x.shape.leading(1);
  Spread worst{0, 1};
  for (int64_t row = 0; row < rows; ++row) {
    Moments moments;
    for (int64_t i = 0; i < n; ++i) moments.add(static_cast<double>(x.data[row * n + i]));
    const double std = std_of(moments);
    if (std::fabs(moments.mean()) > std::fabs(worst.mean)) worst.mean = moments.mean();
    if (std::fabs(std - 1) > std::fabs(worst.std - 1)) worst.std = std;
  }
  return worst;
}

void add_intermediates(Result& result, const Cache& cache, const std::string& layer,
                       std::span<const Intermediate> intermediates, const Labels& at) {
  for (const auto& [name, key] : intermediates) {
    const ConstView x = cache.at(inside(layer, key));
    const Spread spread = spread_of(x);
    result.lines.push_back(padded(name, 16) + padded(x.shape.text(), 18) + "mean=" + rounded(spread.mean) +
                           " std=" + rounded(spread.std));
    Labels labels = at;
    labels.add({"tensor", name});
    result.add("activation_mean", labels, spread.mean);
    result.add("activation_std", labels, spread.std);
  }
}

Figure head_map(const char* name, ConstView weights, int64_t sequence, int64_t head, const char* x,
                const char* y) {
  const int64_t n_heads = weights.shape[1], n_q = weights.shape[2], n_k = weights.shape[3];
  const ConstView matrix(weights.data + (sequence * n_heads + head) * n_q * n_k, {n_q, n_k});
  return heat_map(name, {{"head", head + 1}}, matrix, {.x = x, .y = y, .z = "weight"});
}

Tensor layer_input(const Params& params, const char* length, uint64_t stream) {
  const Shape shape{params.integer("batch"), params.integer(length), params.integer("d_model")};
  return params.choice("input") == "uniform" ? uniform_tokens(params.seed("seed"), stream, shape)
                                             : normal_tokens(params.seed("seed"), stream, shape);
}

LayerWork::LayerWork(const TransformerLayerConfig& config, int64_t n_attentions, int64_t n_rows) {
  const int64_t d = config.attention.d_model, n_weights = n_attentions * 4 * d * d + 2 * d * config.d_ff;
  start = weight_work(n_weights);
  pass = product_work(n_rows * n_weights);
}

}  // namespace sqrtdk
