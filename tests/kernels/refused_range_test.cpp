// The ranges that kernels refuse by.
#include <doctest/doctest.h>

#include <vector>

#include "kernels/attention/attention.h"
#include "kernels/cross_entropy.h"
#include "kernels/embedding.h"
#include "kernels/rotary.h"
#include "reference/check_range.h"

namespace sqrtdk {
namespace {

using reference::check_range;

TEST_CASE("refusals: a row of an embedding") {
  const std::vector<float> table(5 * 2);
  std::vector<float> out(2);
  check_range("ids", 0, 4, [&](int64_t id) {
    const auto row = static_cast<int32_t>(id);
    embedding_forward({table.data(), {5, 2}}, {&row, {1}}, {out.data(), {1, 2}});
  });
}

TEST_CASE("refusals: a rotary position") {
  const std::vector<float> table(5), x(2);
  std::vector<float> out(2);
  check_range("positions", 0, 4, [&](int64_t position) {
    const auto at = static_cast<int32_t>(position);
    rotary_forward({x.data(), {1, 2}}, {table.data(), {5, 1}}, {table.data(), {5, 1}}, {&at, {1}},
                   RotaryPairs::kHalves, {out.data(), {1, 2}});
  });
}

TEST_CASE("refusals: a class of cross entropy") {
  const std::vector<float> logits(3);
  std::vector<float> log_probs(3);
  check_range("target", 0, 2, [&](int64_t target) {
    const auto y = static_cast<int32_t>(target);
    cross_entropy_forward({logits.data(), {1, 3}}, {&y, {1}}, {}, {log_probs.data(), {1, 3}}, {});
  });
}

TEST_CASE("refusals: the length of a batch's keys") {
  const std::vector<float> x(4);
  std::vector<float> scores(16), weights(16), out(4);
  check_range("lengths", 0, 4, [&](int64_t n) {
    const auto length = static_cast<int32_t>(n);
    const Shape shape{1, 4, 1}, pairs{1, 4, 4};
    attention_forward({x.data(), shape}, {x.data(), shape}, {x.data(), shape}, {.lengths = {&length, {1}}},
                      {scores.data(), pairs}, {weights.data(), pairs}, {out.data(), shape});
  });
}

}  // namespace
}  // namespace sqrtdk
