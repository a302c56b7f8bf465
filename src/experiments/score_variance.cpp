// The scores q·k of independent components with zero mean and variances sigma_q², sigma_k² have variance
// d sigma_q² sigma_k²: their spread grows as sqrt(d). What happens with other components, means that are
// not 0, or q and k that are correlated?
#include <cmath>

#include "experiments/registry.h"
#include "lab/common_params.h"
#include "lab/histogram.h"
#include "lab/sampling.h"
#include "lab/score_moments.h"
#include "lab/score_walks.h"
#include "lab/statistics.h"
#include "simd/math.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "score_variance";

/// What was measured at one d.
struct Measured {
  int64_t d;
  ScoreTheory theory;
  Estimate mean, variance, excess_kurtosis;
  double mean_square;  // of the distances from the expected mean
};

Population population_of(const Params& params) {
  return {.distribution = distribution_of(params),
          .nu = params.integer("nu"),
          .mean = params.real("mean"),
          .sigma_q = params.real("sigma_q"),
          .sigma_k = params.real("sigma_k"),
          .correlation = params.real("correlation")};
}

/// Figures of one trial: mean, unbiased variance and mean square of its scores.
struct PerTrial {
  std::vector<double> mean, variance, mean_square;
  void add(const float* scores, int64_t n) {
    Moments moments;
    for (int64_t i = 0; i < n; ++i) moments.add(static_cast<double>(scores[i]));
    mean.push_back(moments.mean());
    if (n > 1) variance.push_back(moments.variance());
    const double spread =
        n > 1 ? moments.variance() * static_cast<double>(n - 1) / static_cast<double>(n) : 0;
    mean_square.push_back(spread + moments.mean() * moments.mean());
  }
};

/// The summary of factor · x, from that of x.
Scalar scaled(Scalar summary, double factor) {
  const double size = std::fabs(factor);
  for (double* x : {&summary.value, &summary.expected, &summary.p10, &summary.p50, &summary.p90})
    *x *= factor;
  for (double* x : {&summary.se, &summary.std}) *x *= size;
  if (factor < 0) std::swap(summary.p10, summary.p90);
  return summary;
}

void add_per_trial(Result& result, PerTrial&& trials, const ScoreTheory& theory, int64_t d,
                   const std::vector<Scale>& scales) {
  const bool has_variance = !trials.variance.empty();
  Scalar mean = summary("logit_mean_per_trial", {}, std::move(trials.mean));
  Scalar variance = summary("logit_variance_per_trial", {}, std::move(trials.variance));
  Scalar mean_square = summary("logit_mean_square_per_trial", {}, std::move(trials.mean_square));
  mean.expected = theory.mean;
  variance.expected = theory.variance_given_q;
  mean_square.expected = theory.variance + theory.mean * theory.mean;
  for (const Scale& scale : scales) {
    const double factor = static_cast<double>(scale.at(d));
    const Labels at = {{"d", d}, {"scale", scale}};
    const auto add = [&](const Scalar& unscaled, double times) {
      result.add(scaled(unscaled, times)).at = at;
    };
    add(mean, factor);
    if (has_variance) add(variance, factor * factor);
    add(mean_square, factor * factor);
  }
}

Figure histogram_figure(const Histogram& histogram, int64_t d, const ScoreTheory& theory, double sd) {
  Series measured{.name = "measured", .role = Role::kUnscaled};
  Series normal{.name = theory.mean == 0 && theory.variance == static_cast<double>(d) ? "N(0, d)" : "normal",
                .role = Role::kReference};
  for (size_t i = 0; i < histogram.size(); ++i) {
    const double x = histogram.centre(i), u = (x - theory.mean) / sd;
    measured.add(x, histogram.density(i), histogram.se(i));
    normal.add(x, simd::exp(-u * u / 2) / (2.5066282746310002 * sd));  // sqrt(2 pi)
  }
  return {.name = "score_histogram",
          .at = {{"d", d}},
          .kind = HistogramChart{},
          .x = "score",
          .y = "density",
          .series = {measured, normal}};
}

Figure variance_figure(const std::vector<Measured>& all, const std::vector<Scale>& scales) {
  Series measured{.name = "measured", .role = Role::kUnscaled};
  Series d_itself{.name = "d", .role = Role::kReference},
      expected{.name = "expected", .role = Role::kReference};
  for (const Measured& m : all) {
    const double d = static_cast<double>(m.d);
    measured.add(d, m.variance);
    d_itself.add(d, d);
    expected.add(d, m.theory.variance);
  }
  Figure figure{
      .name = "variance_over_d", .at = {}, .x = "d", .y = "score_variance", .log_x = true, .log_y = true};
  figure.series.push_back(measured);
  for (const Scale& scale : scales) {
    if (scale.name == "none") continue;
    Series series{.name = scale.name, .role = role_of(scale)};
    for (const Measured& m : all) {
      const double factor = static_cast<double>(scale.at(m.d)), square = factor * factor;
      series.add(m.d, square * m.variance.value, square * m.variance.se);
    }
    figure.series.push_back(series);
  }
  if (expected.y != d_itself.y) figure.series.push_back(expected);
  figure.series.push_back(d_itself);
  return figure;
}

