#include "layers/linear.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "base/errors.h"
#include "reference/layer_checks.h"
#include "reference/matmul.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

struct Layer {
  Parameters parameters;
  Cache cache;
  Linear linear;
  Layer(int64_t n_in, int64_t n_out, bool bias = true) : linear(parameters, "l", n_in, n_out, bias) {
    parameters.allocate();
    fill_normals(parameters.values(), 1);
  }
};

template <class T>
std::vector<T> formula(const std::vector<T>& z, size_t rows, size_t n_in, size_t n_out, bool bias) {
  size_t at = 0;
  const std::vector<T> x = take(z, at, rows * n_in), w = take(z, at, n_out * n_in);
  return linear(x, w, take(z, at, bias ? n_out : 0), n_in, n_out);
}

}  // namespace

TEST_CASE("Linear registers PyTorch's names and shapes") {
  Parameters parameters;
  const Linear with(parameters, "a.b", 3, 4), without(parameters, "", 4, 2, false);
  REQUIRE(parameters.list().size() == 3);
  CHECK(parameters.list()[0].name == "a.b.weight");
  CHECK(parameters.list()[0].shape == Shape{4, 3});
  CHECK(parameters.list()[1].name == "a.b.bias");
  CHECK(parameters.list()[1].shape == Shape{4});
  CHECK(parameters.list()[2].name == "weight");
  CHECK(with.weight() == 0);
  CHECK(with.bias() == 1);
  CHECK(without.weight() == 2);
  CHECK(without.bias() == -1);
  CHECK(with.n_in() == 3);
  CHECK(with.n_out() == 4);
}

TEST_CASE("Linear: x wᵀ + b, the matmul kernel's bits, whatever the leading dimensions") {
  for (const bool bias : {true, false}) {
    Layer layer(37, 11, bias);
    const std::vector<float> x = Draws(2).normals(6 * 37);
    const std::vector<float> w = values_of(layer.parameters.value(0));
    const std::vector<float> b = bias ? values_of(layer.parameters.value(1)) : std::vector<float>();
    const std::vector<float> expected =
        matmul_bits(x, transposed(w, 11, 37), 6, 37, 11, nullptr, bias ? &b : nullptr);
    for (const Shape& shape : {Shape{6, 37}, Shape{2, 3, 37}, Shape{3, 1, 2, 37}}) {
      const View out = layer.linear.forward({x.data(), shape}, layer.cache);
      CHECK(out.shape == shape.first(shape.rank() - 1, 11));
      CHECK(same_bits(values_of(out), expected));
      CHECK(layer.cache.at("l.out").data == out.data);
    }
    const View row = layer.linear.forward({x.data(), {37}}, layer.cache);
    CHECK(row.shape == Shape{11});
    CHECK(same_bits(values_of(row), {expected.begin(), expected.begin() + 11}));
  }
}

TEST_CASE("Linear: gradients three ways") {
  for (const bool bias : {true, false}) {
    for (const auto& sizes : {std::array<size_t, 3>{6, 5, 7}, {1, 1, 1}, {40, 3, 17}}) {
      const size_t rows = sizes[0], n_in = sizes[1], n_out = sizes[2];
      Layer layer(static_cast<int64_t>(n_in), static_cast<int64_t>(n_out), bias);
      const auto r = static_cast<int64_t>(rows);
      const std::vector<float> x = Draws(3).normals(r * layer.linear.n_in());
      const std::vector<float> dout = Draws(4).normals(r * layer.linear.n_out());
      layer.linear.forward({x.data(), {1, r, layer.linear.n_in()}}, layer.cache);
      const View dx = layer.linear.backward({dout.data(), {1, r, layer.linear.n_out()}}, layer.cache);
      CHECK(dx.shape == Shape{1, r, layer.linear.n_in()});
      CHECK(layer.cache.at("l.dx").data == dx.data);
      check_gradients([&](const auto& z) { return formula(z, rows, n_in, n_out, bias); },
                      joined(x, layer.parameters.values()), dout,
                      joined(values_of(dx), layer.parameters.gradients()), 8 * 0x1p-24);
    }
  }
}

