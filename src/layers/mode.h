#pragma once
// How a forward pass runs.
#include <cstdint>

namespace sqrtdk {

struct Mode {
  bool training = false;  // dropout is on
  uint64_t seed = 0;      // of dropout; a layer draws from the stream hash(name) + step
  uint64_t step = 0;
};

}  // namespace sqrtdk
