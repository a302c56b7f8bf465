// Scores in 16 bits: with sums kept in fp32 or in the same 16 bits, scaled before, after or never. Where the
// infinities come from, and what rounding costs.
#include <algorithm>
#include <cmath>

#include "base/decimal.h"
#include "base/text.h"
#include "experiments/mixed_precision/half_trials.h"
#include "experiments/registry.h"
#include "lab/chance.h"
#include "lab/common_params.h"
#include "lab/sampling.h"
#include "lab/statistics.h"
#include "lab/work.h"
#include "simd/math.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "mixed_precision";
constexpr Role kRoles[kNScorePaths] = {Role::kOther, Role::kUnscaled, Role::kOther, Role::kScaled};

/// P(|x| > largest) for x of N(0, d std^4).
double normal_share(int64_t d, int64_t std, Format format) {
  const double sigma = std::sqrt(static_cast<double>(d)) * static_cast<double>(std * std);
  const float t = static_cast<float>(largest_number(format) / (sigma * std::sqrt(2.0)));
  return 1 - static_cast<double>(simd::erf(t));
}

Scalar mean_of(const char* name, Labels at, const Moments& moments) {
  return {.name = name, .at = std::move(at), .value = moments.mean(), .se = moments.se()};
}

/// sqrt(mean square error / mean square); the error of a score that is not finite counts as 0, and where none
/// is there is no error to tell.
Scalar relative_error(Labels at, const HalfTally& tally, const Moments& square) {
  Scalar scalar{.name = "rms_rel_error", .at = std::move(at)};
  if (tally.not_finite.mean() == 1) return scalar;
  const Moments& error = tally.square_error;
  scalar.value = std::sqrt(error.mean() / square.mean());
  scalar.se = error.mean() > 0 ? scalar.value / 2 * error.se() / error.mean() : 0;
  return scalar;
}

/// The sums of one score, term by term.
Figure birth_figure(const Birth& birth, int64_t d, int64_t std, Format format) {
  Figure figure{.name = "sum_over_terms", .at = {{"d", d}, {"std", std}}, .x = "terms", .y = "sum_so_far"};
  Series exact{.name = "exact", .role = Role::kReference}, own{.name = "own_sum", .role = Role::kUnscaled};
  for (size_t j = 0; j < birth.exact.size(); ++j) {
    exact.add(j + 1, birth.exact[j]);
    if (j < birth.own.size()) own.add(j + 1, birth.own[j]);
  }
  Series limit{.name = "largest_number", .role = Role::kOther};
  for (const double x : {1.0, static_cast<double>(d)}) {
    limit.add(x, std::copysign(largest_number(format), static_cast<double>(birth.own.back())));
  }
  figure.series = {std::move(own), std::move(exact), std::move(limit)};
  return figure;
}

struct Figures {
  std::optional<Figure> birth;     // at the largest d and the least spread that have one
  std::vector<Figure> not_finite;  // one for each d, over the spread
  Figure error{
      .name = "rounding_over_d", .at = {}, .x = "d", .y = "rms_rel_error", .log_x = true, .log_y = true};
  Figure weights{
      .name = "weight_error_over_d", .at = {}, .x = "d", .y = "weight_error", .log_x = true, .log_y = true};
};

void add_cell(Result& result, Figure& figure, const HalfCell& cell, int64_t d, int64_t std, Format format) {
  const Labels at = {{"d", d}, {"std", std}};
  const double expected = normal_share(d, std, format);
  result.add(mean_of("scores_beyond_exactly", at, cell.beyond)).expected = expected;
  figure.series.back().add(std, expected);
  for (size_t path = 0; path < kNScorePaths; ++path) {
    const HalfTally& tally = cell.paths[path];
    Labels where = at;
    where.add({"computed", kScorePaths[path]});
    result.add(mean_of("scores_not_finite", where, tally.not_finite));
    if (path != kScaledAfter) {
      figure.series[path > kScaledAfter ? path - 1 : path].add(std, tally.not_finite.estimate());
      result.add(mean_of("rows_with_nan", where, tally.with_nan));
    }
    if (path > kOwnSum) continue;
    result.add(relative_error(where, tally, cell.square));
  }
}

Figure not_finite_figure(int64_t d) {
  Figure figure{.name = "not_finite_over_std",
                .at = {{"d", d}},
                .x = "std",
                .y = "scores_not_finite",
                .log_x = true,
                .y_max = 1};
  for (const ScorePath path : {kFp32Sum, kOwnSum, kScaledBefore}) {
    figure.series.push_back({.name = kScorePaths[path], .role = kRoles[path]});
  }
  figure.series.push_back({.name = "N(0, d)", .role = Role::kReference});
  return figure;
}

