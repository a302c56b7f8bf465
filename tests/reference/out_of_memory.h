#pragma once
// A call whose allocations fail, one after the other.
#include <doctest/doctest.h>

#include <new>

#include "base/errors.h"
#include "reference/allocations.h"

namespace sqrtdk::reference {

/// Calls with the first, the second, .. allocation failing until none of them does; from the 64th on only
/// about every eighth of those that are left to try is. A call that throws throws OutOfMemory or
/// std::bad_alloc, of which the border makes OutOfMemory; after it `check` runs.
template <class Call, class Check>
void fail_each_allocation(Call call, Check check) {
  for (int64_t n = 0;; n += 1 + (n < 64 ? 0 : n / 8)) {
    CAPTURE(n);
    bool typed = false, other = false, failed;
    {
      const FailingAllocation failure(n);
      try {
        call();
      } catch (const OutOfMemory&) {
        typed = true;
      } catch (const std::bad_alloc&) {
        typed = true;
      } catch (const std::exception&) {
        other = true;
      }
      failed = failure.failed();
    }
    CHECK(!other);
    if (!failed) {
      CHECK(!typed);
      CHECK(n > 0);
      return;
    }
    if (typed) check();
  }
}

}  // namespace sqrtdk::reference
