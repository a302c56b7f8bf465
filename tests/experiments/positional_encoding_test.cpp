#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "experiments/run.h"
#include "reference/thrown_by.h"

namespace sqrtdk::test {
namespace {

constexpr const char* kId = "positional_encoding";

double change(const Result& result, const char* positions, const char* permuted) {
  return scalar(result, "permuted_change", {{"positions", positions}, {"permuted", permuted}}).value;
}

TEST_CASE("positional_encoding: attention without positions does not see the order, with them it does") {
  for (int seed = 0; seed < 8; ++seed) {
    const Result result = run(kId, {{"seed", std::to_string(seed)}, {"d_model", "64"}, {"n", "7"}});
    CHECK(result.holds == Holds::kYes);
    CHECK(result.verdict == "order_needs_positions");
    CHECK(scalar(result, "different_elements", {{"positions", "none"}, {"permuted", "queries"}}).value == 0);
    CHECK(change(result, "none", "queries") == 0);
    CHECK(change(result, "none", "keys") < 2e-6);
    CHECK(change(result, "none", "keys") > 0);  // the order of summation
    CHECK(change(result, "none", "both") < 2e-6);
    CHECK(change(result, "sinusoidal", "with_positions") < 2e-6);
    for (const char* positions : {"sinusoidal", "rotary", "causal"})
      CHECK(change(result, positions, "both") > 0.05);
  }
}

TEST_CASE("positional_encoding: the heat map is the article's formula") {
  const Result result = run(kId);
  const Figure& figure = result.figures.at(0);
  CHECK(figure.name == "encoding");
  REQUIRE(figure.heat_map());
  REQUIRE(figure.grid().n_rows == 100);
  REQUIRE(figure.grid().n_cols == 512);
  REQUIRE(figure.grid().values.size() == 51200);
  for (int t = 0; t < 100; t += 11) {
    for (int i = 0; i < 512; ++i) {
      const int pair = i / 2;
      const double angle = t / std::pow(10000.0, 2.0 * pair / 512);
      const double expected = i % 2 == 0 ? std::sin(angle) : std::cos(angle);
      CHECK(std::fabs(figure.grid().values[static_cast<size_t>(t * 512 + i)] - expected) < 1e-7);
    }
  }
}

TEST_CASE("positional_encoding: wavelengths grow geometrically from 2 pi") {
  const Result result = run(kId, {{"d_model", "8"}, {"base", "16"}, {"n_positions", "20"}});
  const Series& wavelength = result.figures.at(1).series.at(0);
  const double two_pi = 2 * std::acos(-1.0);
  REQUIRE(wavelength.y.size() == 4);
  for (size_t i = 0; i < 4; ++i) {
    CHECK(wavelength.x[i] == static_cast<double>(2 * i));
    CHECK(wavelength.y[i] == doctest::Approx(two_pi * std::pow(2.0, static_cast<double>(i))).epsilon(1e-14));
  }
  CHECK(scalar(result, "wavelength_shortest", {}).value == wavelength.y[0]);
  CHECK(scalar(result, "wavelength_longest", {}).value == wavelength.y[3]);
  CHECK(scalar(result, "share_longer_than_text", {}).value == 0.5);  // 25.1 and 50.3 of 6.3 12.6 25.1 50.3
}

TEST_CASE("positional_encoding: products depend on the distance alone, and only rotary scores do so wholly") {
  const Result result = run(kId, {{"n_positions", "50"}, {"d_model", "32"}, {"seed", "3"}});
  const Figure& dots = result.figures.at(2);
  CHECK(dots.name == "dot_over_distance");
  const Series& measured = dots.series.at(0);
  REQUIRE(measured.x.size() == 50);
  for (size_t k = 0; k < 50; ++k) {
    double sum = 0;
    for (int i = 0; i < 16; ++i) sum += std::cos(static_cast<double>(k) / std::pow(10000.0, i / 16.0));
    CHECK(std::fabs(measured.y[k] - sum) < 2e-6);
    CHECK(std::fabs(dots.series.at(1).y[k] - sum) < 1e-12);
  }
  CHECK(scalar(result, "dot_spread", {}).value < 1e-5);

  const Figure& turned = result.figures.at(3);
  CHECK(turned.name == "rotary_over_offset");
  const Series& scores = turned.series.at(0);
  REQUIRE(scores.x.size() == 99);
  CHECK(scores.x.front() == -49);
  CHECK(scores.x.back() == 49);
  double asymmetry = 0;
  for (size_t i = 0; i < 99; ++i) {
    CHECK(std::fabs(scores.y[i] - turned.series.at(1).y[i]) < 1e-5);
    asymmetry = std::max(asymmetry, std::fabs(scores.y[i] - scores.y[98 - i]));
  }
  CHECK(asymmetry > 0.1);  // before and after differ
  CHECK(scalar(result, "score_spread", {{"positions", "rotary"}}).value < 1e-5);
  CHECK(scalar(result, "score_spread", {{"positions", "sinusoidal"}}).value > 0.5);
}

TEST_CASE("positional_encoding: the smallest and the largest, and what does not fit") {
  const Result one = run(kId, {{"n", "1"}, {"d_model", "2"}, {"n_positions", "1"}});
  CHECK(one.holds == Holds::kCannotBeJudged);
  CHECK(one.verdict == "nothing_permuted");
  CHECK(run(kId, {{"n", "2"}, {"d_model", "2"}}).verdict == "order_needs_positions");
  CHECK(run(kId, {{"n_positions", "256"}, {"d_model", "1024"}, {"base", "1"}}).holds == Holds::kYes);
  CHECK(run(kId, {{"base", "1000000"}, {"d_model", "128"}, {"n", "64"}}).holds == Holds::kYes);
  const ValueError error = thrown_by<ValueError>([&] { run(kId, {{"d_model", "7"}}); });
  CHECK(error.argument == "d_model");
  CHECK(error.expected == "an even number");
  CHECK(error.got == "7");
}

}  // namespace
}  // namespace sqrtdk::test
