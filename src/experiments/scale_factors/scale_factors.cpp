// Why sqrt(d) and not another factor: over all powers of d, only the power 1/2 makes the softmax the same for
// every d. A constant factor is a temperature, a matter of taste, and a model can learn it.
#include <algorithm>
#include <cmath>

#include "base/decimal.h"
#include "experiments/registry.h"
#include "experiments/scale_factors/learned_scale.h"
#include "lab/attention_row.h"
#include "lab/chance.h"
#include "lab/common_params.h"
#include "lab/sampling.h"
#include "lab/statistics.h"
#include "lab/work.h"
#include "simd/math.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "scale_factors";
constexpr double kPowers[] = {0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1};
constexpr size_t kRoot = 4;
constexpr double kTemperatures[] = {0.125, 0.25, 0.5, 1, 2, 4, 8};

/// What one trial gives with one factor.
struct Trial {
  double max = 0, entropy = 0, effective_keys, gradient;
  Trial(AttentionRow& row, double factor) : gradient(row.gradient(factor).q) {
    for (const double p : row.weights()) {
      max = std::max(max, p);
      if (p > 0) entropy -= p * simd::log(p);
    }
    effective_keys = simd::exp(entropy);
  }
};

/// Over trials, at one d and factor: each of them, or only their means.
struct Sample {
  std::vector<double> max, entropy, effective_keys, gradient;
  void add(const Trial& trial) {
    max.push_back(trial.max);
    entropy.push_back(trial.entropy);
    effective_keys.push_back(trial.effective_keys);
    gradient.push_back(trial.gradient);
  }
};
struct Means {
  Moments entropy, effective_keys, gradient;
  void add(const Trial& trial) {
    entropy.add(trial.entropy);
    effective_keys.add(trial.effective_keys);
    gradient.add(trial.gradient);
  }
};

/// All factors at one d.
struct AtD {
  int64_t d;
  std::vector<Means> powers, temperatures;
};

double power_of(double d, double power) { return simd::exp(-power * simd::log(d)); }

/// A sample for each of the reader's scales.
void add_scalars(Result& result, const std::vector<Sample>& samples, int64_t d, const Params& params) {
  const double uniform = simd::log(static_cast<double>(params.integer("n_keys")));
  for (size_t i = 0; i < samples.size(); ++i) {
    const Labels labels = {{"d", d}, {"scale", params.scales("scale")[i].name}};
    const Sample& sample = samples[i];
    std::vector<double> share = sample.entropy;
    for (double& x : share) x /= uniform;
    result.add("softmax_max", labels, sample.max);
    result.add("effective_keys_exp_entropy", labels, sample.effective_keys);
    if (uniform > 0) result.add("entropy_share", labels, std::move(share));
    result.add("grad_norm_wrt_q", labels, sample.gradient);
  }
}

/// The work of a trial.
double work_of(const Params& params, int64_t d) {
  const size_t n_factors = params.scales("scale").size() + std::size(kPowers) + std::size(kTemperatures);
  return AttentionRow::work(d, params.integer("n_keys"), static_cast<int64_t>(n_factors));
}

AtD measure(const Params& params, int64_t d, Result& result, ProgressMeter& meter) {
  const std::vector<Scale>& scales = params.scales("scale");
  AtD at{.d = d, .powers = {}, .temperatures = {}};
  std::vector<Sample> samples(scales.size());
  at.powers.resize(std::size(kPowers));
  at.temperatures.resize(std::size(kTemperatures));
  const double width = static_cast<double>(d), root = std::sqrt(width);
  AttentionRow row(d, params.integer("n_keys"), RowLoss::kWeights);
  const double work_of_trial = work_of(params, d);
  for (int64_t trial = 0; trial < params.integer("trials"); ++trial) {
    row.draw(params.seed("seed"), trial);
    for (size_t i = 0; i < at.powers.size(); ++i) at.powers[i].add({row, power_of(width, kPowers[i])});
    for (size_t i = 0; i < at.temperatures.size(); ++i) {
      at.temperatures[i].add({row, 1 / (kTemperatures[i] * root)});
    }
    for (size_t i = 0; i < scales.size(); ++i) {
      samples[i].add({row, static_cast<double>(scales[i].at(d))});
    }
    meter.add(work_of_trial);
  }
  add_scalars(result, samples, d, params);
  return at;
}

