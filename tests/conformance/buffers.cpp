#include "conformance/buffers.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace sqrtdk::conformance {

Shape shape_of(const std::vector<int64_t>& dims) { return Shape(dims.data(), static_cast<int>(dims.size())); }

std::vector<int64_t> dims_of(const Shape& shape) {
  std::vector<int64_t> dims;
  for (int i = 0; i < shape.rank(); ++i) dims.push_back(shape[i]);
  return dims;
}

int64_t size_of(const std::vector<int64_t>& dims) { return shape_of(dims).size(); }

Floats::Floats(const Shape& shape, float value) : shape_(shape) {
  values_.reserve(1);
  values_.assign(static_cast<size_t>(shape.size()), value);
}

Floats::Floats(const Tensor& tensor) : Floats(shape_of(tensor.dims)) {
  for (size_t i = 0; i < values_.size(); ++i) values_[i] = static_cast<float>(tensor.values[i]);
}

Floats& Floats::reshape(const Shape& shape) {
  if (shape.size() != shape_.size())
    throw std::runtime_error(shape_.text() + " cannot be seen as " + shape.text());
  shape_ = shape;
  return *this;
}

Indices::Indices(const Tensor& tensor) : shape(shape_of(tensor.dims)) {
  values.reserve(1);
  for (const double value : tensor.values) {
    const bool fits = value == std::floor(value) && std::fabs(value) <= std::numeric_limits<int32_t>::max();
    if (!fits)
      throw std::runtime_error("input " + tensor.name + " holds " + std::to_string(value) + ", no index");
    values.push_back(static_cast<int32_t>(value));
  }
}

int64_t positive_axis(int64_t axis, int64_t rank) {
  const int64_t positive = axis < 0 ? axis + rank : axis;
  if (positive < 0 || positive >= rank) throw std::runtime_error("no axis " + std::to_string(axis));
  return positive;
}

namespace {

// [outer, a, b] as [outer, b, a].
Floats transposed(const Floats& x, int64_t outer, int64_t a, int64_t b, const Shape& shape) {
  Floats out(shape);
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < a; ++i) {
      for (int64_t j = 0; j < b; ++j) out[(o * b + j) * a + i] = x[(o * a + i) * b + j];
    }
  }
  return out;
}

int64_t product(const std::vector<int64_t>& dims, int64_t begin, int64_t end) {
  int64_t result = 1;
  for (int64_t i = begin; i < end; ++i) result *= dims[static_cast<size_t>(i)];
  return result;
}

}  // namespace

Floats axis_to_last(const Floats& x, int64_t axis) {
  std::vector<int64_t> dims = x.dims();
  const auto rank = static_cast<int64_t>(dims.size());
  axis = positive_axis(axis, rank);
  const int64_t outer = product(dims, 0, axis), n = dims[static_cast<size_t>(axis)],
                inner = product(dims, axis + 1, rank);
  dims.erase(dims.begin() + axis);
  dims.push_back(n);
  return transposed(x, outer, n, inner, shape_of(dims));
}

Floats axis_from_last(const Floats& x, int64_t axis) {
  std::vector<int64_t> dims = x.dims();
  const auto rank = static_cast<int64_t>(dims.size());
  axis = positive_axis(axis, rank);
  const int64_t n = dims.back();
  dims.pop_back();
  const int64_t outer = product(dims, 0, axis), inner = product(dims, axis, rank - 1);
  dims.insert(dims.begin() + axis, n);
  return transposed(x, outer, inner, n, shape_of(dims));
}

Floats swap_middle(const Floats& x) {
  const Shape& shape = x.shape();
  const int64_t outer = shape.leading(3), a = shape[-3], b = shape[-2], c = shape[-1];
  std::vector<int64_t> dims = x.dims();
  std::swap(dims[dims.size() - 3], dims[dims.size() - 2]);
  Floats out(shape_of(dims));
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < a; ++i) {
      for (int64_t j = 0; j < b; ++j) {
        for (int64_t k = 0; k < c; ++k) out[((o * b + j) * a + i) * c + k] = x[((o * a + i) * b + j) * c + k];
      }
    }
  }
  return out;
}

Floats broadcast(const Floats& x, const Shape& shape) {
  const Shape& from = x.shape();
  bool fits = from.rank() <= shape.rank();
  for (int i = 1; fits && i <= from.rank(); ++i) fits = from[-i] == shape[-i] || from[-i] == 1;
  if (!fits) throw std::runtime_error(from.text() + " cannot be broadcast to " + shape.text());
  Floats out(shape);
  for (int64_t at = 0; at < out.size(); ++at) {
    int64_t rest = at, source = 0, step = 1;
    for (int i = 1; i <= from.rank(); ++i) {
      if (from[-i] > 1) source += rest % shape[-i] * step;
      rest /= shape[-i];
      step *= from[-i];
    }
    out[at] = x[source];
  }
  return out;
}

}  // namespace sqrtdk::conformance
