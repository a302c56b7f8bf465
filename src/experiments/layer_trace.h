#pragma once
// What a layer's forward pass leaves in its cache, as printed lines, numbers and figures.
#include "lab/common_params.h"
#include "lab/token_rows.h"
#include "layers/encoder_layer.h"
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

/// The weights, or scores, [batch, n_heads, n_q, n_k], of one head of one sequence, both counted from 0; the
/// reader counts heads from 1.
Figure head_map(const char* name, ConstView weights, int64_t sequence, int64_t head, const char* x,
                const char* y);

/// Mean and standard deviation, with n in its denominator, of all elements but -inf.
struct Spread {
  double mean, std;
};
Spread spread_of(ConstView x);

/// The mean that is farthest from 0 and the standard deviation farthest from 1, of all rows.
Spread worst_row(ConstView x);

/// What goes into a layer: [batch, `length`, d_model], of the parameters' input, seed and sizes.
Tensor layer_input(const Params& params, const char* length, uint64_t stream);

inline constexpr const char* kNorms[] = {"post", "pre"};
inline constexpr Param kNormParam = choice_param("norm", "post", kNorms);
inline constexpr const char* kInputs[] = {"uniform", "normal"};
inline constexpr Param kInputParam = choice_param("input", "uniform", kInputs);

/// What a layer takes: to begin with its own weights, and in a forward pass over so many rows.
struct LayerWork {
  LayerWork(const TransformerLayerConfig& config, int64_t n_attentions, int64_t n_rows);
  double start, pass;
};

/// A result on its way.
struct LayerStudy {
  LayerStudy(const Params& given, ProgressMeter& given_meter, const LayerWork& given_work)
      : params(given), meter(given_meter), work(given_work) {}
  void add(const char* name, const Labels& at, double value, double expected = kNone) {
    result.add(name, at, value, expected);
  }
  void require(bool claim) { agree = agree && claim; }

  const Params& params;
  ProgressMeter& meter;
  LayerWork work;
  Result result;
  bool agree = true;  // with all that is required
};

}  // namespace sqrtdk
