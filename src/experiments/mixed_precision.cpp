// Scores in 16 bits: with sums kept in fp32 or in the same 16 bits, scaled before, after or never. Where the
// infinities come from, and what rounding costs.
#include <algorithm>

#include "experiments/common_params.h"
#include "experiments/half_scores.h"
#include "experiments/progress.h"
#include "experiments/sampling.h"
#include "experiments/statistics.h"
#include "experiments/text.h"
#include "simd/math.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "mixed_precision";
constexpr Role kRoles[kNScorePaths] = {Role::kOther, Role::kUnscaled, Role::kOther, Role::kScaled};

/// Over trials, of one way to compute the scores.
struct Tally {
  Moments not_finite, with_nan, square_error;
};
struct Cell {  // at one d and one spread
  std::array<Tally, kNScorePaths> paths;
  Moments beyond, square;  // exactly: |q·k| > the format's largest number, (q·k)²
};

/// With the largest subtracted, +inf and NaN make a row of NaN; -inf alone only a weight of 0.
bool gives_nan(const std::vector<float>& scores) {
  return std::any_of(scores.begin(), scores.end(),
                     [](float s) { return std::isnan(s) || (std::isinf(s) && s > 0); });
}

void add_trial(Cell& cell, const HalfScores& scores, Format format) {
  const auto n = static_cast<double>(scores.exact().size());
  double beyond = 0, square = 0;
  for (const double s : scores.exact()) {
    beyond += std::fabs(s) > largest_number(format);
    square += s * s;
  }
  cell.beyond.add(beyond / n);
  cell.square.add(square / n);
  for (size_t path = 0; path < kNScorePaths; ++path) {
    const std::vector<float>& found = scores.at(static_cast<ScorePath>(path));
    double not_finite = 0, error = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      const double difference = static_cast<double>(found[i]) - scores.exact()[i];
      not_finite += !std::isfinite(found[i]);
      if (std::isfinite(found[i])) error += difference * difference;
    }
    Tally& tally = cell.paths[path];
    tally.not_finite.add(not_finite / n);
    tally.with_nan.add(gives_nan(found) ? 1 : 0);
    tally.square_error.add(error / n);
  }
}

/// Of softmax(scale · scores) in double, what rounding the scaled scores changes at most in a row.
double weight_error(const std::vector<double>& scores, double scale, Format format) {
  const auto weights = [&](bool round) {
    std::vector<double> p;
    for (const double s : scores) {
      const double x = scale * s;
      p.push_back(round ? static_cast<double>(rounded(format, x)) : x);
    }
    const double max = *std::max_element(p.begin(), p.end());
    double sum = 0;
    for (double& x : p) sum += x = simd::exp(x - max);
    for (double& x : p) x /= sum;
    return p;
  };
  const std::vector<double> exact = weights(false), found = weights(true);
  double largest = 0;
  for (size_t i = 0; i < exact.size(); ++i) largest = std::max(largest, std::fabs(found[i] - exact[i]));
  return largest;
}

/// P(|x| > largest) for x of N(0, d std^4).
double normal_share(int64_t d, int64_t std, Format format) {
  const double sigma = std::sqrt(static_cast<double>(d)) * static_cast<double>(std * std);
  const float t = static_cast<float>(largest_number(format) / (sigma * std::sqrt(2.0)));
  return 1 - static_cast<double>(simd::erf(t));
}

Scalar mean_of(const char* name, Labels at, const Moments& moments) {
  return {.name = name, .at = std::move(at), .value = moments.mean(), .se = moments.se()};
}

/// sqrt(mean square error / mean square); the error of a score that is not finite counts as 0.
Scalar relative_error(Labels at, const Moments& error, const Moments& square) {
  const double value = std::sqrt(error.mean() / square.mean());
  const double se = error.mean() > 0 ? value / 2 * error.se() / error.mean() : 0;
  return {.name = "rms_rel_error", .at = std::move(at), .value = value, .se = se};
}

void add_point(Series& series, double x, double y, double se = kNone) {
  series.x.push_back(x);
  series.y.push_back(y);
  if (!std::isnan(se)) series.y_se.push_back(se);
}