/// Before, an infinity is what it is after; a wider sum makes none that a narrow one would not, but for
/// chance; and unit spread makes none at all.
void judge(Result& result, const std::vector<std::pair<int64_t, HalfCell>>& cells) {
  const Chance chance(6 * std::ssize(cells));
  bool agree = true, any = false, any_before = false, unit = false;
  for (const auto& [std, cell] : cells) {
    const auto of = [&paths = cell.paths](ScorePath path) -> const Moments& {
      return paths[path].not_finite;
    };
    const auto share = [&](ScorePath path) { return of(path).mean(); };
    const auto at_most = [&](ScorePath a, ScorePath b) {
      const auto reach = [&](ScorePath path) { return chance.reach(of(path).se(), of(path).count(), 1); };
      return share(a) <= share(b) + reach(a) + reach(b);
    };
    agree = agree && share(kScaledAfter) == share(kFp32Sum) && at_most(kFp32Sum, kOwnSum) &&
            at_most(kScaledBefore, kOwnSum) && (std > 1 || share(kOwnSum) == 0);
    any = any || share(kOwnSum) > 0;
    any_before = any_before || share(kScaledBefore) > 0;
    unit = unit || std == 1;
  }
  if (agree && !any && !unit) return result.cannot_be_judged("no_score_overflows");
  result.judge(agree,
               any_before ? "scaling_first_is_not_enough"
               : any      ? "scaling_must_come_first"
                          : "no_score_overflows",
               "precision_not_as_expected");
}

Result run(const Params& params, ProgressMeter& meter) {
  const HalfTrials setting(params);
  const std::vector<int64_t> dims = ascending_d(params);
  meter.begin(trials_work(setting.trials * std::ssize(setting.spreads), dims,
                          [&](int64_t d) { return setting.work(d); }));
  Result result;
  Figures figures;
  for (const ScorePath path : {kFp32Sum, kOwnSum}) {
    figures.error.series.push_back({.name = kScorePaths[path], .role = kRoles[path]});
  }
  for (const char* scale : kHalfScales) {
    figures.weights.series.push_back({.name = scale, .role = role_of(parse_scale(kId, scale))});
  }
  std::vector<std::pair<int64_t, HalfCell>> cells;
  std::vector<Scalar> weight_errors;
  for (const int64_t d : dims) {
    const HalfSample at_d = setting.sample(d, meter);
    const auto x = static_cast<double>(d);
    figures.not_finite.push_back(not_finite_figure(d));
    bool born = false;
    for (size_t i = 0; i < setting.spreads.size(); ++i) {
      const int64_t spread = setting.spreads[i];
      add_cell(result, figures.not_finite.back(), at_d.cells[i], d, spread, setting.format);
      cells.emplace_back(spread, at_d.cells[i]);
      const Birth& birth = at_d.births[i];
      if (birth.own.empty()) continue;
      result.lines.push_back("d=" + to_text(d) + " std=" + to_text(spread) + " " + birth.text());
      if (!born) figures.birth = birth_figure(birth, d, spread, setting.format);
      born = true;
    }
    for (const ScorePath path : {kFp32Sum, kOwnSum}) {
      const HalfCell& first = at_d.cells.front();
      const Scalar error = relative_error({}, first.paths[path], first.square);
      figures.error.series[path].add(x, error);
    }
    for (const size_t i : {size_t{0}, size_t{1}}) {
      const Labels at = {{"d", d}, {"scale", kHalfScales[i]}};
      weight_errors.push_back(summary("max_abs_prob_error_from_rounding_logits", at, at_d.weight_errors[i]));
      figures.weights.series[i].add(x, weight_errors.back());
    }
  }
  result.scalars.insert(result.scalars.end(), weight_errors.begin(), weight_errors.end());
  if (figures.birth) result.add(std::move(*figures.birth));
  result.figures.insert(result.figures.end(), figures.not_finite.begin(), figures.not_finite.end());
  result.figures.insert(result.figures.end(), {figures.error, figures.weights});
  judge(result, cells);
  return result;
}

constexpr const char* kFormats[] = {"fp16", "bf16"};
constexpr const char* kProducts[] = {"exact", "rounded"};
constexpr Param kParams[] = {d_param("64,512", 2048, 8),
                             int_list_param("std", "1,32,64,100", 1, 1000, 8),
                             choice_param("format", "fp16", kFormats),
                             choice_param("products", "exact", kProducts),
                             int_param("n_keys", "64", 1, 256),
                             folded(int_param("trials", "100", 10, 100000)),
                             kSeedParam};

}  // namespace

const Experiment mixed_precision = {
    .id = kId,
    .question = "Do scores overflow in 16 bits, and does the scale come in time?",
    .source = "article 1, mixed precision",
    .group = Group::kBreaks,
    .chapter = 7,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"scaling_must_come_first", "scaling_first_is_not_enough", "no_score_overflows",
                           "precision_not_as_expected"},
              .scalars = {"scores_beyond_exactly", "scores_not_finite", "rows_with_nan", "rms_rel_error",
                          "max_abs_prob_error_from_rounding_logits"},
              .labels = {"d", "std", "computed", "scale"},
              .figures = {"sum_over_terms", "not_finite_over_std", "rounding_over_d", "weight_error_over_d"},
              .axes = {"terms", "sum_so_far", "std", "scores_not_finite", "d", "rms_rel_error",
                       "weight_error"},
              .series = {"own_sum", "exact", "largest_number", "fp32_sum", "scaled_before", "N(0, d)",
                         "1/sqrt(d)", "none"},
              .values = {"scaled_after"}},
};

}  // namespace sqrtdk::experiments