TEST_CASE("Linear: gradients of parameters are added to, that of the input is not") {
  Layer layer(9, 6);
  const std::vector<float> x = Draws(3).normals(70 * 9), dout = Draws(4).normals(70 * 6);
  layer.linear.forward({x.data(), {70, 9}}, layer.cache);
  const std::vector<float> dx = values_of(layer.linear.backward({dout.data(), {70, 6}}, layer.cache));
  fill_normals(layer.parameters.gradients(), 8);
  const std::vector<float> dw = values_of(layer.parameters.gradient(0));
  const std::vector<float> db = values_of(layer.parameters.gradient(1));
  CHECK(same_bits(values_of(layer.linear.backward({dout.data(), {70, 6}}, layer.cache)), dx));
  CHECK(same_bits(values_of(layer.parameters.gradient(0)),
                  matmul_bits(transposed(dout, 70, 6), x, 6, 70, 9, &dw)));
  for (size_t j = 0; j < 6; ++j) {
    double sum = 0;
    for (size_t i = 0; i < 70; ++i) sum += static_cast<double>(dout[i * 6 + j]);
    CHECK(layer.parameters.gradient(1).data[j] == db[j] + static_cast<float>(sum));
  }
}

TEST_CASE("Linear on rows of shared parameters") {
  const int64_t d = 5;
  Parameters parameters;
  const int weight = parameters.add("in_proj_weight", {3 * d, d});
  const int bias = parameters.add("in_proj_bias", {3 * d});
  std::vector<Linear> parts;
  for (int64_t i = 0; i < 3; ++i) {
    parts.emplace_back(parameters, std::string(1, "qkv"[i]), Rows{weight, i * d}, Rows{bias, i * d}, d);
  }
  const Linear mixed(parameters, "m", Rows{weight, 4}, Rows{bias, 1}, 3);
  const Linear bare(parameters, "n", Rows{weight, 4}, Rows{}, 3);
  parameters.allocate();
  fill_normals(parameters.values(), 1);
  const std::vector<float> x = Draws(2).normals(4 * d), dout = Draws(3).normals(4 * 3 * d);
  const std::vector<float> w = values_of(parameters.value(weight)), b = values_of(parameters.value(bias));
  const std::vector<float> whole = matmul_bits(x, transposed(w, 3 * d, d), 4, d, 3 * d, nullptr, &b);
  const std::vector<float> plain = matmul_bits(x, transposed(w, 3 * d, d), 4, d, 3 * d);
  Cache cache;
  const std::vector<float> gradients(static_cast<size_t>(parameters.size()));
  for (int64_t i = 0; i < 3; ++i) {
    const View out = parts[static_cast<size_t>(i)].forward({x.data(), {4, d}}, cache);
    for (int64_t row = 0; row < 4; ++row) {
      for (int64_t j = 0; j < d; ++j) CHECK(out.data[row * d + j] == whole[row * 3 * d + i * d + j]);
    }
    parameters.clear_gradients();
    parts[static_cast<size_t>(i)].backward({dout.data(), {4, d}}, cache);
    for (int64_t row = 0; row < 3 * d; ++row) {
      CHECK((parameters.gradient(bias).data[row] != 0) == (row / d == i));
      for (int64_t j = 0; j < d; ++j) {
        CHECK((parameters.gradient(weight).data[row * d + j] != 0) == (row / d == i));
      }
    }
  }
  const View out = mixed.forward({x.data(), {4, d}}, cache),
             out_bare = bare.forward({x.data(), {4, d}}, cache);
  for (int64_t row = 0; row < 4; ++row) {
    for (int64_t j = 0; j < 3; ++j) {
      CHECK(out_bare.data[row * 3 + j] == plain[row * 3 * d + 4 + j]);
      CHECK(out.data[row * 3 + j] == plain[row * 3 * d + 4 + j] + b[1 + j]);
    }
  }
}

