// What the C library asks of what is around it, which Emscripten would answer in JavaScript: nothing but the
// operators crosses. Compiled as it is, since instructions for all of the memory would else be taken for
// smaller copies, too.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <ctime>

extern "C" {

double sqrtdk_now();  // of module.ts: milliseconds, which do not go back

void abort() { __builtin_trap(); }

/// Copies of 512 bytes or more; memcpy itself copies less.
void* emscripten_memcpy_big(void* to, const void* from, size_t n) { return std::memcpy(to, from, n); }

/// Grows the memory to `asked` bytes and, if there is room, a fifth of what it has beyond, at most 96 MB more
/// than asked; where there is none, a tenth or a twentieth. Whether it could.
int emscripten_resize_heap(size_t asked) {
  constexpr size_t kPage = 65536, kMost = size_t{1} << 31, kFurther = 96 << 20;  // the second as linked
  if (asked > kMost) return 0;
  const size_t old = __builtin_wasm_memory_size(0) * kPage;
  for (const size_t part : {5, 10, 20}) {
    const size_t wanted = std::max(asked, std::min(old + old / part, asked + kFurther));
    const size_t size = std::min(kMost, (wanted + kPage - 1) / kPage * kPage);
    if (__builtin_wasm_memory_grow(0, (size - old) / kPage) != static_cast<size_t>(-1)) return 1;
  }
  return 0;
}

/// Clocks are for durations: all are the same.
int clock_gettime(clockid_t, timespec* time) {
  const double now = sqrtdk_now();
  time->tv_sec = static_cast<time_t>(now / 1000);
  time->tv_nsec = static_cast<long>((now - static_cast<double>(time->tv_sec) * 1000) * 1e6);
  return 0;
}
}
