// A refusal says the whole range: its ends are taken, and what is beyond them is not.
#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "base/errors.h"
#include "layers/key_value_cache.h"
#include "layers/linear.h"
#include "layers/multi_head_attention.h"
#include "layers/positional_encoding.h"
#include "layers/rotary_positions.h"
#include "reference/thrown_by.h"

namespace sqrtdk {
namespace {

/// `call` takes the whole numbers of low .. high.
void check_range(const char* argument, int64_t low, int64_t high, const std::function<void(int64_t)>& call) {
  CAPTURE(argument);
  for (const int64_t beyond : {low - 1, high + 1}) {
    const ValueError error = thrown_by<ValueError>([&] { call(beyond); });
    CHECK(error.argument == argument);
    CHECK(error.expected == std::to_string(low) + " .. " + std::to_string(high));
    CHECK(error.got == std::to_string(beyond));
  }
  for (const int64_t end : {low, high}) CHECK_NOTHROW(call(end));
}

TEST_CASE("refusals: positions of an encoding") {
  const std::vector<float> encoding(5 * 2);
  std::vector<float> x(3 * 2);
  const ConstView table(encoding.data(), {5, 2});
  check_range("first", 0, 2, [&](int64_t first) { add_positions(table, first, {x.data(), {3, 2}}); });
  std::vector<float> longer(6 * 2);
  const ValueError error = thrown_by<ValueError>([&] { add_positions(table, 0, {longer.data(), {6, 2}}); });
  CHECK(error.argument == "n");
  CHECK(error.expected == "0 .. 5");
}

TEST_CASE("refusals: rotary positions") {
  Cache cache;
  const RotaryPositions rotary(10000, 2, RotaryPairs::kHalves);
  std::vector<float> x(3 * 2);
  for (const int64_t beyond : {int64_t{-1}, (int64_t{1} << 20) - 1}) {
    const ValueError error = thrown_by<ValueError>([&] {
      rotary.forward({x.data(), {3, 2}}, beyond, cache);
    });
    CHECK(error.argument == "position");
    CHECK(error.expected == "0 .. 1048574");
  }
}

TEST_CASE("refusals: a cache of keys and values") {
  KeyValueCache cache(3, 1, 1, 5, 1);
  check_range("layer", 0, 2, [&](int64_t i) { cache.layer(i); });
  cache.advance(1);
  const ValueError more = thrown_by<ValueError>([&] { cache.advance(5); });
  CHECK(more.argument == "n");
  CHECK(more.expected == "0 .. 4");
  const ValueError size = thrown_by<ValueError>([] { KeyValueCache(1 << 20, 0, 1, 1, 1); });
  CHECK(size.argument == "batch");
  CHECK(size.expected == "1 .. 1048576");  // of 2^40, 2^20 are taken
}

TEST_CASE("refusals: attention over what is in a cache") {
  Parameters parameters;
  const MultiHeadAttention layer(parameters, "", {.d_model = 2, .n_heads = 1});
  parameters.allocate();
  std::vector<float> k(5 * 2), v(5 * 2), x(2 * 2);
  const auto past = [&](int64_t n_past) {
    return PastKeys{{k.data(), {1, 1, 5, 2}}, {v.data(), {1, 1, 5, 2}}, n_past};
  };
  Cache cache;
  const auto forward = [&](int64_t n_past) {
    layer.forward_cached({x.data(), {1, 2, 2}}, past(n_past), {}, cache);
  };
  for (const int64_t beyond : {-1, 6}) {
    const ValueError error = thrown_by<ValueError>([&] { forward(beyond); });
    CHECK(error.argument == "n_past");
    CHECK(error.expected == "0 .. 5");
  }
  const ValueError error = thrown_by<ValueError>([&] { forward(4); });
  CHECK(error.argument == "n");
  CHECK(error.expected == "0 .. 1");
}

TEST_CASE("refusals: parameters by their index") {
  Parameters parameters;
  const Linear layer(parameters, "", 2, 3);
  parameters.allocate();
  check_range("index", 0, 1, [&](int64_t i) { parameters.value(static_cast<int>(i)); });
}

}  // namespace
}  // namespace sqrtdk