struct Figures {
  std::vector<Figure> not_finite;  // one for each d, over the spread
  Figure error{
      .name = "rounding_over_d", .at = {}, .x = "d", .y = "rms_rel_error", .log_x = true, .log_y = true};
  Figure weights{
      .name = "weight_error_over_d", .at = {}, .x = "d", .y = "weight_error", .log_x = true, .log_y = true};
};

void add_cell(Result& result, Figure& figure, const Cell& cell, int64_t d, int64_t std, Format format) {
  const Labels at = {{"d", std::to_string(d)}, {"std", std::to_string(std)}};
  const auto x = static_cast<double>(std);
  result.scalars.push_back(mean_of("scores_beyond_exactly", at, cell.beyond));
  result.scalars.back().expected = normal_share(d, std, format);
  add_point(figure.series.back(), x, result.scalars.back().expected);
  for (size_t path = 0; path < kNScorePaths; ++path) {
    const Tally& tally = cell.paths[path];
    Labels where = at;
    where.push_back({"computed", kScorePaths[path]});
    result.scalars.push_back(mean_of("scores_not_finite", where, tally.not_finite));
    if (path != kScaledAfter) {
      add_point(figure.series[path > kScaledAfter ? path - 1 : path], x, tally.not_finite.mean(),
                tally.not_finite.se());
      result.scalars.push_back(mean_of("rows_with_nan", where, tally.with_nan));
    }
    if (path > kOwnSum) continue;
    result.scalars.push_back(relative_error(where, tally.square_error, cell.square));
  }
}

