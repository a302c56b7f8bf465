#include "lab/growth.h"

#include <doctest/doctest.h>

#include <cmath>

namespace sqrtdk {
namespace {

TEST_CASE("growth: powers are found exactly") {
  const std::vector<double> x = {3, 8, 20, 21};
  for (const double power : {-1.0, 0.0, 0.5, 2.0}) {
    std::vector<double> y;
    for (const double each : x) y.push_back(7 * std::pow(each, power));
    const auto [exponent, se] = growth(x, y);
    CHECK(exponent == doctest::Approx(power).epsilon(1e-12));
    CHECK(se < 1e-12);
  }
}

TEST_CASE("growth: the standard error of the slope, by hand") {
  // ln y = 0, 1, 0 over ln x = 0, 1, 2 (times ln 2): slope 0, residuals -1/3, 2/3, -1/3, one degree of
  // freedom
  const auto [exponent, se] = growth({1, 2, 4}, {1, std::exp(1.0), 1});
  CHECK(std::fabs(exponent) < 1e-15);
  CHECK(se == doctest::Approx(std::sqrt(2.0 / 3 / 2) / std::log(2.0)));
}

TEST_CASE("growth: too few points") {
  CHECK(std::isnan(growth({2}, {3}).exponent));
  CHECK(std::isnan(growth({}, {}).exponent));
  CHECK(std::isnan(growth({2, 2, 2}, {3, 4, 5}).exponent));
  const auto [exponent, se] = growth({1, 10}, {1, 1000});
  CHECK(exponent == doctest::Approx(3));
  CHECK(std::isnan(se));
}

}  // namespace
}  // namespace sqrtdk
