#pragma once
// Memory from operator new, which allocations_test.cpp replaces for the test program.
#include <cstddef>
#include <cstdint>

namespace sqrtdk::reference {

/// The most bytes that were in use at one time since the object was made, beyond those in use then.
class PeakMemory {
 public:
  PeakMemory();
  size_t bytes() const;

 private:
  size_t before_;
};

/// While it lives, the n-th allocation (0: the next one) fails, once: of operator new, and in native programs
/// of Storage.
class FailingAllocation {
 public:
  explicit FailingAllocation(int64_t n);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;
  bool failed() const;
};

/// What is in use now; on Linux with what Storage holds.
size_t allocated_bytes();

}  // namespace sqrtdk::reference
