#pragma once
// Runs an experiment and finds its numbers.
#include <doctest/doctest.h>

#include "experiments/experiment.h"

namespace sqrtdk::test {

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
  for (const auto& label : measured.at) which += " " + label.first + "=" + label.second;
  CAPTURE(which);
  CAPTURE(measured.value);
  CAPTURE(expected);
  CAPTURE(se);
  CHECK(se > 0);
  CHECK(std::fabs(measured.value - expected) < 4 * se);
}

}  // namespace sqrtdk::test
