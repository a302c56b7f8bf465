#pragma once
// What experiments that time kernels on the reader's device have in common: parameters, and numbers of
// results.
#include <algorithm>
#include <array>
#include <cmath>

#include "lab/common_params.h"
#include "lab/growth.h"
#include "lab/timing.h"

namespace sqrtdk {

constexpr Param sizes_param(const char* name, const char* default_value, double max) {
  return {.name = name,
          .type = ParamType::kIntList,
          .default_value = default_value,
          .min = 1,
          .max = max,
          .max_count = 8};
}
constexpr Param rounds_param(const char* default_value) { return int_param("rounds", default_value, 3, 101); }

inline Estimate milliseconds(const Timing& timing) { return {1e3 * timing.median, 1e3 * timing.se}; }
inline Scalar milliseconds(Labels at, const Timing& timing) {
  return {.name = "milliseconds",
          .at = std::move(at),
          .value = 1e3 * timing.median,
          .se = 1e3 * timing.se,
          .p10 = 1e3 * timing.p10,
          .p50 = 1e3 * timing.median,
          .p90 = 1e3 * timing.p90};
}

/// Of two medians, with the error that their errors give it.
inline Scalar ratio(std::string name, Labels at, const Timing& a, const Timing& b) {
  const double value = a.median / b.median, of_a = a.se / a.median, of_b = b.se / b.median;
  return {.name = std::move(name),
          .at = std::move(at),
          .value = value,
          .se = value * std::sqrt(of_a * of_a + of_b * of_b)};
}

/// The exponent that fits the series' points; counts have no error.
inline void add_growth(Result& result, std::string name, Labels at, const Series& series) {
  const auto [exponent, se] = growth(series.x, series.y);
  result.add(std::move(name), std::move(at), Estimate{exponent, series.y_se.empty() ? kNone : se});
}

inline void add_clock(Result& result) {
  result.timed = true;
  result.add("clock_step", {}, 1e3 * clock_resolution());
}

}  // namespace sqrtdk
