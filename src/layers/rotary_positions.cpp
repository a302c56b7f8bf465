#include "layers/rotary_positions.h"

#include <algorithm>

#include "base/decimal.h"
#include "base/errors.h"
#include "simd/bits.h"

namespace sqrtdk {

RotaryPositions::RotaryPositions(double base, int64_t d, RotaryPairs pairs)
    : base_(base), d_(d), pairs_(pairs) {
  // The name is made from the base's bits: no two bases share tables.
  const std::string name = "rotary." + to_text(simd::bit_cast<uint64_t>(base)) + "." + to_text(d);
  cos_ = name + ".cos", sin_ = name + ".sin";
}

RotaryPositions::Tables RotaryPositions::tables(const Shape& x, int64_t first, Cache& cache) const {
  check_rank("rotary", "x", x, 2, "(.., n, d)");
  check_shape("rotary", "x", x, x.with_last(x[-2], d_));
  const int64_t n = x[-2];
  if (n > kMaxRotaryPositions) throw_out_of_range("rotary", "n", 0, kMaxRotaryPositions, n);
  if (first < 0 || first > kMaxRotaryPositions - n) {
    throw_out_of_range("rotary", "position", 0, kMaxRotaryPositions - n, first);
  }
  const int64_t end = first + n;
  const int64_t rows = cache.has(cos_) && cache.has(sin_) ? cache.at(sin_).shape[0] : 0;
  if (rows < end) {
    const int64_t more = std::min(std::max(end, 2 * rows), kMaxRotaryPositions);
    const View cos = cache.make(cos_, {more, d_ / 2}), sin = cache.make(sin_, {more, d_ / 2});
    rotary_table(base_, cos, sin);
  }
  const auto part = [&](const CacheName& name) {
    return ConstView(cache.at(name).data + first * (d_ / 2), {n, d_ / 2});
  };
  return {part(cos_), part(sin_)};
}

void RotaryPositions::forward(View x, int64_t first, Cache& cache) const {
  const auto [cos, sin] = tables(x.shape, first, cache);
  rotary_forward(x, cos, sin, {}, pairs_, x);
}

void RotaryPositions::backward(View dx, int64_t first, Cache& cache) const {
  const auto [cos, sin] = tables(dx.shape, first, cache);
  rotary_backward(dx, cos, sin, {}, pairs_, dx);
}

}  // namespace sqrtdk
