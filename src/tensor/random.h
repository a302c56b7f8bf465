#pragma once
// Our own random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
// SC 2011), a pure function of (seed, stream, element index). A value does not depend on how many are
// drawn, in what order, or by how many workers.
#include <cstdint>

namespace sqrtdk {

/// out[i] = element first + i of the stream, uniform in [0, 1), multiples of 2^-24.
void philox_uniform(uint64_t seed, uint64_t stream, uint64_t first, float* out, int64_t n);

/// The elements of the stream as standard normals, by Box–Muller with our own log and sincos.
void philox_normal(uint64_t seed, uint64_t stream, uint64_t first, float* out, int64_t n);

}  // namespace sqrtdk
