// Larger scores make softmax nearly one-hot. How large is the largest weight, how many keys does a query
// see, and how often is one weight above 0.99, over d and for each scale?
#include <cmath>

#include "experiments/registry.h"
#include "lab/chance.h"
#include "lab/common_params.h"
#include "lab/sampling.h"
#include "lab/statistics.h"
#include "simd/math.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "softmax_saturation";

struct Threshold {
  const char* name;
  double value;
};
constexpr Threshold kThresholds[] = {
    {"frac_max_gt_0.9", 0.9}, {"frac_max_gt_0.99", 0.99}, {"frac_max_gt_0.999", 0.999}};

/// Softmax over trials, at one d and scale.
struct Sample {
  std::vector<double> max, min, entropy;
  void add(const SoftmaxShape& shape) {
    max.push_back(shape.max);
    min.push_back(shape.min);
    entropy.push_back(shape.entropy);
  }
};

struct Row {  // of the results
  double d;
  size_t scale;
  std::vector<Scalar> scalars;
  const Scalar& find(const std::string& name) const {
    for (const Scalar& scalar : scalars) {
      if (scalar.name == name) return scalar;
    }
    return scalars.front();
  }
};

std::vector<Scalar> summarised(Sample&& sample, const Labels& at) {
  std::vector<Scalar> shares;
  for (const Threshold& threshold : kThresholds) {
    int64_t count = 0;
    for (const double max : sample.max) count += max > threshold.value;
    shares.push_back(share(threshold.name, at, count, static_cast<int64_t>(sample.max.size())));
  }
  std::vector<double> effective_keys = sample.entropy;
  for (double& x : effective_keys) x = simd::exp(x);
  std::vector<Scalar> scalars = {summary("softmax_max", at, std::move(sample.max)),
                                 summary("softmax_min", at, std::move(sample.min)),
                                 summary("entropy_nats", at, std::move(sample.entropy)),
                                 summary("effective_keys_exp_entropy", at, std::move(effective_keys))};
  scalars.insert(scalars.end(), shares.begin(), shares.end());
  return scalars;
}

