#include "experiments/layer_trace.h"

#include <algorithm>

#include "experiments/heat_map.h"
#include "experiments/statistics.h"
#include "experiments/text.h"
#include "layers/layer.h"
#include "tensor/errors.h"

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

double worst_row_sum(ConstView weights) {
  const int64_t n = weights.shape[-1], rows = weights.shape.leading(1);
  double worst = 0;
  for (int64_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += static_cast<double>(weights.data[row * n + i]);
    worst = std::max(worst, std::fabs(sum - 1));
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
    labels.emplace_back("tensor", name);
    result.scalars.push_back({.name = "activation_mean", .at = labels, .value = spread.mean});
    result.scalars.push_back({.name = "activation_std", .at = labels, .value = spread.std});
  }
}

Figure head_map(const char* name, ConstView weights, int64_t sequence, int64_t head, const char* x,
                const char* y) {
  const int64_t n_heads = weights.shape[1], n_q = weights.shape[2], n_k = weights.shape[3];
  const ConstView matrix(weights.data + (sequence * n_heads + head) * n_q * n_k, {n_q, n_k});
  Figure figure = heat_map(name, {{"head", std::to_string(head)}}, matrix, {.x = x, .y = y, .z = "weight"});
  figure.y_max = 1;
  return figure;
}

void check_within(const char* op, const char* name, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return;
  throw ValueError(ErrorCode::kOutOfRange, op, name, std::to_string(low) + " .. " + std::to_string(high),
                   std::to_string(value));
}

void check_heads(const char* op, int64_t d_model, int64_t n_heads) {
  if (d_model % n_heads == 0) return;
  throw ValueError(ErrorCode::kOutOfRange, op, "n_heads", "a divisor of d_model = " + std::to_string(d_model),
                   std::to_string(n_heads));
}

}  // namespace sqrtdk
