#pragma once
// A made-up result with something in every field.
#include "lab/experiment.h"

namespace sqrtdk::test {

inline Result small_result() {
  Result result;
  result.lines = {"a \"quoted\"\\ line\n"};
  result.scalars = {{.name = "softmax_max",
                     .at = {{"d", "32"}, {"scale", "none"}},
                     .value = 0.1,
                     .se = 0.5,
                     .expected = 1,
                     .std = 2,
                     .p10 = 3,
                     .p50 = 4,
                     .p90 = 5},
                    {.name = "nothing", .at = {}}};
  Series series{
      .name = "scaled", .role = Role::kScaled, .x = {1, 2}, .y = {0.25, kNone}, .y_se = {0.5, 0.125}};
  const Series band{.name = "band", .x = {1}, .y = {2}, .low = {1.5}, .high = {4}};
  result.figures = {{.name = "weights",
                     .at = {{"d", "32"}},
                     .kind = BarChart{},
                     .x = "key",
                     .y = "weight",
                     .y_max = 1,
                     .series = {series, band}},
                    {.name = "map",
                     .at = {},
                     .kind = HeatMap{.z = "weight",
                                     .grid = {.n_rows = 1,
                                              .n_cols = 2,
                                              .rows = {"cat"},
                                              .cols = {"sat", "on"},
                                              .values = {0.1, kNone}}},
                     .x = "key",
                     .y = "query"}};
  result.holds = Holds::kNo;
  result.verdict = "key";
  return result;
}

}  // namespace sqrtdk::test
