// What reaches q and k of a loss on attention's weights, at the start and during training: not its mean alone
// but its distribution. Unscaled, the typical gradient vanishes where d is large beside the number of keys,
// and the mean lives on a few rows; a loss -log p_y does not vanish at all.
#include <algorithm>
#include <cmath>

#include "base/sort.h"
#include "experiments/gradient_flow/gradient_training.h"
#include "experiments/registry.h"
#include "lab/attention_row.h"
#include "lab/chance.h"
#include "lab/common_params.h"
#include "lab/sampling.h"
#include "lab/scale_lines.h"
#include "lab/statistics.h"
#include "lab/work.h"
#include "simd/math.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "gradient_flow";
constexpr double kSmall = 1e-3;  // a norm that is nearly nothing, where scaled ones are 0.3
constexpr double kSteady = 0.7;  // a median that is like its mean, as a share of it

constexpr const char* kLosses[] = {"u_p", "u_pv", "cross_entropy", "log_p"};
RowLoss loss_of(const Params& params) {
  const auto* const at = std::find(std::begin(kLosses), std::end(kLosses), params.choice("loss"));
  return static_cast<RowLoss>(at - std::begin(kLosses));
}

/// Over trials, at one d and scale.
struct Sample {
  std::vector<double> scores, q;
};

struct Row {  // of the results
  double d;
  size_t scale;
  Scalar q;
};

double log10_of(double x) { return simd::log(x) * 0.4342944819032518; }

/// The share of the sum that the largest tenth of the values hold: 0.1 where all are equal.
double share_of_largest_tenth(std::vector<double> values) {
  const auto tenth = static_cast<std::ptrdiff_t>((values.size() + 9) / 10);
  heap_sort(values, std::greater<>());  // one order of summation, whoever sorts
  double sum = 0, largest = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    if (static_cast<std::ptrdiff_t>(i) < tenth) largest += values[i];
  }
  return largest / sum;
}

Row add_scalars(Result& result, const Sample& sample, int64_t d, size_t index, const Scale& scale) {
  const Labels at = {{"d", d}, {"scale", scale}};
  Row row{static_cast<double>(d), index, summary("grad_norm_wrt_q", at, sample.q)};
  result.add(row.q);
  result.add("grad_norm_wrt_scaled_logits", at, sample.scores);
  result.add("grad_norm_wrt_raw_logits", at, before_scale(sample.scores, scale, d));
  const auto small = std::count_if(sample.q.begin(), sample.q.end(), [](double x) { return x < kSmall; });
  result.add(share("share_of_small_gradients", at, small, static_cast<int64_t>(sample.q.size())));
  result.add("share_of_largest_tenth", at, share_of_largest_tenth(sample.q));
  return row;
}

/// Median or mean of ‖∂L/∂q‖ over d, a series per scale.
Figure over_d(const char* name, bool median, const std::vector<Row>& rows, const std::vector<Scale>& scales) {
  Figure figure{.name = name, .at = {}, .x = "d", .y = "gradient_norm", .log_x = true, .log_y = true};
  figure.series = scale_lines(scales);
  for (const Row& row : rows) {
    Series& line = figure.series[row.scale];
    if (!median) {
      line.add(row.d, row.q);
      continue;
    }
    line.add(row.d, row.q.p50);
  }
  return figure;
}

/// The distribution of log10 ‖∂L/∂q‖; what is far below its scale's tenth percentile counts in the first bin.
Figure distribution(const std::vector<Sample>& samples, const std::vector<Scale>& scales, int64_t d) {
  std::vector<std::vector<double>> logs(samples.size());
  double low = 0, high = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    for (const double x : samples[i].q) logs[i].push_back(x > 0 ? log10_of(x) : -300);
    std::vector<double> copy = logs[i];
    low = std::min(low, std::floor(quantile(copy, 0.1)) - 1);
    high = std::max(high, std::ceil(*std::max_element(logs[i].begin(), logs[i].end())));
  }
  const auto bins = static_cast<size_t>(std::min(60.0, 2 * (high - low)));
  const double width = (high - low) / static_cast<double>(bins);
  Figure figure{.name = "gradient_histogram",
                .at = {{"d", d}},
                .kind = HistogramChart{},
                .x = "log10_gradient_norm",
                .y = "density",
                .series = scale_lines(scales)};
  for (size_t i = 0; i < samples.size(); ++i) {
    Series& series = figure.series[i];
    std::vector<double> counts(bins);
    for (const double x : logs[i]) {
      const double bin = std::clamp((x - low) / width, 0.0, static_cast<double>(bins - 1));
      ++counts[static_cast<size_t>(bin)];
    }
    const double n = static_cast<double>(logs[i].size());
    for (size_t bin = 0; bin < bins; ++bin) {
      series.add(low + (static_cast<double>(bin) + 0.5) * width, counts[bin] / (n * width),
                 std::sqrt(counts[bin] * (1 - counts[bin] / n)) / (n * width));
    }
  }
  return figure;
}

/// Mean and median of ‖∂L/∂q‖ with one scale, each as far as chance lets it be.
struct Typical {
  Interval mean, median;
  /// The norms are at most `range`, or unbounded and seldom small: 0.
  Typical(const Chance& chance, const std::vector<double>& norms, double range)
      : median(chance.median(norms)) {
    Moments moments;
    for (const double x : norms) moments.add(x);
    const double reach = chance.reach(moments.se(), moments.count(), range);
    mean = {std::max(0.0, moments.mean() - reach), moments.mean() + reach};
  }
  double least_ratio() const { return median.low / mean.high; }  // of the median to the mean
  double largest_ratio() const { return median.high / mean.low; }
};

