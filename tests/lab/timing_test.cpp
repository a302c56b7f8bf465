#include "lab/timing.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <string>

#include "base/errors.h"

namespace sqrtdk {
namespace {

double now = 0, step = 0;

/// Time passes where a test says so, and 100 ns with each look at this clock, which shows whole steps.
double wall() {
  now += 1e-7;
  return std::floor(now / step) * step;
}

/// Relative.
double off(double value, double expected) { return std::fabs(value / expected - 1); }

struct Recorded {
  std::string calls;
  Progress progress{};
  std::vector<TimedWork> work{};

  Recorded& add(char name, double seconds, int64_t pieces = 1, double operations = 1) {
    work.push_back({.operations = operations, .pieces = pieces, .run = [this, name, seconds](int64_t piece) {
                      calls += name;
                      if (piece > 0) calls += std::to_string(piece);
                      now += seconds;
                    }});
    return *this;
  }
  std::vector<Timing> time(int64_t rounds, double clock_step) {
    step = clock_step;
    ProgressMeter meter("timing", progress);
    meter.begin(timing_work(work, rounds));
    return time_interleaved(work, rounds, meter, wall);
  }
};

TEST_CASE("timing: every round measures each work once") {
  Recorded recorded;
  const std::vector<Timing> timings = recorded.add('a', 1e-3).add('b', 3e-3).time(4, 1e-6);
  CHECK(recorded.calls ==
        "ab"
        "ab"
        "ab"
        "ab"
        "ab");  // the first to warm up
  REQUIRE(timings.size() == 2);
  CHECK(off(timings[0].median, 1e-3) < 0.01);
  CHECK(off(timings[1].median, 3e-3) < 0.01);
  CHECK(timings[0].se < 1e-5);
}

TEST_CASE("timing: no time is known better than its clock shows, though every round shows the same") {
  const double clock_step = 1e-4;
  Recorded recorded;
  const Timing timing = recorded.add('a', 2.5e-3).add('b', 1e-6).time(9, clock_step)[0];
  CHECK(off(timing.p10, timing.p90) < 1e-9);
  CHECK(off(timing.se, clock_step / std::sqrt(6.0)) < 1e-6);  // of one whole a sample
}

TEST_CASE("timing: work whose warm-up was interrupted is repeated as often as it takes all the same") {
  for (const double clock_step : {5e-6, 1e-4, 1e-3}) {
    CAPTURE(clock_step);
    Recorded recorded;
    recorded.add('a', 1e-6);
    bool first = true;
    recorded.work[0].run = [&first, run = recorded.work[0].run](int64_t piece) {
      run(piece);
      if (first) now += 0.05;
      first = false;
    };
    const std::vector<Timing> timings = recorded.time(5, clock_step);
    CHECK(off(timings[0].median, 1e-6) < 0.1);
    CHECK(timings[0].p10 > 0);
  }
}

TEST_CASE("timing: short work is repeated until a coarse clock can tell") {
  for (const double clock_step : {1e-8, 5e-6, 1e-4, 1e-3}) {
    CAPTURE(clock_step);
    Recorded recorded;
    const double median = recorded.add('a', 1e-6).time(5, clock_step)[0].median;
    CHECK(off(median, 1e-6) < 0.06);
    const double least = clock_step < 1e-5 ? 2e-4 : 20 * clock_step;
    const auto calls = static_cast<double>(recorded.calls.size());
    CHECK(calls * 1e-6 > 6 * 0.9 * least);
    CHECK(calls * 1e-6 < 8 * 2.2 * least);
  }
  Recorded coarse;  // two steps, not twenty
  coarse.add('a', 1e-3).time(3, 0.1);
  CHECK(coarse.calls.size() >= 3 * 200);
  CHECK(coarse.calls.size() <= 5 * 512);
}

TEST_CASE("timing: a round in which the device does something else moves neither median nor error") {
  Recorded recorded;
  int count = 0;
  recorded.work.push_back({.run = [&](int64_t) { now += ++count == 4 ? 0.5 : 1e-3 + 1e-6 * (count % 3); }});
  const Timing timing = recorded.time(9, 1e-7)[0];
  CHECK(off(timing.median, 1e-3) < 0.01);
  CHECK(timing.se < 1e-6);
  CHECK(timing.p90 > 0.05);
  CHECK(timing.p10 <= timing.median);
}

// The median of n draws of N(μ, σ²) has the standard error 1.2533 σ / √n; their quartiles are 1.349 σ apart.
TEST_CASE("timing: the standard error of the median") {
  Recorded recorded;
  int count = -1;
  recorded.work.push_back({.run = [&](int64_t) { now += 1e-3 * (10 + count++); }});
  const Timing timing = recorded.time(9, 1e-7)[0];  // 10 .. 18 ms
  CHECK(off(timing.median, 14e-3) < 1e-3);
  CHECK(off(timing.se, 1.2533 * 4e-3 / 1.349 / 3) < 1e-3);
  CHECK(off(timing.p10, 10.8e-3) < 1e-3);
  CHECK(off(timing.p90, 17.2e-3) < 1e-3);
}

TEST_CASE("timing: long work tells its progress between pieces, with the clock stopped") {
  Recorded recorded;
  double last = -1;
  int told = 0;
  recorded.progress = [&](double share) {
    CHECK(share > last);
    last = share;
    ++told;
    now += 1;
    return true;
  };
  const Timing timing = recorded.add('a', 1e-2, 3, 3e9).time(3, 1e-6)[0];
  CHECK(recorded.calls ==
        "aa1a2"
        "aa1a2"
        "aa1a2"
        "aa1a2");
  CHECK(off(timing.median, 3e-2) < 0.01);
  CHECK(told == 1 + 12);  // that it begins, and each piece
  CHECK(last == doctest::Approx(1));
}

TEST_CASE("timing: can be cancelled, even within a sample") {
  Recorded recorded;
  recorded.progress = [&](double) { return recorded.calls.size() < 6; };
  recorded.add('a', 1e-2, 3, 3e9);
  CHECK_THROWS_AS(recorded.time(3, 1e-6), Cancelled);
  CHECK(recorded.calls == "aa1a2a");
}

TEST_CASE("timing: a clock's step is the median of nine, or of those within 20 ms") {
  const auto passes = [](double clock_step) {
    const double start = now = 1;
    step = clock_step;
    CHECK(off(clock_resolution(wall), clock_step) < 1e-6);
    return now - start;
  };
  for (const double clock_step : {1e-5, 1e-4, 1e-3}) CHECK(off(passes(clock_step), 9 * clock_step) < 0.1);
  CHECK(off(passes(5e-3), 0.02) < 0.01);
  CHECK(off(passes(0.1), 0.1) < 0.01);  // one, however long
}

TEST_CASE("timing: this device's clock") {
  const double resolution = clock_resolution();
  CHECK(resolution > 0);
  CHECK(resolution < 0.02);
  const auto seconds = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  const double before = seconds(), between = steady_seconds(), after = seconds();
  CHECK(between > before - 1e-6);
  CHECK(between < after + 1e-6);
}

TEST_CASE("timing: a result has milliseconds, and a ratio the relative errors of both") {
  const Timing slow{.median = 4, .se = 0.12, .p10 = 3, .p90 = 6},
      fast{.median = 2, .se = 0.08, .p10 = 1, .p90 = 3};
  const Estimate estimate = milliseconds(slow);
  CHECK(estimate.value == 4000);
  CHECK(estimate.se == 120);
  const Scalar scalar = milliseconds({{"d", "8"}}, slow);
  CHECK(scalar.name == "milliseconds");
  CHECK(scalar.at == Labels{{"d", "8"}});
  CHECK(scalar.value == 4000);
  CHECK(scalar.se == 120);
  CHECK(scalar.p10 == 3000);
  CHECK(scalar.p50 == 4000);
  CHECK(scalar.p90 == 6000);
  const Scalar times = ratio("ratio", {}, slow, fast);
  CHECK(times.value == 2);
  CHECK(times.se == doctest::Approx(2 * 0.05));  // of 3 % and 4 %
}

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
  const double expected = std::sqrt(2.0 / 3 / 2) / std::log(2.0);
  CHECK(se == doctest::Approx(expected));
  // The same beside a line that rises: ln y + 3 ln x.
  const auto [steeper, same_se] = growth({1, 2, 4}, {1, 8 * std::exp(1.0), 64});
  CHECK(steeper == doctest::Approx(3));
  CHECK(same_se == doctest::Approx(expected));
}

TEST_CASE("growth: a result has the exponent, with an error where the points have one") {
  Result result;
  Series counts{.name = "counts", .x = {1, 2, 4}, .y = {1, std::exp(1.0), 1}};
  add_growth(result, "exponent", {{"d", "8"}}, counts);
  counts.y = {1, 8, 64}, counts.y_se = {0.1, 0.1, 0.1};
  add_growth(result, "exponent", {}, counts);
  REQUIRE(result.scalars.size() == 2);
  CHECK(result.scalars[0].name == "exponent");
  CHECK(result.scalars[0].at == Labels{{"d", "8"}});
  CHECK(std::fabs(result.scalars[0].value) < 1e-15);
  CHECK(std::isnan(result.scalars[0].se));
  CHECK(result.scalars[1].value == doctest::Approx(3));
  CHECK(result.scalars[1].se < 1e-12);
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
