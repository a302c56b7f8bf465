#include "kernels/arithmetic.h"

#include <algorithm>

#include "kernels/strided.h"
#include "simd/f32x4.h"

namespace sqrtdk {
namespace {

using namespace simd;
using std::ptrdiff_t;

// The elements of an operand along the innermost dimension, or one that is repeated.
class Run {
 public:
  Run(const float* x, ptrdiff_t step) : data_(step == 0 ? repeated_ : x), mask_(step == 0 ? 0 : -1) {
    store(repeated_, splat(*x));
  }
  f32x4 four(ptrdiff_t j) const { return load(data_ + (j & mask_)); }
  f32x4 first(ptrdiff_t j, ptrdiff_t count) const { return load_first(data_ + (j & mask_), count, zero()); }

 private:
  alignas(16) float repeated_[4];
  const float* data_;
  ptrdiff_t mask_;
};

f32x4 apply(Arithmetic operation, f32x4 x, f32x4 y) {
  switch (operation) {
    case Arithmetic::kAdd:
      return x + y;
    case Arithmetic::kSub:
      return x - y;
    case Arithmetic::kMul:
      return x * y;
    case Arithmetic::kDiv:
      break;
  }
  return x / y;
}

// The branches inside the loop are always the same, and one loop is a quarter of four.
void apply(Arithmetic operation, const Run& a, const Run& b, ptrdiff_t n, float* out) {
  ptrdiff_t j = 0;
  for (; j + 4 <= n; j += 4) store(out + j, apply(operation, a.four(j), b.four(j)));
  if (j < n) store_first(out + j, n - j, apply(operation, a.first(j, n - j), b.first(j, n - j)));
}

const char* name_of(Arithmetic operation) {
  return Choices<Arithmetic>::kNames[static_cast<size_t>(operation)];
}

// Of the dimension that is the i-th from the last one, i > 0.
int64_t size_of(const Shape& shape, int i) { return i <= shape.rank() ? shape[-i] : 1; }

// 0 where the dimension is repeated; `below` is the size of all after it, and then with it.
ptrdiff_t step_of(const Shape& shape, int i, int64_t& below) {
  const int64_t size = size_of(shape, i), step = size == 1 ? 0 : below;
  below *= size;
  return static_cast<ptrdiff_t>(step);
}

}  // namespace

Shape broadcast_shape(Arithmetic operation, const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  int64_t dims[Shape::kMaxRank];
  for (int i = 1; i <= rank; ++i) {
    const int64_t x = size_of(a, i), y = size_of(b, i);
    if (x != y && x != 1 && y != 1) {
      throw_wrong_shape(name_of(operation), "b", "broadcastable with " + a.text(), b);
    }
    dims[rank - i] = x == 1 ? y : x;
  }
  return Shape(dims, rank);
}

void arithmetic(Arithmetic operation, ConstView a, ConstView b, View out) {
  const Shape shape = broadcast_shape(operation, a.shape, b.shape);
  check_shape(name_of(operation), "out", out.shape, shape);
  ptrdiff_t steps[2][Shape::kMaxRank];
  int64_t below_a = 1, below_b = 1;
  for (int i = 1; i <= shape.rank(); ++i) {
    steps[0][shape.rank() - i] = step_of(a.shape, i, below_a);
    steps[1][shape.rank() - i] = step_of(b.shape, i, below_b);
  }
  Strided strided;
  for (int i = 0; i < shape.rank(); ++i) {
    strided.add(static_cast<ptrdiff_t>(shape[i]), steps[0][i], steps[1][i]);
  }
  const Strided::Dimension last = strided.last();
  float* to = out.data;
  strided.each(1, [&](ptrdiff_t at_a, ptrdiff_t at_b) {
    apply(operation, Run(a.data + at_a, last.step[0]), Run(b.data + at_b, last.step[1]), last.size, to);
    to += last.size;
  });
}

}  // namespace sqrtdk
