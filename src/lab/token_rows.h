#pragma once
// Rows of tokens: drawn, put into another order, compared.
#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace sqrtdk {

/// Numbers with a shape, of which layers and kernels get views.
struct Tensor {
  explicit Tensor(Shape s) : shape(s), values(static_cast<size_t>(s.size())) {}
  View view() { return {values.data(), shape}; }
  ConstView view() const { return {values.data(), shape}; }
  Shape shape;
  std::vector<float> values;
};

Tensor normal_tokens(uint64_t seed, uint64_t stream, const Shape& shape);   // N(0, 1)
Tensor uniform_tokens(uint64_t seed, uint64_t stream, const Shape& shape);  // [0, 1), as torch.rand
Tensor copied(ConstView x);

/// An order of n things in which none stays where it was (Sattolo's algorithm); 0 for n = 1.
std::vector<int64_t> random_cycle(uint64_t seed, int64_t n);

/// y[.., i, :] = x[.., order[i], :]; rows beyond the order's end stay.
Tensor permuted_rows(ConstView x, const std::vector<int64_t>& order);

/// y[j, i, :] = x[i, j, :]
Tensor swapped_axes(ConstView x);

/// max |a - b| / max |a|
double relative_difference(ConstView a, ConstView b);

/// How many elements have other bits.
int64_t n_different(ConstView a, ConstView b);

}  // namespace sqrtdk
