#include "kernels/elementwise.h"

#include "kernels/product/row_sums.h"

namespace sqrtdk {
namespace {

using namespace simd;

template <class F>
void each_pair(const char* op, ConstView a, ConstView b, View out, F f) {
  check_shape(op, "b", b.shape, a.shape);
  check_shape(op, "out", out.shape, a.shape);
  each_four(static_cast<std::ptrdiff_t>(a.shape.size()), out.data,
            [&](const auto& load) { return f(load(a.data), load(b.data)); });
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
