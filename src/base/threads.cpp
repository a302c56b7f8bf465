// A loop is open while `turn` is odd. A thread that saw it open enters, looks again, and takes pieces until
// there are none; the caller does likewise, closes the loop and waits until everyone has left. So a loop's
// fields are only written while nobody is inside, and a thread that comes late finds it closed.
#ifdef SQRTDK_THREADS
#include "base/threads.h"

#include <atomic>

#include "base/decimal.h"
#include "base/errors.h"

#ifdef __wasm__
#include <cstdlib>
#else
#include <thread>
#include <vector>
#endif

namespace sqrtdk {
namespace {

constexpr int kSpins = 20000;  // looks for a loop before sleeping: about 20 µs, while waking takes 50

// Each in a cache line of its own. All in one order (memory_order_seq_cst): either a thread that enters sees
// that the loop is closed, or the caller sees that it has entered.
alignas(64) std::atomic<uint32_t> turn{0};
alignas(64) std::atomic<int64_t> next_piece{0};
alignas(64) std::atomic<int> inside{0};
alignas(64) std::atomic<int> asleep{0};

struct Loop {
  int64_t n_pieces;
  void (*run)(const void* body, int64_t piece, int thread) noexcept;
  const void* body;
};
alignas(64) Loop loop;
int threads = 1;

#ifdef __wasm__
std::atomic<bool> is_lost{false};
char* stacks[kMaxThreads];

// On the futex of WebAssembly, since the C++ library of a module without threads knows none.
void sleep_until_not(uint32_t seen) {
  __builtin_wasm_memory_atomic_wait32(reinterpret_cast<int*>(&turn), static_cast<int>(seen), -1);
}
void wake_all() { __builtin_wasm_memory_atomic_notify(reinterpret_cast<int*>(&turn), kMaxThreads); }
void check_lost() {
  if (is_lost) std::abort();
}
#else
std::atomic<bool> ended{false};
std::vector<std::thread> others;

void sleep_until_not(uint32_t seen) { turn.wait(seen); }
void wake_all() { turn.notify_all(); }
void check_lost() { std::this_thread::yield(); }
#endif

bool is_open(uint32_t at) { return (at & 1) != 0; }

// The next loop that is open.
uint32_t next_turn(uint32_t seen) {
  for (int spins = 0;; ++spins) {
    const uint32_t now = turn;
    if (is_open(now) && now != seen) return now;
    if (spins < kSpins) continue;
    ++asleep;
    sleep_until_not(now);
    --asleep;
    spins = 0;
  }
}

void take_pieces(int thread) noexcept {
  for (int64_t piece; (piece = next_piece.fetch_add(1)) < loop.n_pieces;) {
    loop.run(loop.body, piece, thread);
  }
}

[[gnu::noinline]] void take_part(int thread) noexcept {
  for (uint32_t seen = 0;;) {
    seen = next_turn(seen);
#ifndef __wasm__
    if (ended) return;
#endif
    ++inside;
    if (turn == seen) take_pieces(thread);
    --inside;
  }
}

void open_loop() {
  ++turn;
  if (asleep > 0) wake_all();
}

void check_threads(int n) {
  if (n < 1 || n > kMaxThreads) throw_out_of_range("threads", "n", 1, kMaxThreads, n);
}

}  // namespace

int n_threads() { return threads; }

void run_pieces(int64_t n_pieces, void (*run)(const void* body, int64_t piece, int thread) noexcept,
                const void* body) noexcept {
  loop = {n_pieces, run, body};
  next_piece = 0;
  open_loop();
  take_pieces(0);
  ++turn;
  while (inside > 0) check_lost();
}

#ifdef __wasm__
TakePart prepare_threads(int n) {
  check_threads(n);
  constexpr size_t kStack = 1 << 20;  // as the caller's: scripts/cmake/wasm.cmake
  for (int thread = 1; thread < n; ++thread) {
    auto* const stack = static_cast<char*>(std::aligned_alloc(16, kStack));
    if (!stack) {
      throw OutOfMemory(ErrorCode::kOutOfMemory, "threads", "n", "", to_text(kStack) + " bytes");
    }
    stacks[thread] = stack + kStack;
  }
  threads = n;
  return [](int thread) {
    // Nothing of this function lies on the stack that was the instance's before.
    asm volatile(".globaltype __stack_pointer, i32\n\tlocal.get %0\n\tglobal.set __stack_pointer"
                 :
                 : "r"(stacks[thread]));
    take_part(thread);
  };
}

void lose_thread() { is_lost = true; }
#else
Threads::Threads(int n) {
  check_threads(n);
  ended = false;
  for (int thread = 1; thread < n; ++thread) others.emplace_back(take_part, thread);
  threads = n;
}

Threads::~Threads() {
  threads = 1;
  ended = true;
  open_loop();
  for (std::thread& each : others) each.join();
  others.clear();
  ++turn;
}
#endif

}  // namespace sqrtdk
#endif