/// Effective keys or the mean of ‖∂L/∂q‖, over powers or temperatures: a series per d.
Figure over_factors(const char* name, const std::vector<AtD>& all, bool powers, bool gradient) {
  Figure figure{.name = name,
                .at = {},
                .x = powers ? "power" : "temperature",
                .y = gradient ? "gradient_norm" : "effective_keys_exp_entropy",
                .log_x = !powers,
                .log_y = gradient};
  for (const AtD& at : all) {
    Series series{.name = "d=" + to_text(at.d)};
    const std::vector<Means>& factors = powers ? at.powers : at.temperatures;
    for (size_t i = 0; i < factors.size(); ++i) {
      const Moments& moments = gradient ? factors[i].gradient : factors[i].effective_keys;
      series.add(powers ? kPowers[i] : kTemperatures[i], moments.estimate());
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

/// How far the weights of different d are from even ones, ln n - H: the largest over the smallest, at each
/// power.
Figure spread_over_powers(const std::vector<AtD>& all, int64_t n_keys) {
  Figure figure{.name = "spread_over_power", .at = {}, .x = "power", .y = "ratio_over_d", .log_y = true};
  Series series{.name = "ratio"};
  for (size_t i = 0; i < std::size(kPowers); ++i) {
    double least = HUGE_VAL, most = 0;
    for (const AtD& at : all) {
      const double uneven = simd::log(static_cast<double>(n_keys)) - at.powers[i].entropy.mean();
      least = std::min(least, uneven);
      most = std::max(most, uneven);
    }
    series.add(kPowers[i], n_keys == 1 ? 1 : most / least);
  }
  figure.series.push_back(std::move(series));
  return figure;
}

/// The power 1/2 depends least on d, by no more than a quarter and what chance adds; and 1/d is flatter
/// than 1/(2 sqrt(d)), flatter than 1/sqrt(d), wherever d > 4. Below d = 8, scores are far from normal.
void judge(Result& result, const std::vector<AtD>& all, int64_t n_keys) {
  if (all.size() < 2 || all.front().d < 8 || n_keys == 1) {
    return result.cannot_be_judged("factors_nothing_compared");
  }
  const double even = simd::log(static_cast<double>(n_keys));
  const Chance chance(std::ssize(all));
  double noise = 0;  // of a ratio of two such numbers, relative
  for (const AtD& at : all) {
    const Moments& moments = at.powers[kRoot].entropy;
    noise =
        std::max(noise, 1.5 * chance.reach(moments.se(), moments.count(), even) / (even - moments.mean()));
  }
  const std::vector<double> spread = spread_over_powers(all, n_keys).series.front().y;
  const double least = *std::min_element(spread.begin(), spread.end());
  bool agree = spread[kRoot] < least + noise && spread[kRoot] < 1.25 + noise;
  for (const AtD& at : all) {
    const double half = at.temperatures[4].effective_keys.mean();  // 1/(2 sqrt(d))
    const double flat = at.powers.back().effective_keys.mean(), root = at.powers[kRoot].effective_keys.mean();
    agree = agree && root < half && half < flat;
  }
  result.judge(agree, "only_the_root_is_level", "factors_differ");
}

LearnedScaleTraining training_of(const Params& params) {
  return {.task = params.choice("task"),
          .d_k = params.integer("d_k"),
          .steps = params.integer("steps"),
          .learning_rate = params.real("learning_rate"),
          .seed = params.seed("seed")};
}

Result run(const Params& params, ProgressMeter& meter) {
  const std::vector<int64_t> dims = ascending_d(params);
  meter.begin(trials_work(params.integer("trials"), dims, [&](int64_t d) { return work_of(params, d); }) +
              learned_scale_work(training_of(params)));
  Result result;
  std::vector<AtD> all;
  for (const int64_t d : dims) all.push_back(measure(params, d, result, meter));
  result.figures = {over_factors("keys_over_power", all, true, false),
                    spread_over_powers(all, params.integer("n_keys")),
                    over_factors("keys_over_temperature", all, false, false),
                    over_factors("gradient_over_power", all, true, true)};
  judge(result, all, params.integer("n_keys"));
  train_learned_scales(result, training_of(params), meter);
  return result;
}

constexpr const char* kTasks[] = {"sort", "reverse", "copy"};
constexpr Param kParams[] = {d_param("8,32,128,512", 4096, 8),
                             int_param("n_keys", "8", 1, 256),
                             scale_param("1/sqrt(d),1/(2*sqrt(d)),1/d", 8),
                             choice_param("task", "sort", kTasks),
                             int_param("d_k", "32", 4, 128),
                             folded(int_param("steps", "80", 0, 5000)),
                             folded(real_param("learning_rate", "0.012", 1e-5, 0.1)),
                             trials_param("300"),
                             kSeedParam};

}  // namespace

const Experiment scale_factors = {
    .id = kId,
    .question = "Why the square root of d, and not d, or twice the square root?",
    .source = "article 3, section 5; article 1 on temperature",
    .group = Group::kWhy,
    .chapter = 5,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"only_the_root_is_level", "factors_differ", "factors_nothing_compared"},
              .scalars = {"softmax_max", "effective_keys_exp_entropy", "entropy_share", "grad_norm_wrt_q",
                          "token_accuracy", "learned_scale"},
              .labels = {"d", "scale", "learned"},
              .figures = {"keys_over_power", "spread_over_power", "keys_over_temperature",
                          "gradient_over_power", "learned_scale", "accuracy_with_learned_scale"},
              .axes = {"power", "effective_keys_exp_entropy", "ratio_over_d", "temperature", "gradient_norm",
                       "step", "scale_times_root", "right_tokens"},
              .series = {"ratio", "none", "1/sqrt(d)", "1/d"},
              .values = {"yes", "no"}},
};

}  // namespace sqrtdk::experiments
