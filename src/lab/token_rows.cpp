#include "lab/token_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "tensor/random.h"

namespace sqrtdk {

Tensor normal_tokens(uint64_t seed, uint64_t stream, const Shape& shape) {
  Tensor x(shape);
  philox_normal(seed, stream, 0, x.values.data(), shape.size());
  return x;
}

Tensor uniform_tokens(uint64_t seed, uint64_t stream, const Shape& shape) {
  Tensor x(shape);
  philox_uniform(seed, stream, 0, x.values.data(), shape.size());
  return x;
}

Tensor copied(ConstView x) {
  Tensor y(x.shape);
  std::copy_n(x.data, x.shape.size(), y.values.data());
  return y;
}

std::vector<int64_t> random_cycle(uint64_t seed, int64_t n) {
  constexpr uint64_t kStream = 0x6379636c65;  // "cycle"
  std::vector<float> uniform(static_cast<size_t>(n));
  philox_uniform(seed, kStream, 0, uniform.data(), n);
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i-- > 1;) {
    std::swap(order[i], order[static_cast<size_t>(uniform[i] * static_cast<float>(i))]);
  }
  return order;
}

Tensor permuted_rows(ConstView x, const std::vector<int64_t>& order) {
  Tensor y = copied(x);
  const int64_t n = x.shape[-2], d = x.shape[-1];
  for (int64_t batch = 0; batch < x.shape.leading(2); ++batch) {
    const float* from = x.data + batch * n * d;
    float* to = y.values.data() + batch * n * d;
    for (const int64_t row : order) {
      std::copy_n(from + row * d, d, to);
      to += d;
    }
  }
  return y;
}

Tensor swapped_axes(ConstView x) {
  const int64_t n = x.shape[0], m = x.shape[1], d = x.shape[2];
  Tensor y({m, n, d});
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < m; ++j)
      std::copy_n(x.data + (i * m + j) * d, d, y.values.data() + (j * n + i) * d);
  }
  return y;
}

double relative_difference(ConstView a, ConstView b) {
  double largest = 0, difference = 0;
  for (int64_t i = 0; i < a.shape.size(); ++i) {
    const double x = static_cast<double>(a.data[i]), y = static_cast<double>(b.data[i]);
    largest = std::max(largest, std::fabs(x));
    difference = std::max(difference, std::fabs(x - y));
  }
  return largest > 0 ? difference / largest : difference;
}

int64_t n_different(ConstView a, ConstView b) {
  int64_t count = 0;
  for (int64_t i = 0; i < a.shape.size(); ++i) {
    count += std::memcmp(a.data + i, b.data + i, sizeof(float)) != 0;
  }
  return count;
}

}  // namespace sqrtdk
