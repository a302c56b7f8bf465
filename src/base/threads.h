#pragma once
// The threads of parallel.h's loops, in builds that have them (SQRTDK_THREADS).
#include "base/parallel.h"

namespace sqrtdk {

#ifdef __wasm__
/// What other workers call with their numbers, 1 .. n - 1, to take part; it does not return. Each has a
/// stack, for which there is room from here on: only once. Throws OutOfMemory, and ValueError for n that is
/// not 1 .. kMaxThreads.
using TakePart = void (*)(int thread);
TakePart prepare_threads(int n);
/// A worker that takes part is gone in the midst of it: loops cannot end, and trap.
void lose_thread();
#else
/// While it lives, loops have n threads.
class Threads {
 public:
  explicit Threads(int n);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
};
#endif

}  // namespace sqrtdk