/// At the largest d. Scaled, mean and median are alike; unscaled, the median falls far below the mean, and
/// below the scaled median unless keys are many. With -log p_y all of it is larger unscaled.
void judge(Result& result, const std::vector<Sample>& samples, const std::vector<Scale>& scales, int64_t d,
           RowLoss loss, int64_t n_keys) {
  const auto find = [&](const char* name) -> const std::vector<double>* {
    for (size_t i = 0; i < scales.size(); ++i) {
      if (scales[i].name == name) return &samples[i].q;
    }
    return nullptr;
  };
  const std::vector<double>*const of_none = find("none"), *const of_root = find("1/sqrt(d)");
  if (!of_none || !of_root || d < 8 || n_keys == 1) return result.cannot_be_judged("nothing_compared");
  const Chance chance(4);
  // Unscaled, a few rows hold most of the mean: those whose weights are as even as scaled ones, with sqrt(d)
  // times their gradient. Few trials may have none of them.
  const double largest = *std::max_element(of_root->begin(), of_root->end());
  const double rare = loss == RowLoss::kLogWeight ? 0 : std::sqrt(static_cast<double>(d)) * largest;
  const Typical unscaled(chance, *of_none, rare), scaled(chance, *of_root, 0);
  if (loss == RowLoss::kLogWeight) {
    if (unscaled.mean.low <= scaled.mean.high && scaled.mean.low <= unscaled.mean.high) {
      return result.cannot_be_judged("within_chance");
    }
    return result.judge(unscaled.mean.low > scaled.mean.high, "gradient_of_log_p_stays",
                        "gradient_flow_differs");
  }
  const bool mean_is_larger = unscaled.mean.high > scaled.mean.low;
  const bool steady = scaled.largest_ratio() > kSteady;
  const bool erratic = unscaled.least_ratio() < scaled.largest_ratio();
  const auto middle = [](std::vector<double> norms) { return quantile(norms, 0.5); };
  result.judge(
      mean_is_larger && steady && erratic,
      middle(*of_none) < middle(*of_root) / 2 ? "typical_gradient_vanishes" : "gradient_erratic_not_small",
      "gradient_flow_differs");
}

GradientTraining training_of(const Params& params) {
  return {.d_k = params.integer("d_k"), .steps = params.integer("steps"), .seed = params.seed("seed")};
}

Result run(const Params& params, ProgressMeter& meter) {
  const int64_t n_keys = params.integer("n_keys"), trials = params.integer("trials");
  const std::vector<Scale>& scales = params.scales("scale");
  const std::vector<int64_t> dims = ascending_d(params);
  const auto work_of = [&](int64_t d) { return AttentionRow::work(d, n_keys, std::ssize(scales)); };
  meter.begin(trials_work(trials, dims, work_of) +
              static_cast<double>(scales.size()) * gradient_training_work(training_of(params)));
  Result result;
  std::vector<Row> rows;
  std::vector<Sample> samples;
  for (const int64_t d : dims) {
    AttentionRow row(d, n_keys, loss_of(params));
    samples.assign(scales.size(), {});
    for (int64_t trial = 0; trial < trials; ++trial) {
      row.draw(params.seed("seed"), trial);
      for (size_t i = 0; i < scales.size(); ++i) {
        const AttentionRow::Norms norms = row.gradient(static_cast<double>(scales[i].at(d)));
        samples[i].scores.push_back(norms.scores);
        samples[i].q.push_back(norms.q);
      }
      meter.add(work_of(d));
    }
    for (size_t i = 0; i < scales.size(); ++i) {
      rows.push_back(add_scalars(result, samples[i], d, i, scales[i]));
    }
  }
  result.figures = {over_d("gradient_median_over_d", true, rows, scales),
                    over_d("gradient_mean_over_d", false, rows, scales),
                    distribution(samples, scales, dims.back())};
  judge(result, samples, scales, dims.back(), loss_of(params), n_keys);
  train_for_gradients(result, training_of(params), scales, meter);
  return result;
}

constexpr Param kParams[] = {choice_param("loss", "u_p", kLosses),
                             d_param("8,32,128,512", 4096),
                             int_param("n_keys", "8", 1, 256),
                             scale_param("none,1/sqrt(d)", 4),
                             int_param("d_k", "128", 4, 256),
                             folded(int_param("steps", "40", 0, 2000)),
                             trials_param("1000"),
                             kSeedParam};

}  // namespace

const Experiment gradient_flow = {
    .id = kId,
    .question = "How much gradient passes through the softmax, at the start and during training?",
    .source = "articles 1 to 4: vanishing gradients; article 4, section 2.7",
    .group = Group::kBreaks,
    .chapter = 7,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"nothing_compared", "typical_gradient_vanishes", "gradient_erratic_not_small",
                           "gradient_of_log_p_stays", "gradient_flow_differs", "within_chance"},
              .scalars = {"grad_norm_wrt_q", "grad_norm_wrt_scaled_logits", "grad_norm_wrt_raw_logits",
                          "share_of_small_gradients", "share_of_largest_tenth", "row_grad_norm_wrt_q",
                          "row_grad_norm_wrt_scores", "saturated_rows", "token_accuracy"},
              .labels = {"d", "scale", "d_k", "step"},
              .figures = {"gradient_median_over_d", "gradient_mean_over_d", "gradient_histogram",
                          "training_median", "training_mean", "training_saturated"},
              .axes = {"d", "gradient_norm", "log10_gradient_norm", "density", "step", "frac_max_gt_0.99"},
              .series = {"none", "1/sqrt(d)"}},
};

}  // namespace sqrtdk::experiments
