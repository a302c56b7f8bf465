#pragma once
// How long work takes on the device where it runs, and how that grows with the size of the problem.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "lab/common_params.h"

namespace sqrtdk {

/// Seconds since some moment. Browsers' clocks are coarse on purpose: 5 µs, 100 µs or 1 ms a step, or more.
using Clock = double (*)();
double steady_seconds();

/// The median step between readings that differ.
double clock_resolution(Clock clock = steady_seconds);

/// Work of which `pieces` calls of `run` make one whole.
struct TimedWork {
  double operations = 0;  // of a whole: how much of the progress it is
  int64_t pieces = 1;
  std::function<void(int64_t piece)> run;
};

/// Seconds of a whole: the median over rounds, and its standard error from the clock's step and, as of a
/// normal distribution, from the quartiles: a round in which the device did something else moves neither.
struct Timing {
  double median, se, p10, p90;
};

/// Each work once to warm up, then once a round: what slows the device down for a while slows all of them
/// down. A sample is as many wholes as take 20 steps of the clock, at least 0.2 ms, at most 20 ms or 2 steps.
/// Progress is told outside of what is timed.
std::vector<Timing> time_interleaved(std::span<const TimedWork> work, int64_t rounds, ProgressMeter& meter,
                                     Clock clock = steady_seconds);

/// What time_interleaved adds to its meter, in all.
double timing_work(std::span<const TimedWork> work, int64_t rounds);

constexpr Param sizes_param(const char* name, const char* default_value, double max) {
  return int_list_param(name, default_value, 1, max, 8);
}
constexpr Param rounds_param(const char* default_value) { return int_param("rounds", default_value, 3, 101); }

Estimate milliseconds(const Timing& timing);
Scalar milliseconds(const Labels& at, const Timing& timing);
/// The ratio of two medians, with the error that their errors give it.
Scalar ratio(Key name, const Labels& at, const Timing& a, const Timing& b);

/// The least-squares line of ln y over ln x: y ~ x^exponent. NaN below two different x, its standard error
/// below three points.
struct Growth {
  double exponent, se;
};
Growth growth(const std::vector<double>& x, const std::vector<double>& y);
/// The exponent that fits the series' points; counts have no error.
void add_growth(Result& result, Key name, const Labels& at, const Series& series);

/// The result has times, and tells the clock's step.
void add_clock(Result& result);

}  // namespace sqrtdk
