#include "training/schedule.h"

#include <numbers>

#include "base/errors.h"
#include "simd/double_math.h"

namespace sqrtdk {

void check_schedule(const Schedule& schedule) {
  const auto fail = [](const char* argument, const char* expected, double got) {
    throw_out_of_range("schedule", argument, expected, got);
  };
  const auto warmup = static_cast<double>(schedule.warmup_steps);
  const auto total = static_cast<double>(schedule.total_steps);
  if (warmup < 0) fail("warmup_steps", "0 or more", warmup);
  if (total != 0 && (total < 0 || total < warmup)) fail("total_steps", "0, or warmup_steps or more", total);
  if (!(schedule.final_fraction >= 0 && schedule.final_fraction <= 1)) {
    fail("final_fraction", "0 .. 1", schedule.final_fraction);
  }
}

double learning_rate_at(const Schedule& schedule, double peak, int64_t step) {
  if (step < schedule.warmup_steps) {
    return peak * static_cast<double>(step + 1) / static_cast<double>(schedule.warmup_steps);
  }
  if (schedule.total_steps == 0) return peak;
  if (step >= schedule.total_steps) return peak * schedule.final_fraction;
  const double progress = static_cast<double>(step - schedule.warmup_steps) /
                          static_cast<double>(schedule.total_steps - schedule.warmup_steps);
  const double share = (1 + simd::sincos(std::numbers::pi * progress).cos) / 2;
  return peak * (schedule.final_fraction + (1 - schedule.final_fraction) * share);
}

}  // namespace sqrtdk
