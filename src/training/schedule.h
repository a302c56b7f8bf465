#pragma once
// The learning rate of each step.
#include <cstdint>

namespace sqrtdk {

/// Linear from peak / warmup_steps up to the peak, then half a cosine down to final_fraction of the peak,
/// which it keeps from total_steps on. With total_steps 0, the peak stays. Loshchilov and Hutter, "SGDR",
/// 2017.
struct Schedule {
  int64_t warmup_steps = 0, total_steps = 0;
  double final_fraction = 0;
};

/// Throws ValueError for a negative number of steps, a total that is not 0 and below the warm-up's, and a
/// fraction outside 0 .. 1.
void check_schedule(const Schedule& schedule);

/// `step` counts from 0.
double learning_rate_at(const Schedule& schedule, double peak, int64_t step);

}  // namespace sqrtdk
