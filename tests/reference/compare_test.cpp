#include "reference/compare.h"

#include <doctest/doctest.h>

#include <cmath>

#include "reference/buffers.h"

using namespace sqrtdk::reference;

TEST_CASE("the comparator fails where NaN or infinity stands on one side only") {
  const float inf = INFINITY;
  const double infinite = INFINITY;
  CHECK_FALSE(compare({NAN}, {1.0}).absolute <= 1e30);
  CHECK_FALSE(compare({1.0f}, {NAN}).absolute <= 1e30);
  CHECK_FALSE(compare({NAN}, {infinite}).ulp <= 1e30);
  CHECK_FALSE(compare({inf}, {NAN}).ulp <= 1e30);
  CHECK_FALSE(compare({inf}, {-infinite}).ulp <= 1e30);
  CHECK_FALSE(compare({inf}, {3e38}).ulp <= 1e30);
  CHECK_FALSE(compare({3e38f}, {infinite}).ulp <= 1e30);
  CHECK_FALSE(compare({0, 0, NAN, 0}, {0, 0, 0, 0}).absolute <= 1e30);
  CHECK_FALSE(compare({0}, {0, 0}).absolute <= 1e30);
  CHECK(compare({NAN, inf, -inf}, {NAN, infinite, -infinite}).absolute == 0);
}

TEST_CASE("the comparator counts units in the last place") {
  CHECK(compare({1.0f}, {1.0}).ulp == 0);
  CHECK(compare({std::nextafter(1.0f, 2.0f)}, {1.0}).ulp == 1);
  CHECK(compare({std::nextafter(1.0f, 0.0f)}, {1.0}).ulp == 0.5);
  CHECK(compare({0x1p-149f}, {0.0}).ulp == 1);
  CHECK(compare({1.5f, 2.0f}, {1.0, 2.0}).absolute == 0.5);
}

TEST_CASE("the same bits: signs of zero count, payloads of NaN do not") {
  CHECK(same_bits({1, 2}, {1, 2}));
  CHECK(same_bits({NAN}, {-NAN}));
  CHECK_FALSE(same_bits({0.0f}, {-0.0f}));
  CHECK_FALSE(same_bits({NAN}, {0.0f}));
  CHECK_FALSE(same_bits({1}, {1, 1}));
}

TEST_CASE("a guarded buffer notices a write before and after it") {
  for (const int offset : {-1, 5}) {
    GuardedBuffer buffer(5);
    CHECK(buffer.intact());
    buffer.data()[offset] = 0;
    CHECK_FALSE(buffer.intact());
  }
}
