#include "layers/dropout_layer.h"

#include <utility>

#include "base/errors.h"

namespace sqrtdk {

Dropout::Dropout(std::string name, float probability) : name_(std::move(name)), probability_(probability) {
  if (!(probability >= 0 && probability < 1)) {
    throw_out_of_range("dropout", "probability", "0 .. 1, without 1", probability);
  }
}

void Dropout::forward(View x, Cache& cache, const Mode& mode) const {
  cache.mode = mode;
  if (!mode.training || probability_ == 0) return;
  dropout_forward(x, probability_, dropout_key(name_, mode), x);
}

void Dropout::backward(View dx, const Cache& cache) const {
  if (!cache.mode.training || probability_ == 0) return;
  dropout_backward(dx, probability_, dropout_key(name_, cache.mode), dx);
}

}  // namespace sqrtdk
