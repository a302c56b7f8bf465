#include "layers/dropout_layer.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/errors.h"
#include "reference/layer_checks.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

std::vector<float> dropped(const Dropout& dropout, const Mode& mode, int64_t n = 4000) {
  std::vector<float> x(static_cast<size_t>(n), 1.0f);
  Cache cache;
  dropout.forward({x.data(), {n}}, cache, mode);
  return x;
}

}  // namespace

TEST_CASE("stream_of is 64-bit FNV-1a") {
  CHECK(stream_of("") == 0xcbf29ce484222325);
  CHECK(stream_of("a") == 0xaf63dc4c8601ec8c);
  CHECK(stream_of("foobar") == 0x85944171f73967e8);
}

TEST_CASE("Dropout: forward and backward drop the same elements, and both scale the others") {
  const Dropout dropout("layers.0.dropout", 0.25f);
  std::vector<float> x(4000, 1.0f), dx(4000, -2.0f);
  Cache cache;
  dropout.forward({x.data(), {40, 100}}, cache, {true, 5, 6});
  dropout.backward({dx.data(), {40, 100}}, cache);
  int64_t zeros = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    CHECK((x[i] == 0 || x[i] == 1 / 0.75f));
    CHECK(dx[i] == -2 * x[i]);
    zeros += x[i] == 0;
  }
  const double standard_error = std::sqrt(4000 * 0.25 * 0.75);
  CHECK(std::fabs(static_cast<double>(zeros) - 1000) <= 4 * standard_error);
}

TEST_CASE("Dropout: names, seeds and steps have masks of their own, that repeat") {
  const Dropout a("a", 0.5f), b("b", 0.5f);
  const std::vector<float> first = dropped(a, {true, 1, 0});
  CHECK(dropped(a, {true, 1, 0}) == first);
  for (const std::vector<float>& other :
       {dropped(b, {true, 1, 0}), dropped(a, {true, 2, 0}), dropped(a, {true, 1, 1})}) {
    int64_t equal = 0;
    for (size_t i = 0; i < other.size(); ++i) equal += other[i] == first[i];
    CHECK(std::fabs(static_cast<double>(equal) - 2000) <= 4 * std::sqrt(1000.0));
  }
}

TEST_CASE("Dropout: off outside training, and for probability 0") {
  const std::vector<float> ones(4000, 1.0f);
  CHECK(dropped(Dropout("a", 0.5f), {false, 1, 0}) == ones);
  CHECK(dropped(Dropout("a", 0), {true, 1, 0}) == ones);
  const Dropout dropout("a", 0.5f);
  std::vector<float> x = ones, dx = ones;
  Cache cache;
  dropout.forward({x.data(), {4000}}, cache, {true, 1, 0});
  dropout.forward({x.data(), {4000}}, cache, {});  // the last forward counts
  dropout.backward({dx.data(), {4000}}, cache);
  CHECK(dx == ones);
  for (const float probability : {-0.1f, 1.0f, 2.0f, NAN}) {
    CHECK_THROWS_AS(Dropout("a", probability), ValueError);
  }
}
