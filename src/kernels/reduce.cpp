#include "kernels/reduce.h"

#include "kernels/rearrange.h"
#include "simd/f32x4.h"

namespace sqrtdk {
namespace {

using namespace simd;
using std::ptrdiff_t;

const char* name_of(Reduce what) { return Choices<Reduce>::kNames[static_cast<size_t>(what)]; }

// Of n elements that lie `step` apart.
double sum_of(const float* x, ptrdiff_t n, ptrdiff_t step) {
  double sum = 0;
  for (; n > 0; --n, x += step) sum += static_cast<double>(*x);
  return sum;
}

// Of four columns of n rows, which lie `step` apart.
void sum_columns(const float* x, ptrdiff_t n, ptrdiff_t step, double (&sums)[4]) {
  f64x2 low = splat_f64(0), high = low;
  for (; n > 0; --n, x += step) {
    const f32x4 row = load(x);
    low = low + low_to_f64(row);
    high = high + high_to_f64(row);
  }
  sums[0] = extract<0>(low), sums[1] = extract<1>(low);
  sums[2] = extract<0>(high), sums[3] = extract<1>(high);
}

}  // namespace

Shape reduce_shape(Reduce what, const Shape& x, std::optional<int64_t> axis, bool keep) {
  const int gone = axis ? axis_of(name_of(what), x.rank(), *axis) : -1;
  int64_t dims[Shape::kMaxRank];
  int rank = 0;
  for (int i = 0; i < x.rank(); ++i) {
    if (axis && i != gone) {
      dims[rank++] = x[i];
    } else if (keep) {
      dims[rank++] = 1;
    }
  }
  return Shape(dims, rank);
}

void reduce(Reduce what, ConstView x, std::optional<int64_t> axis, View out) {
  const int rank = x.shape.rank();
  const bool keep = out.shape.rank() == rank;
  check_shape(name_of(what), "out", out.shape, reduce_shape(what, x.shape, axis, keep));
  const int at = axis ? axis_of(name_of(what), rank, *axis) : 0;
  const auto n = static_cast<ptrdiff_t>(axis ? x.shape[at] : x.shape.size());
  const auto outer = static_cast<ptrdiff_t>(axis ? x.shape.leading(rank - at) : 1);
  ptrdiff_t inner = 1;
  for (int i = at + 1; axis && i < rank; ++i) inner *= static_cast<ptrdiff_t>(x.shape[i]);

  const double divisor = what == Reduce::kMean ? static_cast<double>(n) : 1;
  float* to = out.data;
  const float* from = x.data;
  for (ptrdiff_t block = 0; block < outer; ++block, from += n * inner) {
    ptrdiff_t column = 0;
    for (; column + 4 <= inner; column += 4) {
      double sums[4];
      sum_columns(from + column, n, inner, sums);
      for (const double sum : sums) *to++ = static_cast<float>(sum / divisor);
    }
    for (; column < inner; ++column) *to++ = static_cast<float>(sum_of(from + column, n, inner) / divisor);
  }
}

}  // namespace sqrtdk
