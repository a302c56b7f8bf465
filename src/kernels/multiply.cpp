#include "kernels/multiply.h"

#include "kernels/row_sums.h"

namespace sqrtdk {

void multiply_elements(ConstView a, ConstView b, View out) {
  check_shape("multiply_elements", "b", b.shape, a.shape);
  check_shape("multiply_elements", "out", out.shape, a.shape);
  each_four(static_cast<std::ptrdiff_t>(a.shape.size()), out.data,
            [&](const auto& load) { return simd::mul(load(a.data), load(b.data)); });
}

}  // namespace sqrtdk
