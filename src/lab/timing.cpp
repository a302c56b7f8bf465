#include "lab/timing.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "lab/statistics.h"
#include "lab/work.h"
#include "simd/math.h"

namespace sqrtdk {
namespace {

constexpr double kPause = 5e7;  // operations after which a long sample stops the clock to tell its progress

/// At least so much that a page always runs it in a worker.
double sample_work(const TimedWork& work) { return std::max(262144.0, product_work(work.operations / 2)); }

double least_sample(double resolution) {
  return std::max({2e-4, std::min(20 * resolution, 2e-2), 2 * resolution});
}

/// Seconds of `count` wholes.
double sample(const TimedWork& work, int64_t count, ProgressMeter& meter, Clock clock) {
  const double piece = 1 / static_cast<double>(work.pieces * count);
  double seconds = 0, untold = 0, start = clock();
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j < work.pieces; ++j) {
      work.run(j);
      untold += piece;
      if (untold * work.operations * static_cast<double>(count) < kPause) continue;
      seconds += clock() - start;
      meter.add(untold * sample_work(work));
      untold = 0;
      start = clock();
    }
  }
  seconds += clock() - start;
  meter.add(untold * sample_work(work));
  return seconds;
}

/// `reading`: the standard error of a round's time that comes from the clock's steps, which may be the same
/// in all.
Timing summarised(std::vector<double>& seconds, double reading) {
  constexpr double kQuartiles = 1.349, kMedian = 1.2533;  // of N(0, 1): their distance; n var(median), rooted
  const double spread = (quantile(seconds, 0.75) - quantile(seconds, 0.25)) / kQuartiles;
  const double scatter = kMedian * spread / std::sqrt(static_cast<double>(seconds.size()));
  return {.median = quantile(seconds, 0.5),
          .se = seconds.size() < 3 ? kNone : std::sqrt(scatter * scatter + reading * reading),
          .p10 = quantile(seconds, 0.1),
          .p90 = quantile(seconds, 0.9)};
}

}  // namespace

// std::chrono's clock can throw, with a message that would bring printf into the modules of the page.
double steady_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double clock_resolution(Clock clock) {
  constexpr int kSteps = 9;
  std::vector<double> steps;
  const double start = clock();
  double before = start;
  while (steps.size() < kSteps && (steps.empty() || before - start < 0.02)) {
    const double now = clock();
    if (now > before) steps.push_back(now - before);
    before = now;
  }
  return quantile(steps, 0.5);
}

std::vector<Timing> time_interleaved(std::span<const TimedWork> work, int64_t rounds, ProgressMeter& meter,
                                     Clock clock) {
  const double step = clock_resolution(clock), least = least_sample(step);
  ProgressMeter silent("");
  std::vector<int64_t> counts;
  for (const TimedWork& each : work) {
    int64_t count = 1;
    double seconds = sample(each, count, meter, clock);
    while (seconds < least) seconds = sample(each, count *= 2, silent, clock);
    counts.push_back(count);
  }
  std::vector<std::vector<double>> seconds(work.size());
  for (int64_t round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < work.size(); ++i) {
      double took = sample(work[i], counts[i], meter, clock);
      // Too short to be told: the warm-up was interrupted, and seemed longer than it was.
      while (took < least / 2) took = sample(work[i], counts[i] *= 2, silent, clock);
      seconds[i].push_back(took / static_cast<double>(counts[i]));
    }
  }
  std::vector<Timing> timings;
  const double reading = step / std::sqrt(6.0);  // of the difference of two, each uniform in a step
  for (size_t i = 0; i < work.size(); ++i)
    timings.push_back(summarised(seconds[i], reading / static_cast<double>(counts[i])));
  return timings;
}

double timing_work(std::span<const TimedWork> work, int64_t rounds) {
  double total = 0;
  for (const TimedWork& each : work) total += static_cast<double>(1 + rounds) * sample_work(each);
  return total;
}

Estimate milliseconds(const Timing& timing) { return {1e3 * timing.median, 1e3 * timing.se}; }

Scalar milliseconds(const Labels& at, const Timing& timing) {
  return {.name = "milliseconds",
          .at = at,
          .value = 1e3 * timing.median,
          .se = 1e3 * timing.se,
          .p10 = 1e3 * timing.p10,
          .p50 = 1e3 * timing.median,
          .p90 = 1e3 * timing.p90};
}

Scalar ratio(Key name, const Labels& at, const Timing& a, const Timing& b) {
  const double value = a.median / b.median, of_a = a.se / a.median, of_b = b.se / b.median;
  return {.name = name, .at = at, .value = value, .se = value * std::sqrt(of_a * of_a + of_b * of_b)};
}

Growth growth(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  std::vector<double> u, v;  // ln x and ln y, from those of the first point on
  for (const double each : x) u.push_back(simd::log(each) - simd::log(x[0]));
  for (const double each : y) v.push_back(simd::log(each) - simd::log(y[0]));
  double mean_u = 0, mean_v = 0, uu = 0, uv = 0, residuals = 0;
  for (size_t i = 0; i < u.size(); ++i) mean_u += u[i] / n, mean_v += v[i] / n;
  for (size_t i = 0; i < u.size(); ++i) {
    uu += (u[i] - mean_u) * (u[i] - mean_u);
    uv += (u[i] - mean_u) * (v[i] - mean_v);
  }
  const double slope = uv / uu;
  for (size_t i = 0; i < u.size(); ++i) {
    const double rest = v[i] - mean_v - slope * (u[i] - mean_u);
    residuals += rest * rest;
  }
  return {slope, x.size() < 3 ? kNone : std::sqrt(residuals / (n - 2) / uu)};
}

void add_growth(Result& result, Key name, const Labels& at, const Series& series) {
  const auto [exponent, se] = growth(series.x, series.y);
  result.add(name, at, Estimate{exponent, series.y_se.empty() ? kNone : se});
}

void add_clock(Result& result) {
  result.timed = true;
  result.add("clock_step", {}, 1e3 * clock_resolution());
}

}  // namespace sqrtdk
