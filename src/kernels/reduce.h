#pragma once
// Sums and means over one dimension of a tensor, or over all of it: element by element in double, rounded
// once. The bits depend on the numbers and their order alone, not on the dimension along which they lie.
#include <optional>

#include "base/fields.h"
#include "tensor/tensor.h"

namespace sqrtdk {

enum class Reduce { kSum, kMean };
template <>
struct Choices<Reduce> {
  static constexpr const char* kNames[] = {"sum", "mean"};
};

/// Without the dimension `axis` (negative: from the end), or without all of them where none is given; with
/// `keep` they are 1 instead. Throws ValueError where there is no such dimension.
Shape reduce_shape(Reduce what, const Shape& x, std::optional<int64_t> axis, bool keep);

/// out [reduce_shape, with or without `keep`]. The sum of nothing is 0, its mean NaN. Throws ShapeError, and
/// as reduce_shape.
void reduce(Reduce what, ConstView x, std::optional<int64_t> axis, View out);

}  // namespace sqrtdk
