#include "base/parallel.h"

#include <doctest/doctest.h>

#include <atomic>
#include <vector>

#ifdef SQRTDK_THREADS
#include "base/threads.h"
#endif

using namespace sqrtdk;

namespace {

// How often each item was visited, and the threads that did.
struct Visits {
  explicit Visits(int64_t n) : items(static_cast<size_t>(n)) {}
  std::vector<std::atomic<int>> items;
  std::atomic<int> parts{0};
  std::atomic<bool> in_order{true}, numbered{true};

  void loop(int64_t work, int64_t max_pieces) {
    const auto n = static_cast<int64_t>(items.size());
    parallel_for(n, work, max_pieces, [&](int64_t begin, int64_t end, int thread) noexcept {
      ++parts;
      if (begin > end || begin < 0 || end > n) in_order = false;
      if (thread < 0 || thread >= n_threads()) numbered = false;
      for (int64_t i = begin; i < end; ++i) ++items[static_cast<size_t>(i)];
    });
  }
  bool each_once() const {
    for (const auto& count : items) {
      if (count != 1) return false;
    }
    return in_order && numbered;
  }
};

void check_loops() {
  for (const int64_t n : {0, 1, 2, 3, 5, 7, 31, 64, 1000}) {
    for (const int64_t max_pieces : {1, 2, 3, 7, 1000}) {
      for (const int64_t work : {0, 1, 1 << 14, 1 << 20}) {
        CAPTURE(n);
        CAPTURE(max_pieces);
        CAPTURE(work);
        Visits visits(n);
        visits.loop(work, max_pieces);
        CHECK(visits.each_once());
        CHECK(visits.parts <= std::max<int64_t>(1, std::min(n, max_pieces)));
      }
    }
  }
}

}  // namespace

TEST_CASE("loops visit each item once") { check_loops(); }

#ifdef SQRTDK_THREADS
TEST_CASE("threads: loops of several visit each item once, and short ones stay whole") {
  for (const int n : {1, 2, 3, 5}) {
    CAPTURE(n);
    const Threads threads(n);
    CHECK(n_threads() == n);
    check_loops();
    Visits visits(1000);
    visits.loop(1, 1000);
    CHECK(visits.parts == 1);
  }
  CHECK(n_threads() == 1);
}

TEST_CASE("threads: loops one after the other, of which each sees what those before wrote") {
  const Threads threads(3);
  std::vector<int64_t> values(64), next(64);
  constexpr int64_t kRounds = 3000;
  for (int64_t round = 0; round < kRounds; ++round) {
    parallel_for(64, 1 << 20, 16, [&](int64_t i, int64_t end, int) noexcept {
      for (; i < end; ++i) next[static_cast<size_t>(i)] = values[static_cast<size_t>((i * 5 + 1) % 64)] + 1;
    });
    values.swap(next);
  }
  CHECK(values == std::vector<int64_t>(64, kRounds));
}
#endif
