#include "layers/positional_encoding.h"

#include "base/errors.h"
#include "kernels/elementwise.h"
#include "kernels/product/column_sums.h"
#include "simd/double_math.h"

namespace sqrtdk {
namespace {

constexpr int64_t kMaxPositions = int64_t{1} << 20;  // as far as simd::sincos goes

// The rows of the encoding that x needs.
template <class T>
BasicView<T> rows_for(const char* op, const char* argument, BasicView<T> encoding, int64_t first,
                      const Shape& x) {
  check_rank(op, "x", x, 2, "(.., n, d)");
  const int64_t n = x[-2], d = x[-1];
  if (encoding.shape.rank() != 2) throw_wrong_shape(op, argument, "(n_positions, d)", encoding.shape);
  check_shape(op, argument, encoding.shape, {encoding.shape[0], d});
  if (n > encoding.shape[0]) throw_out_of_range(op, "n", 0, encoding.shape[0], n);
  if (first < 0 || first > encoding.shape[0] - n) {
    throw_out_of_range(op, "first", 0, encoding.shape[0] - n, first);
  }
  return {encoding.data + first * d, {n, d}};
}

}  // namespace

void sinusoidal_encoding(View out, double base) {
  const char* op = "sinusoidal_encoding";
  if (out.shape.rank() != 2) throw_wrong_shape(op, "out", "(n_positions, d_model)", out.shape);
  const int64_t n = out.shape[0], d = out.shape[1];
  if (n > kMaxPositions) throw_out_of_range(op, "n_positions", 0, kMaxPositions, n);
  if (!(base >= 1 && base <= 1e300)) throw_out_of_range(op, "base", "1 .. 1e300", base);
  const double log_base = simd::log(base);
  for (int64_t column = 0; column < d; column += 2) {
    const double frequency = simd::exp(-static_cast<double>(column) / static_cast<double>(d) * log_base);
    for (int64_t position = 0; position < n; ++position) {
      const simd::SinCosF64 angle = simd::sincos(static_cast<double>(position) * frequency);
      float* const pair = out.data + position * d + column;
      pair[0] = static_cast<float>(angle.sin);
      if (column + 1 < d) pair[1] = static_cast<float>(angle.cos);
    }
  }
}

void add_positions(ConstView encoding, int64_t first, View x) {
  const ConstView rows = rows_for("add_positions", "encoding", encoding, first, x.shape);
  const int64_t batches = x.shape.leading(2), size = rows.shape.size();
  for (int64_t batch = 0; batch < batches; ++batch) {
    const View part(x.data + batch * size, rows.shape);
    add_elements(part, rows, part);
  }
}

void add_positions_backward(ConstView dx, int64_t first, View dencoding) {
  const View rows = rows_for("add_positions_backward", "dencoding", dencoding, first, dx.shape);
  const int64_t batches = dx.shape.leading(2), size = rows.shape.size();
  add_column_sums({dx.data, {batches, size}}, {rows.data, {size}});
}

}  // namespace sqrtdk
