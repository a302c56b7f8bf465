#pragma once
// Sorting in little code. std::sort unrolls its small cases anew for each type and order, which readers of
// the page would download: more than a kilobyte each time.
#include <algorithm>
#include <functional>

namespace sqrtdk {

/// Equal elements end in no particular order, but in the same one everywhere.
template <class Range, class Less = std::less<>>
void heap_sort(Range&& range, Less less = {}) {
  std::make_heap(range.begin(), range.end(), less);
  std::sort_heap(range.begin(), range.end(), less);
}

}  // namespace sqrtdk
