// Products in every form, packed ones and linear layers: the promised sums, bit by bit; what does not fit is
// refused, and nothing is written.
#include "kernels/product/matmul.h"

#include <algorithm>
#include <cmath>

#include "fuzz/fuzz.h"
#include "layers/linear.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/matmul.h"

namespace sqrtdk::fuzz {
namespace {

using reference::Draws;
using reference::matmul_bits;
using reference::same_bits;
using reference::transposed;

int64_t size_of(Choices& choices) {
  return choices.one_in(64) ? choices.between(1, 300) : choices.between(1, 12);
}

struct Sizes {
  int64_t m, k, n;
};

/// Every way through the kernel has products below this limit; the few that are larger would take most of the
/// time.
Sizes sizes_of(Choices& choices) {
  const int64_t m = size_of(choices), k = size_of(choices), n = size_of(choices);
  return {std::min<int64_t>(m, (1 << 19) / (k * n)), k, n};
}

void check_product(Choices& choices) {
  const auto [m, k, n] = sizes_of(choices);
  Draws draws(choices.between(0, 1 << 20));
  std::vector<float> a = draws.normals(m * k), b = draws.normals(k * n);
  if (choices.one_in(4)) {
    const float special = choices.one_of<float>({NAN, INFINITY, -0.0f, 1e-40f, 3e38f});
    a[static_cast<size_t>(choices.between(0, m * k - 1))] = special;
    b[static_cast<size_t>(choices.between(0, k * n - 1))] = special;
  }
  const std::vector<float> start = draws.normals(m * n), bias = draws.normals(n);
  const bool accumulates = choices.ConsumeBool(), biased = choices.ConsumeBool();
  const std::vector<float> expected =
      matmul_bits(a, b, m, k, n, accumulates ? &start : nullptr, biased ? &bias : nullptr);
  const Write write = accumulates ? Write::kAccumulate : Write::kOverwrite;
  const ConstView bias_view = biased ? ConstView{bias.data(), {n}} : ConstView{};

  const bool ta = choices.ConsumeBool(), tb = choices.ConsumeBool();
  const std::vector<float> at = transposed(a, m, k), bt = transposed(b, k, n);
  const ConstView left = ta ? ConstView{at.data(), {k, m}} : ConstView{a.data(), {m, k}};
  const ConstView right = tb ? ConstView{bt.data(), {n, k}} : ConstView{b.data(), {k, n}};
  std::vector<float> out = start;
  sqrtdk::matmul(left, ta ? Transpose::kYes : Transpose::kNo, right, tb ? Transpose::kYes : Transpose::kNo,
                 {out.data(), {m, n}}, write, bias_view);
  CHECK(same_bits(out, expected));

  std::vector<float> packed(static_cast<size_t>(packed_size(k, n)));
  const PackedMatrix matrix = pack_matrix(right, tb ? Transpose::kYes : Transpose::kNo, packed.data());
  std::vector<float> from_packed = start;
  matmul_packed({a.data(), {m, k}}, matrix, {from_packed.data(), {m, n}}, write, bias_view);
  CHECK(same_bits(from_packed, expected));
}

/// y = x wᵀ + b, dx = dy w, dw += dyᵀ x, db += Σ dy.
void check_linear(Choices& choices) {
  const auto [rows, n_in, n_out] = sizes_of(choices);
  Draws draws(choices.between(0, 1 << 20));
  const bool biased = choices.ConsumeBool();
  Parameters parameters;
  const Linear layer(parameters, "", n_in, n_out, biased);
  parameters.allocate();
  const std::vector<float> values = draws.normals(parameters.size());
  std::copy(values.begin(), values.end(), parameters.values().begin());
  const View w = parameters.value(layer.weight());
  const std::vector<float> weight(w.data, w.data + w.shape.size());
  std::vector<float> bias;
  if (biased) bias.assign(parameters.value(layer.bias()).data, parameters.value(layer.bias()).data + n_out);
  const std::vector<float> x = draws.normals(rows * n_in), dy = draws.normals(rows * n_out);
  const auto numbers = [](ConstView view) {
    return std::vector<float>(view.data, view.data + view.shape.size());
  };
  if (choices.ConsumeBool()) parameters.pack();

  Cache cache;
  const std::vector<float> y = numbers(layer.forward({x.data(), {rows, n_in}}, cache));
  const std::vector<float> wt = transposed(weight, n_out, n_in);
  CHECK(same_bits(y, matmul_bits(x, wt, rows, n_in, n_out, nullptr, biased ? &bias : nullptr)));
  const std::vector<float> dx = numbers(layer.backward({dy.data(), {rows, n_out}}, cache));
  CHECK(same_bits(dx, matmul_bits(dy, weight, rows, n_out, n_in)));
  const std::vector<float> zeros(static_cast<size_t>(n_in * n_out), 0.0f);
  const std::vector<float> dw = matmul_bits(transposed(dy, rows, n_out), x, n_out, rows, n_in, &zeros);
  CHECK(same_bits(numbers(parameters.gradient(layer.weight())), dw));
  if (!biased) return;
  const std::vector<float> db = numbers(parameters.gradient(layer.bias()));
  for (int64_t j = 0; j < n_out; ++j) {
    double sum = 0, magnitude = 0;
    for (int64_t i = 0; i < rows; ++i) {
      sum += dy[static_cast<size_t>(i * n_out + j)];
      magnitude += std::fabs(dy[static_cast<size_t>(i * n_out + j)]);
    }
    CHECK(reference::error_of(db[static_cast<size_t>(j)], sum).absolute <= 64 * 0x1p-24 * magnitude);
  }
}

void check_refusal(Choices& choices) {
  const auto any_shape = [&] {
    const auto rank = static_cast<int>(choices.between(0, 4));
    int64_t dims[4];
    for (int i = 0; i < rank; ++i) dims[i] = choices.between(0, 3);
    return Shape(dims, rank);
  };
  const Shape a_shape = any_shape(), b_shape = any_shape(), bias_shape = any_shape();
  const Shape out_shape = choices.ConsumeBool() || a_shape.rank() < 2 || b_shape.rank() < 2
                              ? any_shape()
                              : a_shape.with_last(a_shape[-2], b_shape[-1]);
  const std::vector<float> a = Draws(1).normals(a_shape.size()), b = Draws(2).normals(b_shape.size());
  const std::vector<float> bias = Draws(3).normals(bias_shape.size());
  std::vector<float> out(static_cast<size_t>(out_shape.size()), 7.0f);
  const auto transpose = [&] { return choices.one_of({Transpose::kNo, Transpose::kYes}); };
  const Transpose ta = transpose(), tb = transpose();
  const ConstView bias_view = choices.one_in(4) ? ConstView{bias.data(), bias_shape} : ConstView{};
  if (refused([&] {
        sqrtdk::matmul({a.data(), a_shape}, ta, {b.data(), b_shape}, tb, {out.data(), out_shape},
                       Write::kOverwrite, bias_view);
      })) {
    CHECK(std::all_of(out.begin(), out.end(), [](float value) { return value == 7.0f; }));
  }
}

}  // namespace

void run(Bytes input) {
  Choices choices(input);
  switch (choices.between(0, 3)) {
    case 0:
      return check_refusal(choices);
    case 1:
      return check_linear(choices);
    default:
      return check_product(choices);
  }
}

}  // namespace sqrtdk::fuzz
