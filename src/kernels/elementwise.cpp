#include "kernels/elementwise.h"

#include "base/parallel.h"
#include "kernels/product/row_sums.h"

namespace sqrtdk {
namespace {

using namespace simd;

template <class F>
void each_pair(const char* op, ConstView a, ConstView b, View out, F f) {
  check_shape(op, "b", b.shape, a.shape);
  check_shape(op, "out", out.shape, a.shape);
  const int64_t size = a.shape.size(), fours = (size + 3) / 4;
  parallel_for(fours, 4, n_threads(), [&](int64_t begin, int64_t end, int) noexcept {
    const int64_t at = 4 * begin, n = std::min(4 * end, size) - at;
    each_four(static_cast<std::ptrdiff_t>(n), out.data + at,
              [&](const auto& load) { return f(load(a.data + at), load(b.data + at)); });
  });
}

}  // namespace

void add_elements(ConstView a, ConstView b, View out) {
  each_pair("add_elements", a, b, out, [](f32x4 x, f32x4 y) { return x + y; });
}

void multiply_elements(ConstView a, ConstView b, View out) {
  each_pair("multiply_elements", a, b, out, [](f32x4 x, f32x4 y) { return x * y; });
}

void scale_elements(View x, float factor) {
  each_four(static_cast<std::ptrdiff_t>(x.shape.size()), x.data,
            [&](const auto& load) { return splat(factor) * load(x.data); });
}

// Opaque: LLVM would make memset of it, which takes twice as long.
void clear_elements(View x) {
  each_four(static_cast<std::ptrdiff_t>(x.shape.size()), x.data, [](const auto&) { return opaque(zero()); });
}

}  // namespace sqrtdk