TEST_CASE("Linear: no rows") {
  Layer layer(4, 3);
  CHECK(layer.linear.forward({nullptr, {0, 4}}, layer.cache).shape == Shape{0, 3});
  CHECK(layer.linear.backward({nullptr, {0, 3}}, layer.cache).shape == Shape{0, 4});
  for (const float gradient : layer.parameters.gradients()) CHECK(gradient == 0);
}

TEST_CASE("Linear: NaN stays in its row, and in the sums over rows") {
  Layer layer(4, 3);
  std::vector<float> x = Draws(2).normals(8), dout = Draws(3).normals(6);
  const std::vector<float> clean = values_of(layer.linear.forward({x.data(), {2, 4}}, layer.cache));
  x[1] = NAN;
  dout[5] = INFINITY;
  const View out = layer.linear.forward({x.data(), {2, 4}}, layer.cache);
  for (int j = 0; j < 3; ++j) {
    CHECK(std::isnan(out.data[j]));
    CHECK(out.data[3 + j] == clean[static_cast<size_t>(3 + j)]);
  }
  const View dx = layer.linear.backward({dout.data(), {2, 3}}, layer.cache);
  for (int j = 0; j < 4; ++j) {
    CHECK(std::isfinite(dx.data[j]));
    CHECK_FALSE(std::isfinite(dx.data[4 + j]));
  }
  CHECK(std::isfinite(layer.parameters.gradient(1).data[0]));
  CHECK(layer.parameters.gradient(1).data[2] == INFINITY);
}

TEST_CASE("Linear: what does not fit is an error, and changes nothing") {
  Layer layer(4, 3);
  const std::vector<float> x(24, 1.0f);
  CHECK_THROWS_AS(layer.linear.backward({x.data(), {2, 3}}, layer.cache), ValueError);  // no forward yet
  CHECK_THROWS_AS(layer.linear.forward({x.data(), {4, 2}}, layer.cache), ShapeError);
  CHECK_THROWS_AS(layer.linear.forward({x.data(), Shape{}}, layer.cache), ShapeError);
  CHECK_FALSE(layer.cache.has("l.out"));
  layer.linear.forward({x.data(), {2, 4}}, layer.cache);
  const ShapeError refused = thrown_by<ShapeError>([&] {
    layer.linear.backward({x.data(), {3, 3}}, layer.cache);
  });
  CHECK(refused.op == "linear_backward");
  CHECK(refused.argument == "dout");
  CHECK_THROWS_AS(layer.linear.backward({x.data(), {2, 4}}, layer.cache), ShapeError);
  for (const float gradient : layer.parameters.gradients()) CHECK(gradient == 0);

  Parameters shared;
  const int weight = shared.add("w", {6, 2}), bias = shared.add("b", {6});
  CHECK(Linear(shared, "l", Rows{weight, 6}, Rows{bias, 6}, 0).n_out() == 0);
  CHECK_THROWS_AS(Linear(shared, "l", Rows{weight, 4}, Rows{bias, 0}, 3), ValueError);
  CHECK_THROWS_AS(Linear(shared, "l", Rows{weight, 0}, Rows{bias, 4}, 3), ValueError);
  const ValueError beyond = thrown_by<ValueError>([&] {
    Linear(shared, "l", Rows{weight, 4}, Rows{bias, 0}, 3);
  });
  CHECK(beyond.expected == "0 .. 2");
  CHECK(beyond.got == "3");
  CHECK_THROWS_AS(Linear(shared, "l", Rows{weight, -1}, Rows{bias, 0}, 3), ValueError);
  CHECK_THROWS_AS(Linear(shared, "l", Rows{weight, 0}, Rows{bias, 0}, -1), ValueError);
  CHECK_THROWS_AS(Linear(shared, "l", Rows{bias, 0}, Rows{bias, 0}, 3), ShapeError);
  CHECK_THROWS_AS(Linear(shared, "l", Rows{weight, 0}, Rows{weight, 0}, 3), ShapeError);
  CHECK_THROWS_AS(Linear(shared, "l", Rows{7, 0}, Rows{bias, 0}, 3), ValueError);
}
