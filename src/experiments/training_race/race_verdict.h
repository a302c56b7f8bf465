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
  bool diverged = false;  // the training of a seed
};

/// Sets the verdict. It looks at the widest heads of both racers: there the scale matters most. One is ahead
/// where the ranks of its seeds among the other's say so, as they do of equal racers in one of 20 races at
/// most: three seeds each, where all of one are before all of the other. The claim does not hold where that
/// is the unscaled one.
void judge_race(Result& result, std::span<const RaceFinish> finishes, double chance);

}  // namespace sqrtdk
