#pragma once
// Runs an experiment and finds its numbers.
#include <doctest/doctest.h>

#include <cmath>
#include <span>

#include "lab/experiment.h"

namespace sqrtdk::test {

// Sanitizers slow some loops down more than others. What they have seen before is left out where it takes
// long: the defaults of each experiment run in progress_test.cpp.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

using Text = std::map<std::string, std::string>;

inline Result run(const std::string& id, const Text& params = {}) {
  return run_experiment(id, params).result;
}

inline const Scalar& scalar(const Result& result, const std::string& name, const Labels& at) {
  for (const Scalar& scalar : result.scalars) {
    if (scalar.name == name && scalar.at == at) return scalar;
  }
  FAIL("no scalar " << name);
  return result.scalars.at(0);
}

/// `measured` within 4 standard errors of `expected`, which may have a standard error of its own.
inline void check_within(const Scalar& measured, double expected, double expected_se = 0) {
  const double se = std::sqrt(measured.se * measured.se + expected_se * expected_se);
  std::string which = measured.name;
  for (const auto& label : measured.at) which += " " + std::string(label.name) + "=" + label.value;
  CAPTURE(which);
  CAPTURE(measured.value);
  CAPTURE(expected);
  CAPTURE(se);
  CHECK(se > 0);
  CHECK(std::fabs(measured.value - expected) < 4 * se);
}

/// A mean over the trials of an independent simulation, at one d and scale.
struct Fact {
  const char *d, *scale, *name;
  double mean, se;
};

/// Checks the means of `result`, whose labels are d, then `between`, then the scale.
inline void check_facts(const Result& result, std::span<const Fact> facts, const Labels& between = {}) {
  for (const Fact& fact : facts) {
    Labels at = {{"d", fact.d}};
    at.insert(at.end(), between.begin(), between.end());
    at.add({"scale", fact.scale});
    check_within(scalar(result, fact.name, at), fact.mean, fact.se);
  }
}

}  // namespace sqrtdk::test
