#include "reference/allocations.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>

namespace {

constexpr size_t kPrefix =
    2 * sizeof(std::max_align_t) > 16 ? 32 : 16;  // holds the size, keeps the alignment
size_t in_use = 0, peak = 0;

}  // namespace

// All forms: a sanitizer's own do not come here.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  char* const block = static_cast<char*>(size > size + kPrefix ? nullptr : std::malloc(size + kPrefix));
  if (!block) return nullptr;
  std::memcpy(block, &size, sizeof size);
  in_use += size;
  if (in_use > peak) peak = in_use;
  return block + kPrefix;
}
void* operator new(size_t size) {
  if (void* const block = operator new(size, std::nothrow)) return block;
  throw std::bad_alloc();
}
void* operator new[](size_t size) { return operator new(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return operator new(size, std::nothrow); }
void operator delete(void* p) noexcept {
  if (!p) return;
  char* const block = static_cast<char*>(p) - kPrefix;
  size_t size;
  std::memcpy(&size, block, sizeof size);
  in_use -= size;
  std::free(block);
}
void operator delete(void* p, size_t) noexcept { operator delete(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { operator delete(p); }
void operator delete[](void* p) noexcept { operator delete(p); }
void operator delete[](void* p, size_t) noexcept { operator delete(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { operator delete(p); }

namespace sqrtdk::reference {

PeakMemory::PeakMemory() : before_(in_use) { peak = in_use; }
size_t PeakMemory::bytes() const { return peak - before_; }

}  // namespace sqrtdk::reference

TEST_CASE("peak memory counts what is in use at one time") {
  const sqrtdk::reference::PeakMemory memory;
  for (int i = 0; i < 3; ++i) {
    const std::string a(1000, 'a');
    const auto b = std::make_unique<char[]>(500);
    CHECK(a[999] + b[0] == 'a');
  }
  CHECK(memory.bytes() >= 1501);
  CHECK(memory.bytes() < 1600);
}
