// softmax as its formula stands, e^s / sum e^s, and with the largest score subtracted first, in three number
// formats: where the first breaks, and what the second loses.
#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "base/text.h"
#include "experiments/registry.h"
#include "lab/common_params.h"
#include "lab/heat_map.h"
#include "lab/number_format.h"
#include "lab/sampling.h"
#include "lab/statistics.h"
#include "lab/work.h"
#include "simd/math.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "softmax_overflow";
constexpr Role kRoles[] = {Role::kScaled, Role::kUnscaled, Role::kOther};  // of the formats

/// One row: every number is rounded to the format, but for the sum, which is kept in fp32.
struct Row {
  std::vector<float> scores, exponentials, weights;
  float sum = 0;

  void compute(const float* given, int64_t n, double scale, Format format, bool subtract) {
    scores.clear(), exponentials.clear(), weights.clear();
    for (int64_t i = 0; i < n; ++i) {
      scores.push_back(rounded(format, static_cast<double>(given[i]) * scale));
    }
    const float max = subtract ? *std::max_element(scores.begin(), scores.end()) : 0;
    sum = 0;
    for (const float score : scores) {
      const float power = rounded(format, score - max);
      exponentials.push_back(rounded(format, simd::exp(static_cast<double>(power))));
      sum += exponentials.back();
    }
    for (const float e : exponentials) weights.push_back(rounded(format, e / sum));
  }
  /// Infinite exponentials give NaN, or 0 to all others; only zeros give 0/0.
  bool broken() const {
    float total = 0;
    for (const float weight : weights) total += weight;
    return !(total > 0.9f && total < 1.1f);
  }
  bool finite() const {
    return std::all_of(scores.begin(), scores.end(), [](float score) { return std::isfinite(score); });
  }
  int64_t zeros() const { return std::count(weights.begin(), weights.end(), 0.0f); }
};

/// The largest x whose exponential is no infinity, and the least that is no 0, in the format.
double last_finite(Format format) {
  double finite = 0, infinite = 200;
  for (int i = 0; i < 60; ++i) {
    const double middle = (finite + infinite) / 2;
    (std::isinf(rounded(format, simd::exp(middle))) ? infinite : finite) = middle;
  }
  return finite;
}
double last_above_zero(Format format) {
  double above = 0, zero = -200;
  for (int i = 0; i < 60; ++i) {
    const double middle = (above + zero) / 2;
    (rounded(format, simd::exp(middle)) == 0 ? zero : above) = middle;
  }
  return above;
}

void add_limits(Result& result) {
  for (const auto& [name, format] : kNumberFormats) {
    const Labels at = {{"format", name}};
    result.add("exp_overflows_above", at, last_finite(format));
    result.add("exp_is_zero_below", at, last_above_zero(format));
  }
}

std::string numbers(const std::vector<float>& x) {
  std::string text;
  for (const float each : x) text.append(text.empty() ? "" : " ").append(shortest(each));
  return text;
}

/// The reader's row of scores, or article 4's.
std::vector<float> example_of(const Params& params) {
  const Matrix* const given = params.matrix("scores");
  if (!given) return {50, 1, 1, 1};
  if (given->rows != 1) {
    throw ValueError(ErrorCode::kWrongShape, kId, "scores", Shape{1, given->cols}.text(),
                     Shape{given->rows, given->cols}.text());
  }
  return given->values;
}

void add_example(Result& result, const std::vector<float>& scores) {
  Row row;
  for (const auto& [name, format] : kNumberFormats) {
    for (const bool subtract : {false, true}) {
      row.compute(scores.data(), static_cast<int64_t>(scores.size()), 1, format, subtract);
      std::string line = std::string(name) + (subtract ? " e^(s-max) = " : " e^s = ");
      line += numbers(row.exponentials) + "  sum = " + shortest(row.sum);
      result.lines.push_back(line + "  weights = " + numbers(row.weights));
    }
  }
}

/// The row as a map: in each format its exponentials and its weights.
Figure example_map(const std::vector<float>& scores, bool subtract) {
  std::vector<float> values;
  HeatMapAxes axes{.x = "score", .y = "computed_in", .z = "number"};
  Row row;
  for (const auto& [name, format] : kNumberFormats) {
    row.compute(scores.data(), static_cast<int64_t>(scores.size()), 1, format, subtract);
    values.insert(values.end(), row.exponentials.begin(), row.exponentials.end());
    values.insert(values.end(), row.weights.begin(), row.weights.end());
    axes.rows.push_back(std::string(name) + " e^s");
    axes.rows.push_back(std::string(name) + " p");
  }
  for (const float score : scores) axes.cols.push_back(shortest(score));
  const Labels at = {{"subtracted", subtract ? "yes" : "no"}};
  const Shape shape{static_cast<int64_t>(axes.rows.size()), static_cast<int64_t>(scores.size())};
  Figure figure = heat_map("row_in_formats", at, {values.data(), shape}, std::move(axes));
  figure.y_max = 1;
  return figure;
}

