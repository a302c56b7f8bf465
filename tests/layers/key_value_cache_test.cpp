#include "layers/key_value_cache.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/errors.h"

using namespace sqrtdk;

TEST_CASE("key_value_cache: keys and values of each layer for themselves, and a length that all share") {
  KeyValueCache cache(2, 3, 4, 5, 6);
  CHECK(cache.n_layers() == 2);
  CHECK(cache.batch() == 3);
  CHECK(cache.capacity() == 5);
  CHECK(cache.shape() == Shape{3, 4, 5, 6});
  CHECK(cache.layer(1).k.shape == cache.shape());
  CHECK(cache.layer(1).v.shape == cache.shape());
  for (int64_t i = 0; i < 2; ++i) {
    const PastKeys past = cache.layer(i);
    std::fill_n(past.k.data, past.k.shape.size(), static_cast<float>(i));
    std::fill_n(past.v.data, past.v.shape.size(), static_cast<float>(i + 10));
  }
  CHECK(cache.layer(0).k.data[359] == 0);
  CHECK(cache.layer(0).v.data[359] == 10);
  CHECK(cache.layer(1).k.data[0] == 1);
  CHECK(cache.layer(1).v.data[0] == 11);
  CHECK(cache.layer(0).n_past == 0);
  cache.advance(3);
  cache.advance(0);
  CHECK(cache.length() == 3);
  CHECK(cache.layer(1).n_past == 3);
  CHECK_THROWS_AS(cache.advance(3), ValueError);
  CHECK_THROWS_AS(cache.advance(-1), ValueError);
  CHECK(cache.length() == 3);
  cache.advance(2);
  CHECK(cache.length() == 5);
  cache.clear();
  CHECK(cache.length() == 0);
}

TEST_CASE("key_value_cache: sizes and layers that are none") {
  for (const int64_t bad : {int64_t{0}, int64_t{-1}, int64_t{1} << 41}) {
    CHECK_THROWS_AS(KeyValueCache(bad, 1, 1, 1, 1), ValueError);
    CHECK_THROWS_AS(KeyValueCache(1, bad, 1, 1, 1), ValueError);
    CHECK_THROWS_AS(KeyValueCache(1, 1, bad, 1, 1), ValueError);
    CHECK_THROWS_AS(KeyValueCache(1, 1, 1, bad, 1), ValueError);
    CHECK_THROWS_AS(KeyValueCache(1, 1, 1, 1, bad), ValueError);
  }
  CHECK_THROWS_AS(KeyValueCache(1 << 20, 1 << 20, 1 << 20, 1, 1), ValueError);
  KeyValueCache cache(2, 1, 1, 1, 1);
  CHECK_THROWS_AS(cache.layer(2), ValueError);
  CHECK_THROWS_AS(cache.layer(-1), ValueError);
}
