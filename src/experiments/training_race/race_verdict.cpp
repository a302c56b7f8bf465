#include "experiments/training_race/race_verdict.h"

#include <algorithm>
#include <cmath>

namespace sqrtdk {
namespace {

constexpr double kAboveChance = 0.05;  // the share of tokens from which on something is learned

double least(const std::vector<double>& x) { return *std::min_element(x.begin(), x.end()); }
double most(const std::vector<double>& x) { return *std::max_element(x.begin(), x.end()); }
bool all_finish(const RaceFinish& racer) { return std::isfinite(most(racer.steps)); }
bool none_finishes(const RaceFinish& racer) { return !std::isfinite(least(racer.steps)); }

/// The one of this scale with the widest heads, or the narrowest.
const RaceFinish* find(std::span<const RaceFinish> finishes, const char* scale, bool widest) {
  const RaceFinish* found = nullptr;
  for (const RaceFinish& each : finishes) {
    if (each.scale != scale) continue;
    if (!found || (widest ? each.d_k > found->d_k : each.d_k < found->d_k)) found = &each;
  }
  return found;
}

/// Where neither has reached the goal, by what is right at the end.
void judge_accuracy(Result& result, const RaceFinish& scaled, const RaceFinish& unscaled, double chance) {
  const bool learned = std::max(most(scaled.accuracy), most(unscaled.accuracy)) >= chance + kAboveChance;
  const bool behind = least(scaled.accuracy) > most(unscaled.accuracy);
  const bool ahead = least(unscaled.accuracy) > most(scaled.accuracy);
  result.holds = behind || !learned;
  result.verdict = !learned ? "race_nothing_learnt"
                   : behind ? "race_unscaled_less_right"
                   : ahead  ? "race_unscaled_more_right"
                            : "race_undecided";
}

void judge_steps(Result& result, const RaceFinish& scaled, const RaceFinish& unscaled,
                 const RaceFinish& narrow_unscaled) {
  const bool never = all_finish(scaled) && none_finishes(unscaled);
  const bool narrow_learns = narrow_unscaled.d_k < unscaled.d_k && all_finish(narrow_unscaled);
  const bool behind = least(unscaled.steps) > most(scaled.steps);
  const bool ahead = least(scaled.steps) > most(unscaled.steps);
  result.holds = behind;
  result.verdict = never && narrow_learns ? "race_unscaled_needs_narrow_heads"
                   : never                ? "race_unscaled_never"
                   : behind               ? "race_unscaled_slower"
                   : ahead                ? "race_unscaled_faster"
                                          : "race_undecided";
}

}  // namespace

void judge_race(Result& result, std::span<const RaceFinish> finishes, double chance) {
  const RaceFinish* const scaled = find(finishes, "1/sqrt(d)", true);
  const RaceFinish* const unscaled = find(finishes, "none", true);
  const bool done = std::all_of(finishes.begin(), finishes.end(), [](auto& each) { return each.done; });
  if (!done || !scaled || !unscaled) {
    result.holds = true;
    result.verdict = done ? "race_nothing_compared" : "race_under_way";
  } else if (none_finishes(*scaled) && none_finishes(*unscaled)) {
    judge_accuracy(result, *scaled, *unscaled, chance);
  } else {
    judge_steps(result, *scaled, *unscaled, *find(finishes, "none", false));
  }
}

}  // namespace sqrtdk