Figure over_d(const char* name, const char* scalar_name, double y_max, const std::vector<Row>& rows,
              const std::vector<Scale>& scales) {
  Figure figure{.name = name, .at = {}, .x = "d", .y = scalar_name, .log_x = true, .y_max = y_max};
  for (size_t i = 0; i < scales.size(); ++i) {
    Series series{.name = scales[i].name, .role = role_of(scales[i])};
    for (const Row& row : rows) {
      if (row.scale != i) continue;
      const Scalar& scalar = row.find(scalar_name);
      series.add(row.d, scalar);
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

/// Article 4's scores, of d = 64: without the scale, and divided by 8.
void add_example(Result& result) {
  constexpr float kScores[] = {50, 1, 1, 1};
  for (const char* name : {"none", "1/sqrt(d)"}) {
    const Scale scale = parse_scale(kId, name);
    const SoftmaxShape shape = softmax_shape(kScores, 4, static_cast<double>(scale.at(64)));
    const Labels at = {{"example", "50,1,1,1"}, {"d", "64"}, {"scale", name}};
    result.add("example_max", at, shape.max);
    result.add("example_min", at, shape.min);
  }
}

/// The mean largest weight per d, with its standard error, of the named scale; empty where it was not run.
std::vector<const Scalar*> largest(const std::vector<Row>& rows, const std::vector<Scale>& scales,
                                   const char* name) {
  std::vector<const Scalar*> found;
  for (const Row& row : rows) {
    if (scales[row.scale].name == name) found.push_back(&row.find("softmax_max"));
  }
  return found;
}

/// Unscaled, the largest weight grows with d; with 1/sqrt(d) it hardly depends on d (from d = 8 on: below,
/// scores are far from normal), and on the same draws it is smaller wherever d > 1.
void judge(Result& result, const std::vector<Row>& rows, const std::vector<Scale>& scales, int64_t n_keys,
           int64_t trials) {
  const std::vector<const Scalar*> unscaled = largest(rows, scales, "none");
  const std::vector<const Scalar*> scaled = largest(rows, scales, "1/sqrt(d)");
  std::vector<double> dims;
  for (const Row& row : rows) {
    if (row.scale == rows.front().scale) dims.push_back(row.d);
  }
  const bool both = unscaled.size() == dims.size() && scaled.size() == dims.size();
  if (!both || n_keys == 1) return result.cannot_be_judged("nothing_compared");
  if (dims.size() < 2 || dims[dims.size() - 2] < 8) return result.cannot_be_judged("too_few_d");
  const Chance chance(2 * std::ssize(dims));
  const auto reach = [&](const Scalar& mean) { return chance.reach(mean.se, trials, 1); };
  bool agree = true;
  for (size_t i = 0; i < dims.size(); ++i) {
    agree = agree && (scaled[i]->value < unscaled[i]->value || dims[i] == 1);
    if (i == 0) continue;
    const double growth = unscaled[i]->value - unscaled[i - 1]->value;
    const double drift = scaled[i]->value - scaled[i - 1]->value;
    agree = agree && growth >= -reach(*unscaled[i]) - reach(*unscaled[i - 1]);
    if (dims[i - 1] < 8) continue;
    agree = agree && std::fabs(drift) < 0.05 + reach(*scaled[i]) + reach(*scaled[i - 1]);
  }
  result.judge(agree, "unscaled_saturates", "saturation_not_seen");
}

Result run(const Params& params, ProgressMeter& meter) {
  const Population population{.distribution = distribution_of(params), .nu = params.integer("nu")};
  const int64_t n_keys = params.integer("n_keys"), trials = params.integer("trials");
  const std::vector<Scale>& scales = params.scales("scale");
  meter.begin(sampling_work(population, ascending_d(params), n_keys, trials));
  Result result;
  std::vector<Row> rows;
  for (const int64_t d : ascending_d(params)) {
    std::vector<Sample> samples(scales.size());
    sample_scores(population, params.seed("seed"), d, n_keys, trials, meter, [&](const float* scores) {
      for (size_t i = 0; i < scales.size(); ++i) {
        samples[i].add(softmax_shape(scores, n_keys, static_cast<double>(scales[i].at(d))));
      }
    });
    for (size_t i = 0; i < scales.size(); ++i) {
      const Labels at = {{"d", d}, {"scale", scales[i]}};
      rows.push_back({static_cast<double>(d), i, summarised(std::move(samples[i]), at)});
      result.scalars.insert(result.scalars.end(), rows.back().scalars.begin(), rows.back().scalars.end());
    }
  }
  add_example(result);
  result.figures = {over_d("max_over_d", "softmax_max", 1, rows, scales),
                    over_d("entropy_over_d", "entropy_nats", kNone, rows, scales),
                    over_d("effective_keys_over_d", "effective_keys_exp_entropy", static_cast<double>(n_keys),
                           rows, scales),
                    over_d("share_saturated_over_d", "frac_max_gt_0.99", 1, rows, scales)};
  judge(result, rows, scales, n_keys, trials);
  return result;
}

constexpr Param kParams[] = {
    d_param("8,32,128,512"), kNKeysParam, scale_param("none,1/sqrt(d)"), kDistributionParam, kNuParam,
    trials_param("2000"),    kSeedParam};

}  // namespace

const Experiment softmax_saturation = {
    .id = kId,
    .question = "How soon does a single key take all the weight?",
    .source = "articles 1 to 5: softmax saturates; article 4: the scores 50, 1, 1, 1",
    .group = Group::kWhy,
    .chapter = 4,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"unscaled_saturates", "saturation_not_seen", "nothing_compared", "too_few_d"},
              .scalars = {"softmax_max", "softmax_min", "entropy_nats", "effective_keys_exp_entropy",
                          "frac_max_gt_0.9", "frac_max_gt_0.99", "frac_max_gt_0.999", "example_max",
                          "example_min"},
              .labels = {"d", "scale", "example"},
              .figures = {"max_over_d", "entropy_over_d", "effective_keys_over_d", "share_saturated_over_d"},
              .axes = {"d", "softmax_max", "entropy_nats", "effective_keys_exp_entropy", "frac_max_gt_0.99"},
              .series = {"none", "1/sqrt(d)", "1/(2*sqrt(d))", "1/d"}},
};

}  // namespace sqrtdk::experiments
