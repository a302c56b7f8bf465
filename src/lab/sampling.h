#pragma once
// Components of q and k drawn from a distribution, and the scores q·k of many trials.
#include <cstdint>
#include <functional>
#include <vector>

#include "lab/experiment.h"

namespace sqrtdk {

enum class Distribution { kNormal, kUniform, kRademacher, kStudentT };

/// The components of q and k. With x and y independent, of the distribution, zero mean and unit variance:
///   q = mean + sigma_q x        k = mean + sigma_k (correlation · x + sqrt(1 - correlation²) y)
struct Population {
  Distribution distribution = Distribution::kNormal;
  int64_t nu = 3;  // degrees of freedom of Student's t
  double mean = 0, sigma_q = 1, sigma_k = 1, correlation = 0;
};

Distribution distribution_of(const Params& params);

/// The d of a run, ascending and each once.
std::vector<int64_t> ascending_d(const Params& params);

/// E[x^order] of the standardised distribution; infinite where it does not exist.
double moment(const Population& population, int order);

/// out[i] = element first + i of the stream, with zero mean and unit variance.
void sample_standard(const Population& population, uint64_t seed, uint64_t stream, uint64_t first, float* out,
                     int64_t n);

/// Work of a trial of sample_scores.
double sampling_work(const Population& population, int64_t d, int64_t n_keys);
/// Work of as many trials at each d, with `more` for what becomes of each trial's scores.
double sampling_work(const Population& population, const std::vector<int64_t>& d, int64_t n_keys,
                     int64_t trials, double more = 0);

/// Calls use(scores) for each trial with the n_keys scores q·k_i of fresh q [d] and k [n_keys, d].
/// Trial t is stream (d << 32) | t: its elements are q, then k row by row. So it depends neither on the
/// number of trials nor on other d.
void sample_scores(const Population& population, uint64_t seed, int64_t d, int64_t n_keys, int64_t trials,
                   ProgressMeter& meter, const std::function<void(const float*)>& use);

/// q and k [d] of score number `score` of sample_scores, counted through its trials.
void sample_pair(const Population& population, uint64_t seed, int64_t d, int64_t n_keys, int64_t score,
                 float* q, float* k);

}  // namespace sqrtdk
