#include "layers/cache.h"

#include <doctest/doctest.h>

#include "base/errors.h"

using namespace sqrtdk;

TEST_CASE("Cache: tensors by name") {
  Cache cache;
  const View a = cache.make("layer.out", {2, 3}), b = cache.make("layer.dx", {4});
  for (int i = 0; i < 6; ++i) a.data[i] = static_cast<float>(i);
  for (int i = 0; i < 4; ++i) b.data[i] = -1;
  CHECK(cache.has("layer.out"));
  CHECK_FALSE(cache.has("layer"));
  CHECK(cache.at("layer.out").data == a.data);
  CHECK(cache.at("layer.out").shape == Shape{2, 3});
  CHECK(cache.at("layer.out").data[5] == 5);
  CHECK(cache.names() == std::vector<std::string>{"layer.dx", "layer.out"});
  CHECK(reinterpret_cast<uintptr_t>(a.data) % 64 == 0);
  CHECK(cache.make("none", {0, 3}).data != nullptr);
}

TEST_CASE("Cache: memory is used again, and others' tensors stay where they are") {
  Cache cache;
  const View a = cache.make("a", {4, 8}), b = cache.make("b", {5});
  CHECK(cache.make("a", {2, 16}).data == a.data);
  CHECK(cache.make("a", {3}).data == a.data);
  CHECK(cache.at("a").shape == Shape{3});
  CHECK(cache.make("a", {32}).data == a.data);
  const View larger = cache.make("a", {33});
  for (int i = 0; i < 33; ++i) larger.data[i] = 1;
  CHECK(cache.at("b").data == b.data);
  for (int step = 0; step < 1000; ++step) {
    CHECK(cache.make("a", {33 - step % 7}).data == larger.data);
    CHECK(cache.make("b", {5 - step % 5}).data == b.data);
  }
  CHECK(cache.names().size() == 2);
}

TEST_CASE("Cache: an unknown name is an error that lists those that are there") {
  Cache cache;
  cache.make("a", {1});
  cache.make("b", {1});
  CHECK_THROWS_WITH_AS(cache.at("c"), "cache: unknown tensor c, expected one of a, b", ValueError);
  CHECK_THROWS_AS(cache.kept("a"), ValueError);
}

TEST_CASE("Cache: views of others' tensors") {
  Cache cache;
  const float x[] = {1, 2}, y[] = {3};
  cache.keep("l.x", {x, {2}});
  CHECK(cache.kept("l.x").data == x);
  CHECK(cache.kept("l.x").shape == Shape{2});
  cache.keep("l.x", {y, {1, 1}});
  CHECK(cache.kept("l.x").data == y);
  CHECK(cache.kept("l.x").shape == Shape{1, 1});
  CHECK_FALSE(cache.has("l.x"));  // not its own
  CHECK(cache.names().empty());
}

TEST_CASE("Cache: scratch is empty at every call, and grows only where it must") {
  Cache cache;
  Arena& first = cache.scratch(100);
  float* const block = first.floats(100);
  CHECK(cache.scratch(50).used() == 0);
  CHECK(cache.scratch(100).floats(100) == block);
  CHECK_THROWS_AS(cache.scratch(int64_t{1} << 50), OutOfMemory);
  CHECK(cache.scratch(200).floats(200) != nullptr);
  CHECK_THROWS_AS(cache.scratch(10).floats(201), OutOfMemory);
}
