#pragma once
// What a layer's forward pass leaves in its cache, as printed lines, numbers and figures.
#include "experiments/experiment.h"
#include "experiments/token_rows.h"
#include "layers/initialize.h"

namespace sqrtdk {

/// One layer with weights and a cache of its own, as PyTorch begins.
template <class Layer>
struct LayerModel {
  template <class Config>
  LayerModel(const Config& config, std::string layer_name, uint64_t seed)
      : name(std::move(layer_name)), layer(parameters, name, config) {
    parameters.allocate();
    initialize(parameters, {}, seed);
  }
  ConstView at(const char* key) const { return cache.at(inside(name, key)); }

  std::string name;
  Parameters parameters;
  Cache cache;
  Layer layer;
};

/// A tensor of the cache, and the word for it.
struct Intermediate {
  const char* name;
  const char* key;  // inside the layer
};

/// A line with name, shape, mean and standard deviation of each, and the latter two as "activation_mean" and
/// "activation_std" with {"tensor", name} at the end of `at`. Masked scores, -inf, are left out.
void add_intermediates(Result& result, const Cache& cache, const std::string& layer,
                       std::span<const Intermediate> intermediates, const Labels& at);

/// One head's weights, or scores, [batch, n_heads, n_q, n_k], of one sequence.
Figure head_map(const char* name, ConstView weights, int64_t sequence, int64_t head, const char* x,
                const char* y);

/// Mean and standard deviation, with n in its denominator, of all elements but -inf.
struct Spread {
  double mean, std;
};
Spread spread_of(ConstView x);

/// The mean that is farthest from 0 and the standard deviation farthest from 1, of all rows.
Spread worst_row(ConstView x);

/// |sum - 1| at most, of all rows.
double worst_row_sum(ConstView weights);

constexpr Param int_param(const char* name, const char* default_value, double min, double max) {
  return {.name = name, .type = ParamType::kInt, .default_value = default_value, .min = min, .max = max};
}

/// Throws ValueError unless low <= value <= high, for a bound that depends on another parameter.
void check_within(const char* op, const char* name, int64_t value, int64_t low, int64_t high);

/// Throws ValueError unless n_heads divides d_model.
void check_heads(const char* op, int64_t d_model, int64_t n_heads);

}  // namespace sqrtdk
