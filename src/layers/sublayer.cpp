#include "layers/sublayer.h"

#include <algorithm>

#include "base/decimal.h"

namespace sqrtdk {

Sublayer::Sublayer(Parameters& parameters, const std::string& outer, int number, const SublayerConfig& config)
    : norm_(parameters, inside(outer, "norm" + to_text(number)), config.norm, config.d_model, config.epsilon),
      dropout_(inside(outer, "dropout" + to_text(number)), config.dropout),
      norm_first_(config.norm_first),
      residual_(inside(outer, "residual" + to_text(number))),
      norm_out_(inside(outer, "norm" + to_text(number) + ".out")),
      dropped_(inside(outer, "dropout" + to_text(number) + ".dx")),
      dx_(inside(outer, "dx" + to_text(number))) {}

// The gradient before the dropout: dout goes on to x as it is.
ConstView Sublayer::dropped(ConstView dout, Cache& cache) const {
  if (!cache.mode.training || dropout_.probability() == 0) return dout;
  const View result = cache.make(dropped_, dout.shape);
  std::copy_n(dout.data, dout.shape.size(), result.data);
  dropout_.backward(result, cache);
  return result;
}

}  // namespace sqrtdk
