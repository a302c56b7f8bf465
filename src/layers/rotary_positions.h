#pragma once
// Rotary positions of the heads of attention. Their tables lie in the cache, one for all layers with the same
// base and head dimension, and grow with the longest sequence.
#include "kernels/rotary.h"
#include "layers/cache.h"

namespace sqrtdk {

class RotaryPositions {
 public:
  /// base: as rotary_table; d: the head dimension, even.
  RotaryPositions(double base, int64_t d, RotaryPairs pairs);
  /// x [.., n, d] at positions first .. first + n - 1, in place. Throws ShapeError, ValueError.
  void forward(View x, int64_t first, Cache& cache) const;
  void backward(View dx, int64_t first, Cache& cache) const;

 private:
  struct Tables {
    ConstView cos, sin;
  };
  Tables tables(const Shape& x, int64_t first, Cache& cache) const;

  double base_;
  int64_t d_;
  RotaryPairs pairs_;
  CacheName cos_, sin_;
};

}  // namespace sqrtdk
