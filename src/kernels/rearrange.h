#pragma once
// The elements of tensors in another order, or some of them: copies, as all that is a tensor is contiguous.
// Each operator has a function that tells the shape of its result. NumPy's rules, negative numbers included.
#include <optional>
#include <span>

#include "tensor/tensor.h"

namespace sqrtdk {

/// x's size with other dimensions, of which one may be -1: what the others leave. Throws ShapeError.
Shape reshape_shape(const Shape& x, std::span<const int64_t> dims);

/// start:end:step of a dimension as in Python: negative places count from its end, those beyond it are
/// clipped, and the defaults are all of it, from its end where the step is negative.
struct Slice {
  std::optional<int64_t> start = {}, end = {};
  int64_t step = 1;
};

/// A slice for each of the first dimensions, the others whole. Throws ShapeError for too many of them,
/// ValueError for a step of 0.
Shape slice_shape(const Shape& x, std::span<const Slice> slices);
/// out [slice_shape] = x[slices]. Throws as slice_shape.
void slice(ConstView x, std::span<const Slice> slices, View out);

/// Dimension i is x's dimension order[i]; an empty order exchanges the last two. Throws ShapeError for an
/// order that is no permutation, and without one where x has fewer than two dimensions.
Shape transpose_shape(const Shape& x, std::span<const int64_t> order);
/// out [transpose_shape]. Throws as transpose_shape.
void transpose(ConstView x, std::span<const int64_t> order, View out);

/// Of tensors whose shapes are equal but for this dimension, one behind the other. Throws ShapeError;
/// ValueError where there is none or `axis` is no dimension.
Shape concat_shape(std::span<const ConstView> list, int64_t axis);
/// out [concat_shape]. Throws as concat_shape.
void concat(std::span<const ConstView> list, int64_t axis, View out);

/// A dimension of `rank` ones, counted from the end where it is negative. Throws ValueError.
int axis_of(const char* op, int rank, int64_t axis);

}  // namespace sqrtdk