/// Mean and variance at every d against theory, with the spread that theory gives them.
void judge(Result& result, const std::vector<Measured>& all, int64_t trials, int64_t n_keys) {
  const Chance chance(2 * std::ssize(all));
  bool agree = true, known = true, is_d = true;
  for (const Measured& each : all) {
    const ScoreTheory& theory = each.theory;
    const Uncertainty of_mean = theory.uncertainty_of_mean(trials, n_keys),
                      of_variance = theory.uncertainty_of_variance(trials, n_keys);
    known = known && of_mean.known() && of_variance.known();
    agree = agree && chance.explains(each.mean.value - theory.mean, of_mean, 1e-6 * std::fabs(theory.mean)) &&
            chance.explains(each.mean_square - theory.variance, of_variance,
                            1e-6 * theory.variance + 1e-12 * theory.mean * theory.mean);
    is_d = is_d && theory.variance == static_cast<double>(each.d);
  }
  const ScoreTheory& theory = all.front().theory;
  if (std::isinf(theory.variance)) return result.cannot_be_judged("variance_is_infinite");
  if (std::isinf(theory.excess_kurtosis)) return result.cannot_be_judged("kurtosis_is_infinite");
  if (!known) return result.cannot_be_judged("tails_too_heavy");
  result.judge(agree, is_d ? "variance_is_d" : "variance_as_expected", "variance_differs");
}

Result run(const Params& params, ProgressMeter& meter) {
  const Population population = population_of(params);
  const int64_t n_keys = params.integer("n_keys"), trials = params.integer("trials");
  const int64_t walks = params.integer("walks");
  double work = sampling_work(population, ascending_d(params), n_keys, trials);
  for (const int64_t d : ascending_d(params)) work += walks_work(population, d, walks);
  meter.begin(work);
  Result result;
  std::vector<Measured> all;
  std::vector<Figure> histograms;
  for (const int64_t d : ascending_d(params)) {
    const ScoreTheory theory = score_theory(population, d);
    const double sd = theory.variance > 0 && std::isfinite(theory.variance) ? std::sqrt(theory.variance) : 1;
    ScoreMoments moments(theory.mean, sd);
    Histogram histogram(theory.mean - 5.125 * sd, theory.mean + 5.125 * sd, 41);
    PerTrial per_trial;
    Moments beyond;
    sample_scores(population, params.seed("seed"), d, n_keys, trials, meter, [&](const float* scores) {
      moments.add_trial(scores, n_keys);
      histogram.add_trial(scores, n_keys);
      per_trial.add(scores, n_keys);
      int64_t far = 0;
      for (int64_t i = 0; i < n_keys; ++i)
        far += std::fabs(static_cast<double>(scores[i]) - theory.mean) > 3 * sd;
      beyond.add(static_cast<double>(far) / static_cast<double>(n_keys));
    });

    all.push_back(
        {d, theory, moments.mean(), moments.variance(), moments.excess_kurtosis(), moments.mean_square()});
    const Labels at = {{"d", d}};
    result.add("score_mean", at, all.back().mean, theory.mean);
    result.add("score_variance", at, all.back().variance, theory.variance);
    result.add("score_excess_kurtosis", at, all.back().excess_kurtosis, theory.excess_kurtosis);
    result.add("share_beyond_3_sigma", at, beyond.estimate());
    add_per_trial(result, std::move(per_trial), theory, d, params.scales("scale"));
    histograms.push_back(histogram_figure(histogram, d, theory, sd));
  }
  result.add(variance_figure(all, params.scales("scale")));
  for (Figure& figure : histograms) result.add(std::move(figure));
  if (walks > 0) {
    for (const int64_t d : ascending_d(params))
      result.add(score_walks(population, params.seed("seed"), d, n_keys, walks, meter));
  }
  judge(result, all, trials, n_keys);
  return result;
}

constexpr Param kParams[] = {d_param("4,16,64,256"),
                             kNKeysParam,
                             scale_param("none,1/sqrt(d),1/(2*sqrt(d)),1/d"),
                             kDistributionParam,
                             kNuParam,
                             folded(real_param("mean", "0", -1000, 1000)),
                             folded(real_param("correlation", "0", -1, 1)),
                             folded(real_param("sigma_q", "1", 0, 1000)),
                             folded(real_param("sigma_k", "1", 0, 1000)),
                             trials_param("10000"),
                             folded(int_param("walks", "0", 0, kMaxWalks)),
                             kSeedParam};

}  // namespace

const Experiment score_variance = {
    .id = kId,
    .question = "How large is the dot product of two random vectors?",
    .source = "articles 1 to 5: the variance of q·k is d_k",
    .group = Group::kWhy,
    .chapter = 3,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"variance_is_d", "variance_as_expected", "variance_differs",
                           "variance_is_infinite", "kurtosis_is_infinite", "tails_too_heavy"},
              .scalars = {"score_mean", "score_variance", "score_excess_kurtosis", "share_beyond_3_sigma",
                          "logit_mean_per_trial", "logit_variance_per_trial", "logit_mean_square_per_trial"},
              .labels = {"d", "scale"},
              .figures = {"variance_over_d", "score_histogram", "score_walks"},
              .axes = {"d", "score_variance", "score", "density", "terms", "sum_so_far"},
              .series = {"measured", "1/sqrt(d)", "1/(2*sqrt(d))", "1/d", "d", "N(0, d)", "expected",
                         "normal", "walk", "68 %", "95 %"}},
};

}  // namespace sqrtdk::experiments
