#pragma once
// Layer norm or RMS norm as a layer.
#include "layers/layer.h"

namespace sqrtdk {

enum class NormKind { kLayer, kRms };

class Norm {
 public:
  /// Registers "<name>.weight" and, for layer norm, "<name>.bias", both [d]; they begin as 0
  /// like all parameters, and norm_init makes them 1 and 0.
  Norm(Parameters& parameters, std::string name, NormKind kind, int64_t d, float epsilon = 1e-5f);
  View forward(ConstView x, Cache& cache) const;                   // "<name>.out"; the caller's x must stay
  View backward(ConstView x, ConstView dout, Cache& cache) const;  // "<name>.dx"
  int weight() const { return weight_; }
  int bias() const { return bias_; }  // -1 where there is none

 private:
  Shape stats_shape(const Shape& x) const;

  Parameters* parameters_;
  std::string name_;
  NormKind kind_;
  int weight_ = -1, bias_ = -1;
  int64_t d_;
  float epsilon_;
};

}  // namespace sqrtdk
