#include "reference/allocations.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#ifdef SQRTDK_WRAPPED
#include <malloc.h>

extern "C" void __real_free(void* block);  // NOLINT(bugprone-reserved-identifier): the linker's name
#endif

namespace {

constexpr size_t kPrefix =
    2 * sizeof(std::max_align_t) > 16 ? 32 : 16;  // holds the size, keeps the alignment
size_t in_use = 0, peak = 0;
size_t stored = 0;           // by Storage, on Linux
int64_t until_failure = -1;  // allocations that succeed before the one that fails; negative: none does

void release(void* block) {
#ifdef SQRTDK_WRAPPED
  __real_free(block);
#else
  std::free(block);
#endif
}

bool fails() { return until_failure >= 0 && until_failure-- == 0; }

}  // namespace

// All forms: a sanitizer's own do not come here.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  if (fails()) return nullptr;
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
  release(block);
}
void operator delete(void* p, size_t) noexcept { operator delete(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { operator delete(p); }
void operator delete[](void* p) noexcept { operator delete(p); }
void operator delete[](void* p, size_t) noexcept { operator delete(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { operator delete(p); }

#ifdef SQRTDK_WRAPPED
// The linker sends Storage's calls here: scripts/cmake/tests.cmake.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
int __real_posix_memalign(void** block, size_t alignment, size_t size);
int __wrap_posix_memalign(void** block, size_t alignment, size_t size) {
  if (fails()) return ENOMEM;
  const int status = __real_posix_memalign(block, alignment, size);
  if (status == 0) stored += malloc_usable_size(*block);
  return status;
}
void __wrap_free(void* block) {
  if (block) stored -= malloc_usable_size(block);
  __real_free(block);
}
}
// NOLINTEND(bugprone-reserved-identifier)
#endif

namespace sqrtdk::reference {

FailingAllocation::FailingAllocation(int64_t n) { until_failure = n; }
FailingAllocation::~FailingAllocation() { until_failure = -1; }
bool FailingAllocation::failed() const { return until_failure < 0; }

size_t allocated_bytes() { return in_use + stored; }

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
