#pragma once
// Who has won a race: the racers with 1/sqrt(d) against those without a scale.
#include "lab/experiment.h"

namespace sqrtdk {

struct RaceFinish {
  std::string scale;
  int64_t d_k;
  std::vector<double> steps;     // of each seed, to the goal; infinity: never
  std::vector<double> accuracy;  // of each seed, at the end
  bool done;
};

/// Sets the verdict. It looks at the widest heads of both racers: there the scale matters most. One is ahead
/// where its slowest seed is before the other's fastest; the claim does not hold where the unscaled one is
/// not behind.
void judge_race(Result& result, std::span<const RaceFinish> finishes, double chance);

}  // namespace sqrtdk
