#include "layers/sublayer.h"

#include <algorithm>

namespace sqrtdk {

Sublayer::Sublayer(Parameters& parameters, const std::string& outer, int number, const SublayerConfig& config)
    : norm_(parameters, inside(outer, "norm" + std::to_string(number)), config.norm, config.d_model,
            config.epsilon),
      dropout_(inside(outer, "dropout" + std::to_string(number)), config.dropout),
      norm_first_(config.norm_first),
      residual_(inside(outer, "residual" + std::to_string(number))),
      norm_out_(inside(outer, "norm" + std::to_string(number) + ".out")),
      dropped_(inside(outer, "dropout" + std::to_string(number) + ".dx")),
      dx_(inside(outer, "dx" + std::to_string(number))) {}

// The gradient before the dropout: dout goes on to x as it is.
ConstView Sublayer::dropped(ConstView dout, Cache& cache) const {
  if (!cache.mode.training || dropout_.probability() == 0) return dout;
  const View result = cache.make(dropped_, dout.shape);
  std::copy_n(dout.data, dout.shape.size(), result.data);
  dropout_.backward(result, cache);
  return result;
}

}  // namespace sqrtdk