/// Over trials, at one d, scale and format.
struct Counts {
  int64_t broken = 0, finite = 0;  // rows; finite: whose scores are
  int64_t broken_subtracted = 0;
  Moments zeros;  // share of a row's weights, with the maximum subtracted
};

Result run(const Params& params, ProgressMeter& meter) {
  const int64_t n = params.integer("n_keys"), trials = params.integer("trials");
  const std::vector<Scale>& scales = params.scales("scale");
  const std::vector<float> example = example_of(params);
  const std::vector<int64_t> dims = ascending_d(params);
  const double work_of_rows = function_work(n * std::ssize(scales) * std::ssize(kNumberFormats) * 2);
  meter.begin(sampling_work({}, dims, n, trials, work_of_rows));
  Result result;
  add_example(result, example);
  add_limits(result);
  constexpr size_t kNFormats = kNumberFormats.size();
  std::vector<Figure> broken, zeros;
  for (const Scale& scale : scales) {
    const Figure figure{.name = "rows_broken_over_d",
                        .at = {{"scale", scale}},
                        .x = "d",
                        .y = "rows_broken",
                        .log_x = true,
                        .y_max = 1};
    broken.push_back(figure);
    zeros.push_back(figure);
    zeros.back().name = "zero_weights_over_d", zeros.back().y = "weights_zero";
    for (size_t i = 0; i < kNFormats; ++i) {
      broken.back().series.push_back({.name = kNumberFormats[i].name, .role = kRoles[i]});
      zeros.back().series.push_back({.name = kNumberFormats[i].name, .role = kRoles[i]});
    }
  }
  bool any_saved = false, all_finite = true;
  int64_t broken_subtracted[kNFormats] = {};
  for (const int64_t d : dims) {
    std::vector<Counts> counts(scales.size() * kNFormats);
    Row row;
    sample_scores({}, params.seed("seed"), d, n, trials, meter, [&](const float* scores) {
      for (size_t i = 0; i < counts.size(); ++i) {
        const double factor = static_cast<double>(scales[i / kNFormats].at(d));
        const Format format = kNumberFormats[i % kNFormats].format;
        row.compute(scores, n, factor, format, false);
        counts[i].broken += row.broken();
        row.compute(scores, n, factor, format, true);
        counts[i].finite += row.finite();
        counts[i].broken_subtracted += row.finite() && row.broken();
        counts[i].zeros.add(static_cast<double>(row.zeros()) / static_cast<double>(n));
      }
      meter.add(work_of_rows);
    });
    for (size_t i = 0; i < counts.size(); ++i) {
      const size_t which = i / kNFormats, format = i % kNFormats;
      const Labels at = {{"d", d}, {"scale", scales[which]}, {"format", kNumberFormats[format].name}};
      broken[which].series[format].add(d, result.add(share("rows_broken", at, counts[i].broken, trials)));
      zeros[which].series[format].add(d, result.add("weights_zero", at, counts[i].zeros.estimate()));
      const int64_t infinite = trials - counts[i].finite;
      any_saved = any_saved || counts[i].broken > infinite;
      all_finite = all_finite && infinite == 0;
      broken_subtracted[format] += counts[i].broken_subtracted;
    }
  }
  bool saved = true;
  for (size_t i = 0; i < kNFormats; ++i) {
    result.add("rows_broken_subtracted", {{"format", kNumberFormats[i].name}}, broken_subtracted[i], 0);
    saved = saved && broken_subtracted[i] == 0;
  }
  for (const bool subtract : {false, true}) result.add(example_map(example, subtract));
  result.figures.insert(result.figures.end(), broken.begin(), broken.end());
  result.figures.insert(result.figures.end(), zeros.begin(), zeros.end());
  if (any_saved || !saved) {
    result.judge(saved, all_finite ? "subtraction_saves_every_row" : "subtraction_saves_finite_rows",
                 "subtraction_does_not_help");
  } else {
    result.cannot_be_judged(all_finite ? "nothing_overflows" : "scores_not_finite");
  }
  return result;
}

constexpr Param kParams[] = {d_param("32,128,512"),          int_param("n_keys", "8", 1, 1024),
                             scale_param("none,1/sqrt(d)"),  trials_param("2000"),
                             matrix_param("scores", "", 64), kSeedParam};

}  // namespace

const Experiment softmax_overflow = {
    .id = kId,
    .question = "When does the exponential function overflow?",
    .source = "articles 2, 3 and 4, section 2.6.2",
    .group = Group::kBreaks,
    .chapter = 7,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"subtraction_saves_every_row", "subtraction_saves_finite_rows",
                           "subtraction_does_not_help", "nothing_overflows", "scores_not_finite"},
              .scalars = {"exp_overflows_above", "exp_is_zero_below", "rows_broken", "weights_zero",
                          "rows_broken_subtracted"},
              .labels = {"format", "d", "scale", "subtracted"},
              .figures = {"row_in_formats", "rows_broken_over_d", "zero_weights_over_d"},
              .axes = {"score", "computed_in", "number", "d", "rows_broken", "weights_zero"},
              .series = {"not_a_number", "fp32", "fp16", "bf16"},
              .values = {"no", "yes"}},
};

}  // namespace sqrtdk::experiments
