#include "kernels/fill.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/errors.h"
#include "reference/buffers.h"
#include "reference/compare.h"
#include "reference/thrown_by.h"

using namespace sqrtdk;
using namespace sqrtdk::reference;

namespace {

std::vector<float> ranged(double start, double stop, double step) {
  std::vector<float> out(static_cast<size_t>(arange_size(start, stop, step)));
  arange(start, step, {out.data(), {static_cast<int64_t>(out.size())}});
  return out;
}

}  // namespace

TEST_CASE("fill: every length, unaligned, nothing outside") {
  for (int64_t n = 0; n <= 33; ++n) {
    for (const float value : {0.0f, -0.0f, 1.5f, NAN, INFINITY}) {
      GuardedBuffer x(n, 1);
      fill({x.data(), {n}}, value);
      CHECK(same_bits(x.values(), std::vector<float>(static_cast<size_t>(n), value)));
      CHECK(x.intact());
    }
  }
}

TEST_CASE("arange: what comes before the stop, as in NumPy") {
  CHECK(same_bits(ranged(0, 4, 1), {0, 1, 2, 3}));
  CHECK(same_bits(ranged(0, 0, 1), {}));
  CHECK(same_bits(ranged(0, -3, 1), {}));
  CHECK(same_bits(ranged(1, 2, 0.25), {1, 1.25f, 1.5f, 1.75f}));
  CHECK(same_bits(ranged(1, 2.1, 0.25), {1, 1.25f, 1.5f, 1.75f, 2}));
  CHECK(same_bits(ranged(3, 0, -1), {3, 2, 1}));
  CHECK(same_bits(ranged(-1, 1, 0.5), {-1, -0.5f, 0, 0.5f}));
  CHECK(same_bits(ranged(0, 2.5, 1), {0, 1, 2}));
}

TEST_CASE("arange: each number is rounded once, however far from the start") {
  const std::vector<float> x = ranged(0, 1000, 0.1);
  REQUIRE(x.size() == 10000);
  for (size_t i = 0; i < x.size(); ++i) CHECK(x[i] == static_cast<float>(static_cast<double>(i) * 0.1));
  CHECK(ranged(16777210, 16777220, 1).back() == 16777220.0f);  // 16777219 is no float
}

TEST_CASE("arange: no step, no numbers and too many are refused") {
  const auto argument = [](double start, double stop, double step) {
    return thrown_by<ValueError>([&] { arange_size(start, stop, step); }).argument;
  };
  CHECK(argument(0, 1, 0) == "step");
  CHECK(argument(0, 1, NAN) == "step");
  CHECK(argument(NAN, 1, 1) == "start");
  CHECK(argument(0, INFINITY, 1) == "stop");
  CHECK(argument(0, 1e300, 1e-300) == "stop");
  CHECK(argument(0, 2e12, 1) == "stop");
}
