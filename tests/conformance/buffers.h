#pragma once
// Memory for the kernels, from and to the tensors of a case.
#include <cstdint>
#include <vector>

#include "conformance/case.h"
#include "tensor/tensor.h"

namespace sqrtdk::conformance {

Shape shape_of(const std::vector<int64_t>& dims);
std::vector<int64_t> dims_of(const Shape& shape);
int64_t size_of(const std::vector<int64_t>& dims);

/// Never null, not even where it is empty: for kernels a null view is an argument that was not given.
class Floats {
 public:
  explicit Floats(const Shape& shape, float value = kUnwritten);
  explicit Floats(const Tensor& tensor);
  const Shape& shape() const { return shape_; }
  std::vector<int64_t> dims() const { return dims_of(shape_); }
  std::vector<double> doubles() const { return {values_.begin(), values_.end()}; }
  const std::vector<float>& values() const { return values_; }
  float& operator[](int64_t i) { return values_[static_cast<size_t>(i)]; }
  float operator[](int64_t i) const { return values_[static_cast<size_t>(i)]; }
  int64_t size() const { return static_cast<int64_t>(values_.size()); }
  Floats& reshape(const Shape& shape);  // of the same size
  View view() { return {values_.data(), shape_}; }
  ConstView view() const { return {values_.data(), shape_}; }

 private:
  static constexpr float kUnwritten = 1.2345678e30f;
  Shape shape_;
  std::vector<float> values_;
};

/// Integers as kernels take them; throws where one is none, or beyond 32 bits.
struct Indices {
  explicit Indices(const Tensor& tensor);
  IndexView view() const { return {values.data(), shape}; }
  Shape shape;
  std::vector<int32_t> values;
};

/// x with dimension `axis` (negative: from the end) moved to be the last one, and back.
Floats axis_to_last(const Floats& x, int64_t axis);
Floats axis_from_last(const Floats& x, int64_t axis);

/// x of dims [.., a, b, c] as [.., b, a, c].
Floats swap_middle(const Floats& x);

/// x broadcast to `shape` as in NumPy; throws where it does not fit.
Floats broadcast(const Floats& x, const Shape& shape);

/// axis counted from 0; throws unless it is a dimension.
int64_t positive_axis(int64_t axis, int64_t rank);

}  // namespace sqrtdk::conformance
