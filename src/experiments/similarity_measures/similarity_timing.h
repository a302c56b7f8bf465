#pragma once
// How long each way to compute similarities takes on the reader's device.
#include "lab/timing.h"

namespace sqrtdk {

/// What add_similarity_times adds to its meter.
double similarity_timing_work(int64_t n, const std::vector<int64_t>& d, int64_t rounds);

/// For n queries and keys. Adds each way's time at each of the ascending d, as a multiple of the dot
/// product's too, the exponents that fit, and a chart.
void add_similarity_times(Result& result, int64_t n, const std::vector<int64_t>& d, int64_t rounds,
                          uint64_t seed, ProgressMeter& meter);

}  // namespace sqrtdk
