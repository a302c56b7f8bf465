#include "experiments/training_race/race_verdict.h"

#include <algorithm>
#include <cmath>

namespace sqrtdk {
namespace {

constexpr double kAboveChance = 0.05;  // the share of tokens from which on something is learned
constexpr double kByChance =
    0.05;  // that alike racers' seeds tell one of them is ahead: 1 of 20 with 3 seeds

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

/// The probability that of n + m values in random order, n of one kind and m of the other, so few pairs stand
/// against the order that one would expect, or fewer (Mann and Whitney, 1947). Those that stand against it:
/// all in which a is not below b; equal ones count as against.
double rank_chance(const std::vector<double>& below, const std::vector<double>& above) {
  const size_t n = below.size(), m = above.size();
  size_t against = 0;
  for (const double a : below) {
    for (const double b : above) against += !(a < b);
  }
  // ways[i][j][u]: orders of i and j values with u pairs against, by what stands last.
  std::vector<std::vector<std::vector<double>>> ways(
      n + 1, std::vector<std::vector<double>>(m + 1, std::vector<double>(n * m + 1)));
  double few = 0, all = 0;
  for (size_t i = 0; i <= n; ++i) {
    for (size_t j = 0; j <= m; ++j) {
      for (size_t u = 0; u <= n * m; ++u) {
        if (i + j == 0) ways[i][j][u] = u == 0;
        if (i > 0 && u >= j) ways[i][j][u] += ways[i - 1][j][u - j];
        if (j > 0) ways[i][j][u] += ways[i][j - 1][u];
        if (i < n || j < m) continue;
        all += ways[i][j][u];
        if (u <= against) few += ways[i][j][u];
      }
    }
  }
  return few / all;
}

/// Whether the seeds tell that one is below the other.
bool is_below(const std::vector<double>& below, const std::vector<double>& above) {
  return rank_chance(below, above) <= kByChance;
}

/// Whether seeds can tell at all.
bool enough_seeds(const RaceFinish& scaled, const RaceFinish& unscaled) {
  return is_below(std::vector<double>(scaled.steps.size(), 0.0),
                  std::vector<double>(unscaled.steps.size(), 1.0));
}

/// Where neither has reached the goal, by what is right at the end.
void judge_accuracy(Result& result, const RaceFinish& scaled, const RaceFinish& unscaled, double chance) {
  if (scaled.diverged || unscaled.diverged) return result.cannot_be_judged("race_diverged");
  const bool learned = std::max(most(scaled.accuracy), most(unscaled.accuracy)) >= chance + kAboveChance;
  if (!learned) return result.cannot_be_judged("race_nothing_learnt");
  if (!enough_seeds(scaled, unscaled)) return result.cannot_be_judged("race_too_few_seeds");
  const bool behind = is_below(unscaled.accuracy, scaled.accuracy),
             ahead = is_below(scaled.accuracy, unscaled.accuracy);
  if (!behind && !ahead) return result.cannot_be_judged("race_undecided");
  result.judge(behind, "race_unscaled_less_right", "race_unscaled_more_right");
}

void judge_steps(Result& result, const RaceFinish& scaled, const RaceFinish& unscaled,
                 const RaceFinish& narrow_unscaled) {
  if (!enough_seeds(scaled, unscaled)) return result.cannot_be_judged("race_too_few_seeds");
  const bool never = all_finish(scaled) && none_finishes(unscaled);
  const bool narrow_learns = narrow_unscaled.d_k < unscaled.d_k && all_finish(narrow_unscaled);
  const bool behind = is_below(scaled.steps, unscaled.steps), ahead = is_below(unscaled.steps, scaled.steps);
  if (!behind && !ahead) return result.cannot_be_judged("race_undecided");
  result.judge(behind,
               never && narrow_learns ? "race_unscaled_needs_narrow_heads"
               : never                ? "race_unscaled_never"
                                      : "race_unscaled_slower",
               "race_unscaled_faster");
}

}  // namespace

void judge_race(Result& result, std::span<const RaceFinish> finishes, double chance) {
  const RaceFinish* const scaled = find(finishes, "1/sqrt(d)", true);
  const RaceFinish* const unscaled = find(finishes, "none", true);
  const bool done = std::all_of(finishes.begin(), finishes.end(), [](auto& each) { return each.done; });
  if (!done) return result.cannot_be_judged("race_under_way");
  if (!scaled || !unscaled) return result.cannot_be_judged("race_nothing_compared");
  if (none_finishes(*scaled) && none_finishes(*unscaled)) {
    judge_accuracy(result, *scaled, *unscaled, chance);
  } else {
    judge_steps(result, *scaled, *unscaled, *find(finishes, "none", false));
  }
}

}  // namespace sqrtdk
