#include "layers/initialize.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "base/errors.h"
#include "layers/linear.h"
#include "layers/norm.h"
#include "reference/layer_checks.h"
#include "simd/bits_hash.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

constexpr int64_t kOut = 250, kIn = 400;

using Initialize = std::function<void(View)>;

std::vector<float> initialized(const Initialize& initialize, Shape shape = {kOut, kIn}) {
  std::vector<float> w(static_cast<size_t>(shape.size()), 7.0f);
  initialize({w.data(), shape});
  return w;
}

struct Moments4 {
  double mean = 0, variance = 0, fourth = 0, largest = 0;
};

Moments4 moments_of(const std::vector<float>& w) {
  Moments4 m;
  const auto n = static_cast<double>(w.size());
  for (const double x : w) m.mean += x / n;
  for (const double x : w) {
    m.variance += x * x / n;
    m.fourth += x * x * x * x / n;
    m.largest = std::max(m.largest, std::fabs(x));
  }
  return m;
}

// Mean and variance within 4 standard errors; E x⁴ is 9/5 σ⁴ for uniform numbers, 3 σ⁴ for normal ones.
void check_moments(const std::vector<float>& w, double std, double kurtosis) {
  const auto n = static_cast<double>(w.size());
  const Moments4 m = moments_of(w);
  CHECK(std::fabs(m.mean) <= 4 * std / std::sqrt(n));
  CHECK(std::fabs(m.variance - std * std) <= 4 * std * std * std::sqrt((kurtosis - 1) / n));
  CHECK(m.fourth / (std * std * std * std) == doctest::Approx(kurtosis).epsilon(0.06));
}

void check_uniform(const Initialize& initialize, double bound) {
  const std::vector<float> w = initialized(initialize);
  check_moments(w, bound / std::sqrt(3.0), 1.8);
  const double largest = moments_of(w).largest;
  CHECK(largest <= static_cast<double>(static_cast<float>(bound)));
  CHECK(largest >= bound * (1 - 20.0 / static_cast<double>(w.size())));
}

void check_normal(const Initialize& initialize, double std) {
  check_moments(initialized(initialize), std, 3);
}

}  // namespace

TEST_CASE("initializers have the bounds and moments of their distributions") {
  const InitialDraws draws{3, 4};
  check_uniform([&](View w) { xavier_uniform(w, 1, draws); }, std::sqrt(6.0 / 650));
  check_uniform([&](View w) { xavier_uniform(w, 2.5f, draws); }, 2.5 * std::sqrt(6.0 / 650));
  check_normal([&](View w) { xavier_normal(w, 1, draws); }, std::sqrt(2.0 / 650));
  check_normal([&](View w) { xavier_normal(w, 1.5f, draws); }, 1.5 * std::sqrt(2.0 / 650));
  check_uniform([&](View w) { kaiming_uniform(w, 1, draws); }, std::sqrt(3.0 / 400));
  check_uniform([&](View w) { kaiming_uniform(w, std::sqrt(1.0f / 3), draws); }, 1 / std::sqrt(400.0));
  check_normal([&](View w) { kaiming_normal(w, 1, draws); }, std::sqrt(1.0 / 400));
  check_normal([&](View w) { kaiming_normal(w, std::sqrt(2.0f), draws); }, std::sqrt(2.0 / 400));
  check_normal([&](View w) { normal_init(w, 0.02f, draws); }, 0.02);
  check_uniform([&](View w) { uniform_init(w, 0.3f, draws); }, 0.3);
}

TEST_CASE("initializers repeat for a seed and a stream, and differ between them") {
  const auto run = [](uint64_t seed, uint64_t stream) {
    return initialized([=](View w) { xavier_uniform(w, 1, {seed, stream}); });
  };
  const std::vector<float> first = run(1, 2);
  CHECK(run(1, 2) == first);
  CHECK(run(2, 2) != first);
  CHECK(run(1, 3) != first);
}

TEST_CASE("initializers: no spread, no elements, constants") {
  for (const float x : initialized([](View w) { normal_init(w, 0, {1, 2}); })) CHECK(x == 0);
  for (const float x : initialized([](View w) { uniform_init(w, 0, {1, 2}); })) CHECK(x == 0);
  for (const float x : initialized([](View w) { constant_init(w, -3); })) CHECK(x == -3);
  CHECK(initialized([](View w) { kaiming_uniform(w, 1, {1, 2}); }, {3, 0}).empty());
  CHECK(initialized([](View w) { xavier_normal(w, 1, {1, 2}); }, {0, 0}).empty());
}

TEST_CASE("initializers: an invalid argument is an error, and changes nothing") {
  std::vector<float> w(6, 7.0f);
  const View view(w.data(), {2, 3}), row(w.data(), {6});
  const InitialDraws draws{1, 2};
  for (const float bad : {-1.0f, NAN, INFINITY}) {
    CHECK_THROWS_AS(xavier_uniform(view, bad, draws), ValueError);
    CHECK_THROWS_AS(xavier_normal(view, bad, draws), ValueError);
    CHECK_THROWS_AS(kaiming_uniform(view, bad, draws), ValueError);
    CHECK_THROWS_AS(kaiming_normal(view, bad, draws), ValueError);
    CHECK_THROWS_AS(normal_init(view, bad, draws), ValueError);
    CHECK_THROWS_AS(uniform_init(view, bad, draws), ValueError);
  }
  CHECK_THROWS_AS(xavier_uniform(row, 1, draws), ShapeError);
  CHECK_THROWS_AS(xavier_normal(row, 1, draws), ShapeError);
  CHECK_THROWS_AS(kaiming_uniform(row, 1, draws), ShapeError);
  CHECK_THROWS_AS(kaiming_normal(row, 1, draws), ShapeError);
  CHECK(w == std::vector<float>(6, 7.0f));
}

TEST_CASE("initialize: PyTorch's beginnings of Linear and of norms") {
  Parameters parameters;
  const Linear linear(parameters, "l", kIn, kOut), bare(parameters, "m", 4, 2, false);
  const Norm norm(parameters, "n", NormKind::kLayer, 6), rms(parameters, "r", NormKind::kRms, 6);
  parameters.allocate();
  fill_normals(parameters.values(), 1);
  initialize(parameters, {}, 5);
  const double b = 1 / std::sqrt(400.0);
  const std::vector<float> w = values_of(parameters.value(linear.weight()));
  const std::vector<float> bias = values_of(parameters.value(linear.bias()));
  check_moments(w, b / std::sqrt(3.0), 1.8);
  for (const std::vector<float>& values : {w, bias}) {
    const double largest = moments_of(values).largest;
    CHECK((largest <= static_cast<double>(static_cast<float>(b)) && largest > 0.9 * b));
  }
  CHECK(bias[0] != w[0]);
  CHECK(moments_of(values_of(parameters.value(bare.weight()))).largest <= 0.5);
  for (int j = 0; j < 6; ++j) {
    CHECK(parameters.value(norm.weight()).data[j] == 1);
    CHECK(parameters.value(norm.bias()).data[j] == 0);
    CHECK(parameters.value(rms.weight()).data[j] == 1);
  }
}

TEST_CASE("initializers: the same bits on every target") {
  BitsHash hash;
  for (const float x : initialized([](View w) { xavier_uniform(w, 1, {1, 2}); })) hash.add(x);
  for (const float x : initialized([](View w) { kaiming_normal(w, 1, {1, 2}); })) hash.add(x);
  CHECK(hash.value() == 0xbf76cf8f2aba94f2u);
}