Figure not_finite_figure(int64_t d) {
  Figure figure{.name = "not_finite_over_std",
                .at = {{"d", std::to_string(d)}},
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

/// Before, an infinity is what it is after; a wider sum makes none that a narrow one would not, on average;
/// and unit spread makes none at all.
void judge(Result& result, const std::vector<std::pair<int64_t, Cell>>& cells) {
  bool any = false, any_before = false;
  for (const auto& [std, cell] : cells) {
    const auto share = [&paths = cell.paths](ScorePath path) { return paths[path].not_finite.mean(); };
    result.holds = result.holds && share(kScaledAfter) == share(kFp32Sum) &&
                   share(kOwnSum) >= share(kFp32Sum) && share(kScaledBefore) <= share(kOwnSum) &&
                   (std > 1 || share(kOwnSum) == 0);
    any = any || share(kOwnSum) > 0;
    any_before = any_before || share(kScaledBefore) > 0;
  }
  result.verdict = !result.holds ? "precision_not_as_expected"
                   : any_before  ? "scaling_first_is_not_enough"
                   : any         ? "scaling_must_come_first"
                                 : "no_score_overflows";
}

struct Setting {
  explicit Setting(const Params& params)
      : format(params.choice("format") == "fp16" ? Format::kF16 : Format::kBf16),
        n(params.integer("n_keys")),
        trials(params.integer("trials")),
        seed(params.seed("seed")),
        spreads(params.integers("std")) {
    std::sort(spreads.begin(), spreads.end());
    spreads.erase(std::unique(spreads.begin(), spreads.end()), spreads.end());
  }
  double work(int64_t d) const {  // of one trial at one spread
    return static_cast<double>(d) * (static_cast<double>(n) + 64 * std::ceil(static_cast<double>(n) / 64));
  }

  Format format;
  int64_t n, trials;
  uint64_t seed;
  std::vector<int64_t> spreads;
};

struct Sample {                          // at one d
  std::vector<Cell> cells;               // of each spread
  std::vector<std::string> births;       // likewise
  std::vector<double> weight_errors[2];  // of kScales, at unit spread
};
constexpr const char* kScales[] = {"1/sqrt(d)", "none"};

Sample sample(const Setting& setting, int64_t d, ProgressMeter& meter) {
  HalfScores scores(d, setting.n);
  std::vector<float> x(static_cast<size_t>(d * (1 + setting.n)));
  const size_t n_spreads = setting.spreads.size();
  Sample sample{std::vector<Cell>(n_spreads), std::vector<std::string>(n_spreads), {}};
  for (int64_t trial = 0; trial < setting.trials; ++trial) {
    const uint64_t stream = static_cast<uint64_t>(d) << 32 | static_cast<uint64_t>(trial);
    sample_standard({}, setting.seed, stream, 0, x.data(), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < n_spreads; ++i) {
      scores.compute(x, static_cast<float>(setting.spreads[i]), setting.format);
      add_trial(sample.cells[i], scores, setting.format);
      if (sample.births[i].empty()) sample.births[i] = scores.birth(setting.format);
      meter.add(setting.work(d));
    }
    std::vector<double> standard = scores.exact();
    const auto spread = static_cast<double>(setting.spreads.back());
    for (double& s : standard) s /= spread * spread;
    for (const size_t i : {0, 1}) {
      const double scale = i == 0 ? 1 / std::sqrt(static_cast<double>(d)) : 1;
      sample.weight_errors[i].push_back(weight_error(standard, scale, setting.format));
    }
  }
  return sample;
}

double work(const Params& params) {
  const Setting setting(params);
  double total = 0;
  for (const int64_t d : ascending_d(params)) {
    total +=
        static_cast<double>(setting.trials) * static_cast<double>(setting.spreads.size()) * setting.work(d);
  }
  return total;
}

Result run(const Params& params, const Progress& progress) {
  const Setting setting(params);
  ProgressMeter meter(kId, progress, work(params));
  Result result;
  Figures figures;
  for (const ScorePath path : {kFp32Sum, kOwnSum}) {
    figures.error.series.push_back({.name = kScorePaths[path], .role = kRoles[path]});
  }
  for (const char* scale : kScales) {
    figures.weights.series.push_back({.name = scale, .role = role_of(parse_scale(kId, scale))});
  }
  std::vector<std::pair<int64_t, Cell>> cells;
  std::vector<Scalar> weight_errors;
  for (const int64_t d : ascending_d(params)) {
    const Sample at_d = sample(setting, d, meter);
    const auto x = static_cast<double>(d);
    figures.not_finite.push_back(not_finite_figure(d));
    for (size_t i = 0; i < setting.spreads.size(); ++i) {
      const int64_t spread = setting.spreads[i];
      add_cell(result, figures.not_finite.back(), at_d.cells[i], d, spread, setting.format);
      cells.emplace_back(spread, at_d.cells[i]);
      if (at_d.births[i].empty()) continue;
      result.lines.push_back("d=" + std::to_string(d) + " std=" + std::to_string(spread) + " " +
                             at_d.births[i]);
    }
    for (const ScorePath path : {kFp32Sum, kOwnSum}) {
      const Cell& first = at_d.cells.front();
      const Scalar error = relative_error({}, first.paths[path].square_error, first.square);
      add_point(figures.error.series[path], x, error.value, error.se);
    }
    for (const size_t i : {0, 1}) {
      const Labels at = {{"d", std::to_string(d)}, {"scale", kScales[i]}};
      weight_errors.push_back(summary("max_abs_prob_error_from_rounding_logits", at, at_d.weight_errors[i]));
      add_point(figures.weights.series[i], x, weight_errors.back().value, weight_errors.back().se);
    }
  }
  result.scalars.insert(result.scalars.end(), weight_errors.begin(), weight_errors.end());
  result.figures = std::move(figures.not_finite);
  result.figures.insert(result.figures.end(), {figures.error, figures.weights});
  judge(result, cells);
  return result;
}

constexpr const char* kFormats[] = {"fp16", "bf16"};
constexpr Param kParams[] = {
    {.name = "d",
     .type = ParamType::kIntList,
     .default_value = "64,512",
     .min = 1,
     .max = 2048,
     .max_count = 8},
    {.name = "std",
     .type = ParamType::kIntList,
     .default_value = "1,32,64,100",
     .min = 1,
     .max = 1000,
     .max_count = 8},
    {.name = "format", .type = ParamType::kChoice, .default_value = "fp16", .choices = kFormats},
    int_param("n_keys", "64", 1, 256),
    int_param("trials", "100", 10, 100000),
    kSeedParam};

}  // namespace

const Experiment mixed_precision = {
    .id = kId,
    .question = "Do scores overflow in 16 bits, and does the scale come in time?",
    .source = "article 1, mixed precision",
    .params = kParams,
    .run = run,
    .work = work,
};

}  // namespace sqrtdk::experiments
