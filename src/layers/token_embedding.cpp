#include "layers/token_embedding.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/elementwise.h"
#include "layers/positional_encoding.h"

namespace sqrtdk {
namespace {

float factor(int64_t d_model) { return static_cast<float>(std::sqrt(static_cast<double>(d_model))); }

}  // namespace

TokenEmbedding::TokenEmbedding(Parameters& parameters, const std::string& name,
                               const TokenEmbeddingConfig& config)
    : parameters_(&parameters),
      config_(config),
      embedding_(parameters, inside(name, "embedding"), config.vocab, config.d_model) {
  const Shape shape{config.context, config.d_model};
  if (config.positions == Positions::kLearned) {
    positions_ = parameters.add(inside(name, "positions.weight"), shape, ParameterRole::kEmbedding);
  } else if (config.positions == Positions::kSinusoidal) {
    encoding_ = Storage(shape.size());
    sinusoidal_encoding({encoding_.data(), shape});
  }
}

View TokenEmbedding::forward(IndexView ids, int64_t first, const CacheName& out, Cache& cache) const {
  const View rows = embedding_.forward(ids, cache);
  const View x = cache.make(out, rows.shape);
  std::copy_n(rows.data, rows.shape.size(), x.data);
  if (config_.scaled) scale_elements(x, factor(config_.d_model));
  if (config_.positions == Positions::kLearned) {
    add_positions(std::as_const(*parameters_).value(positions_), first, x);
  }
  if (encoding_.size() > 0) {
    add_positions({encoding_.data(), {config_.context, config_.d_model}}, first, x);
  }
  return x;
}

void TokenEmbedding::backward(IndexView ids, View dx) const {
  if (config_.positions == Positions::kLearned) {
    add_positions_backward(dx, 0, parameters_->gradient(positions_));
  }
  if (config_.scaled) scale_elements(dx, factor(config_.d_model));
  embedding_.backward(ids, dx);
}

}  // namespace sqrtdk
