#pragma once
// What every layer is told, and how layers are written.
//
// A layer is built with a reference to the Parameters in which it registers its own under `name`: "linear1"
// makes "linear1.weight". After Parameters::allocate() it can run:
//   View forward(ConstView x, Cache& cache, const Mode& mode)   leaves what backward needs in the cache as
//                                                               "<name>.<what>" and returns "<name>.out"
//   View backward(ConstView dout, Cache& cache)                 adds to the parameters' gradients and returns
//                                                               "<name>.dx", the gradient of its input
// Inputs that forward was given must be unchanged in backward: a layer keeps views of them, no copies. The
// Parameters must stay where they are as long as the layer.
#include <string>

#include "base/hash.h"
#include "kernels/dropout.h"
#include "layers/cache.h"
#include "layers/mode.h"
#include "layers/parameters.h"

namespace sqrtdk {

/// A name inside a layer: "encoder" and "0" make "encoder.0".
inline std::string inside(const std::string& outer, const char* inner) {
  return outer.empty() ? inner : outer + "." + inner;
}
inline std::string inside(const std::string& outer, const std::string& inner) {
  return inside(outer, inner.c_str());
}

/// A layer's stream of random numbers: the hash of its name.
inline uint64_t stream_of(const std::string& name) {
  Fnv1a hash;
  hash.add(name);
  return hash.value();
}

/// What the layer `name` drops in a step.
inline DropoutKey dropout_key(const std::string& name, const Mode& mode) {
  return {mode.seed, stream_of(name) + mode.step};
}

}  // namespace sqrtdk
