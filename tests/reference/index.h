#pragma once
// Tensors element by element.
#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace sqrtdk::reference {

using Index = std::vector<int64_t>;

/// visit(index) for each element, in the order in which they lie.
template <class Visit>
void each_index(const Shape& shape, Visit visit) {
  for (int64_t i = 0; i < shape.size(); ++i) {
    Index index(static_cast<size_t>(shape.rank()));
    int64_t rest = i;
    for (int dim = shape.rank() - 1; dim >= 0; --dim) {
      index[static_cast<size_t>(dim)] = rest % shape[dim];
      rest /= shape[dim];
    }
    visit(index);
  }
}

/// Where an element lies.
inline size_t place_of(const Shape& shape, const Index& index) {
  size_t at = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    at = at * static_cast<size_t>(shape[i]) + static_cast<size_t>(index[static_cast<size_t>(i)]);
  }
  return at;
}

/// 0, 1, 2, ..: each element is its place.
inline std::vector<float> counted(int64_t n) {
  std::vector<float> values(static_cast<size_t>(n));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return values;
}

}  // namespace sqrtdk::reference
