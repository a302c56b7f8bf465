#pragma once
// Loops whose items several threads compute, where the build has them (SQRTDK_THREADS): the module for
// cross-origin isolated pages, and natively a program of tests. Elsewhere they are calls of their body, at no
// cost.
#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace sqrtdk {

inline constexpr int kMaxThreads = 32;

#ifdef SQRTDK_THREADS
/// How many there are, the caller's with them.
int n_threads();

/// Calls run(body, piece, thread) once for each piece, 0 <= thread < n_threads().
void run_pieces(int64_t n_pieces, void (*run)(const void* body, int64_t piece, int thread) noexcept,
                const void* body) noexcept;
#else
constexpr int n_threads() { return 1; }
#endif

/// Calls body(begin, end, thread) for parts of 0 .. n that hold each item once, at most `max_pieces` parts
/// and none for less work than handing it over costs; `work` is that of an item, in multiplications. `thread`
/// numbers the scratch that a call may use. What is due in an item must depend on the item alone, so that
/// bits do not depend on the parts. A body does not throw, which its type says, and allocates nothing: what
/// may fail comes before. One loop at a time: neither within a body nor from two threads.
template <class Body>
void parallel_for(int64_t n, int64_t work, int64_t max_pieces, const Body& body) noexcept {
  static_assert(std::is_nothrow_invocable_v<const Body&, int64_t, int64_t, int>);
#ifdef SQRTDK_THREADS
  constexpr int64_t kLeastWork = 1 << 16;  // about 3 µs
  const int64_t pieces = std::min({n, max_pieces, n * work / kLeastWork});
  if (n_threads() > 1 && pieces > 1) {
    struct Loop {
      const Body& body;
      int64_t n, pieces;
    } loop{body, n, pieces};
    // From the last, which are the longest where causality masks.
    const auto run = [](const void* of, int64_t piece, int thread) noexcept {
      const Loop& loop = *static_cast<const Loop*>(of);
      const int64_t end = loop.pieces - piece;
      loop.body(loop.n * (end - 1) / loop.pieces, loop.n * end / loop.pieces, thread);
    };
    return run_pieces(pieces, run, &loop);
  }
#endif
  body(0, n, 0);
}

}  // namespace sqrtdk
