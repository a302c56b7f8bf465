#include "kernels/add.h"

#include "kernels/row_sums.h"

namespace sqrtdk {

void add_elements(ConstView a, ConstView b, View out) {
  check_shape("add_elements", "b", b.shape, a.shape);
  check_shape("add_elements", "out", out.shape, a.shape);
  each_four(static_cast<std::ptrdiff_t>(a.shape.size()), out.data,
            [&](const auto& load) { return simd::add(load(a.data), load(b.data)); });
}

}  // namespace sqrtdk
