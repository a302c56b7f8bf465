#pragma once
// Layer norm or RMS norm as a layer.
#include "layers/layer.h"

namespace sqrtdk {

enum class NormKind { kLayer, kRms };

class Norm {
 public:
  /// Registers "<name>.weight" and, for layer norm, "<name>.bias", both [d]; they begin as 0
  /// like all parameters, and `initialize` makes them 1 and 0.
  /// Not affine: without both. Throws ValueError for an epsilon that is negative or not finite.
  Norm(Parameters& parameters, const std::string& name, NormKind kind, int64_t d, float epsilon = 1e-5f,
       bool affine = true);
  View forward(ConstView x, Cache& cache) const;                   // "<name>.out"; the caller's x must stay
  View backward(ConstView x, ConstView dout, Cache& cache) const;  // "<name>.dx"
  int weight() const { return weight_; }                           // -1 where there is none
  int bias() const { return bias_; }

 private:
  Shape stats_shape(const Shape& x) const;
  ConstView value(int parameter) const;
  View gradient(int parameter) const;

  Parameters* parameters_;
  CacheName stats_, out_, dx_;  // names in the cache
  NormKind kind_;
  int weight_ = -1, bias_ = -1;
  int64_t d_;
  float epsilon_;
};

}  // namespace sqrtdk
