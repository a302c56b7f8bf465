#pragma once
// A score as the walk that it is: the sum of q's and k's products after the first of them, the second, ...
#include "lab/sampling.h"

namespace sqrtdk {

inline constexpr int64_t kMaxWalks = 1000;

/// Work of score_walks.
double walks_work(const Population& population, int64_t d, int64_t walks);

/// The walks of the first scores of sample_scores: after 0 to d terms, at most 64 steps apart. Twenty are
/// lines; where there are more, the shares of all within which the middle of them are. What theory expects is
/// their mean and one standard deviation on both sides of it.
Figure score_walks(const Population& population, uint64_t seed, int64_t d, int64_t n_keys, int64_t walks,
                   ProgressMeter& meter);

}  // namespace sqrtdk
