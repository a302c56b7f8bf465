#include "layers/norm.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "reference/layer_checks.h"
#include "reference/layer_norm_case.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

// layer_norm or rms_norm of rows, for any number; without centering the bias is empty.
template <class T>
std::vector<T> normalized(const std::vector<T>& x, const std::vector<T>& gain, const std::vector<T>& bias,
                          double epsilon, bool centered) {
  const size_t n = gain.size();
  std::vector<T> y(x.size());
  for (size_t row = 0; row < x.size(); row += n) {
    T mean = 0, square = 0;
    for (size_t j = 0; j < n && centered; ++j) mean += x[row + j] / T(static_cast<double>(n));
    for (size_t j = 0; j < n; ++j) {
      square += (x[row + j] - mean) * (x[row + j] - mean) / T(static_cast<double>(n));
    }
    using std::sqrt;
    for (size_t j = 0; j < n; ++j) {
      y[row + j] = (x[row + j] - mean) / sqrt(square + T(epsilon)) * gain[j];
      if (centered) y[row + j] += bias[j];
    }
  }
  return y;
}

}  // namespace

TEST_CASE("Norm registers weight and, for layer norm, bias") {
  Parameters parameters;
  const Norm layer(parameters, "norm1", NormKind::kLayer, 8), rms(parameters, "norm2", NormKind::kRms, 8);
  REQUIRE(parameters.list().size() == 3);
  CHECK(parameters.list()[0].name == "norm1.weight");
  CHECK(parameters.list()[1].name == "norm1.bias");
  CHECK(parameters.list()[2].name == "norm2.weight");
  for (int i = 0; i < 3; ++i) CHECK(parameters.shape(i) == Shape{8});
  CHECK(layer.weight() == 0);
  CHECK(layer.bias() == 1);
  CHECK(rms.weight() == 2);
  CHECK(rms.bias() == -1);
}

TEST_CASE("Norm: the kernel's bits, forward and backward, gradients added to") {
  for (const bool centered : {true, false}) {
    NormCase c(centered, 6, 21);
    c.forward().backward();
    Parameters parameters;
    const Norm norm(parameters, "n", centered ? NormKind::kLayer : NormKind::kRms, 21);
    parameters.allocate();
    std::copy(c.gain.begin(), c.gain.end(), parameters.value(0).data);
    if (centered) std::copy(c.bias.begin(), c.bias.end(), parameters.value(1).data);
    Cache cache;
    const ConstView x(c.x.data(), {2, 3, 21}), dout(c.dout.data(), {2, 3, 21});
    const View out = norm.forward(x, cache);
    CHECK(out.shape == x.shape);
    CHECK(same_bits(values_of(out), c.out));
    CHECK(cache.at("n.out").data == out.data);
    CHECK(same_bits(values_of(cache.at("n.stats")), c.stats));
    const View dx = norm.backward(x, dout, cache);
    CHECK(same_bits(values_of(dx), c.dx));
    CHECK(cache.at("n.dx").data == dx.data);
    CHECK(same_bits(values_of(parameters.gradient(0)), c.dgain));
    if (centered) CHECK(same_bits(values_of(parameters.gradient(1)), c.dbias));
    CHECK(same_bits(values_of(norm.backward(x, dout, cache)), c.dx));
    for (int j = 0; j < 21; ++j) CHECK(parameters.gradient(0).data[j] == 2 * c.dgain[static_cast<size_t>(j)]);
  }
}

TEST_CASE("Norm: gradients three ways") {
  for (const bool centered : {true, false}) {
    for (const int64_t n : {2, 7, 16}) {
      Parameters parameters;
      const float epsilon = 0.1f;
      const Norm norm(parameters, "n", centered ? NormKind::kLayer : NormKind::kRms, n, epsilon);
      parameters.allocate();
      fill_normals(parameters.values(), 1);
      const std::vector<float> x = Draws(2).normals(5 * n), dout = Draws(3).normals(5 * n);
      Cache cache;
      norm.forward({x.data(), {5, n}}, cache);
      const View dx = norm.backward({x.data(), {5, n}}, {dout.data(), {5, n}}, cache);
      check_gradients(
          [&](const auto& z) {
            size_t at = 0;
            const auto d = static_cast<size_t>(n);
            const auto rows = take(z, at, 5 * d), gain = take(z, at, d);
            return normalized(rows, gain, take(z, at, centered ? d : 0), epsilon, centered);
          },
          joined(x, parameters.values()), dout, joined(values_of(dx), parameters.gradients()), 8 * 0x1p-24);
    }
  }
}

TEST_CASE("Norm: what does not fit is an error, and changes nothing") {
  for (const NormKind kind : {NormKind::kLayer, NormKind::kRms}) {
    Parameters parameters;
    const Norm norm(parameters, "n", kind, 4);
    parameters.allocate();
    Cache cache;
    const std::vector<float> x(12, 1.0f);
    CHECK_THROWS_AS(norm.forward({x.data(), {4, 3}}, cache), ShapeError);
    CHECK_THROWS_AS(norm.forward({x.data(), Shape{}}, cache), ShapeError);
    CHECK_THROWS_AS(norm.backward({x.data(), {3, 4}}, {x.data(), {3, 4}}, cache), ValueError);
    CHECK(cache.names().empty());
    norm.forward({x.data(), {3, 4}}, cache);
    CHECK_THROWS_AS(norm.backward({x.data(), {3, 4}}, {x.data(), {2, 4}}, cache), ShapeError);
    CHECK_THROWS_AS(norm.backward({x.data(), {2, 4}}, {x.data(), {2, 4}}, cache), ShapeError);
    CHECK_FALSE(cache.has("n.dx"));
    for (const float gradient : parameters.gradients()) CHECK(gradient == 0);
  }
}
