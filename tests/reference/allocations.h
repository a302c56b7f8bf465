#pragma once
// Memory from operator new, which allocations_test.cpp replaces for the test program.
#include <cstddef>

namespace sqrtdk::reference {

/// The most bytes that were in use at one time since the object was made, beyond those in use then.
class PeakMemory {
 public:
  PeakMemory();
  size_t bytes() const;

 private:
  size_t before_;
};

}  // namespace sqrtdk::reference
