#pragma once
// Dropout inside a model: on in training, and the same elements in backward.
#include "layers/layer.h"

namespace sqrtdk {

class Dropout {
 public:
  /// Throws ValueError unless 0 <= probability < 1.
  Dropout(std::string name, float probability);
  void forward(View x, Cache& cache, const Mode& mode) const;  // in place
  void backward(View dx, const Cache& cache) const;            // in place, with the mode of the last forward
  float probability() const { return probability_; }

 private:
  std::string name_;
  float probability_;
};

}  // namespace sqrtdk
