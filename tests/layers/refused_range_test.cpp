// The ranges that layers refuse by.
#include <doctest/doctest.h>

#include "layers/key_value_cache.h"
#include "layers/linear.h"
#include "layers/multi_head_attention.h"
#include "layers/positional_encoding.h"
#include "layers/rotary_positions.h"
#include "reference/check_range.h"

namespace sqrtdk {
namespace {

using reference::check_range;
using reference::check_refused;

TEST_CASE("refusals: positions of an encoding") {
  const std::vector<float> encoding(5 * 2);
  std::vector<float> x(6 * 2);
  const auto add = [&](int64_t first, int64_t n) {
    add_positions({encoding.data(), {5, 2}}, first, {x.data(), {n, 2}});
  };
  check_range("first", 0, 2, [&](int64_t first) { add(first, 3); });
  check_refused("n", 0, 5, 6, [&](int64_t n) { add(0, n); });
}

TEST_CASE("refusals: rotary positions") {
  Cache cache;
  const RotaryPositions rotary(10000, 2, RotaryPairs::kHalves);
  std::vector<float> x(3 * 2);
  const int64_t last = kMaxRotaryPositions - 3;
  for (const int64_t beyond : {int64_t{-1}, last + 1}) {
    check_refused("position", 0, last, beyond, [&](int64_t first) {
      rotary.forward({x.data(), {3, 2}}, first, cache);
    });
  }
}

TEST_CASE("refusals: a cache of keys and values") {
  KeyValueCache cache(3, 1, 1, 5, 1);
  check_range("layer", 0, 2, [&](int64_t i) { cache.layer(i); });
  cache.advance(1);
  check_refused("n", 0, 4, 5, [&](int64_t n) { cache.advance(n); });
  // Of 2^40, 2^20 are taken.
  check_refused("batch", 1, 1 << 20, 0, [](int64_t batch) { KeyValueCache(1 << 20, batch, 1, 1, 1); });
}

TEST_CASE("refusals: attention over what is in a cache") {
  Parameters parameters;
  const MultiHeadAttention layer(parameters, "", {.d_model = 2, .n_heads = 1});
  parameters.allocate();
  std::vector<float> k(5 * 2), v(5 * 2), x(3 * 2);
  const auto forward = [&](int64_t n_past, int64_t n) {
    const PastKeys past{{k.data(), {1, 1, 5, 2}}, {v.data(), {1, 1, 5, 2}}, n_past};
    Cache cache;
    layer.forward_cached({x.data(), {1, n, 2}}, past, {}, cache);
  };
  for (const int64_t beyond : {-1, 6}) {
    check_refused("n_past", 0, 5, beyond, [&](int64_t n_past) { forward(n_past, 1); });
  }
  check_refused("n", 0, 1, 2, [&](int64_t n) { forward(4, n); });
}

TEST_CASE("refusals: parameters by their index") {
  Parameters parameters;
  const Linear layer(parameters, "", 2, 3);
  parameters.allocate();
  check_range("index", 0, 1, [&](int64_t i) { parameters.value(static_cast<int>(i)); });
}

}  // namespace
}  // namespace sqrtdk
