// d_model split in h heads: scores of a head divided by sqrt(d_model / h), as its width asks, and by
// sqrt(d_model), as if the heads had not been split.
#include <algorithm>
#include <cmath>

#include "experiments/registry.h"
#include "kernels/attention/heads.h"
#include "kernels/product/matmul.h"
#include "lab/chance.h"
#include "lab/common_params.h"
#include "lab/sampling.h"
#include "lab/score_moments.h"
#include "lab/work.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "per_head_scale";
constexpr const char* kScales[] = {"1/sqrt(d_k)", "1/sqrt(d_model)"};  // d_k = d_model / h

/// Numbers of heads, ascending and each once. Each divides d_model.
std::vector<int64_t> heads_of(const Params& params) {
  const std::vector<int64_t>& given = params.integers("n_heads");
  const int64_t d_model = params.integer("d_model");
  for (const int64_t h : given) check_heads(kId, d_model, h);
  return ascending(given);
}

double scale_of(size_t which, int64_t d_model, int64_t h) {
  const int64_t d = which == 0 ? d_model / h : d_model;
  return 1 / std::sqrt(static_cast<double>(d));
}

/// What is measured with h heads.
struct Split {
  int64_t h;
  ScoreMoments moments;                           // of raw scores: standard deviation sqrt(d_k)
  std::vector<double> max[2], effective_keys[2];  // means over the heads of a trial, per scale
};

/// The scores of every head, [h, 1, n_keys], from the rows of q [1, d_model] and k [n_keys, d_model].
void head_scores(ConstView q, ConstView k, int64_t h, View k_heads, View scores) {
  const int64_t d_k = q.shape[1] / h, n_keys = k.shape[0];
  split_heads(k, {k_heads.data, {h, n_keys, d_k}});
  matmul({q.data, {h, 1, d_k}}, Transpose::kNo, {k_heads.data, {h, n_keys, d_k}}, Transpose::kYes, scores);
}

void add_trial(Split& split, const float* scores, int64_t n_keys, int64_t d_model) {
  split.moments.add_trial(scores, split.h * n_keys);
  for (size_t which = 0; which < 2; ++which) {
    double max = 0, effective_keys = 0;
    for (int64_t head = 0; head < split.h; ++head) {
      const SoftmaxShape shape =
          softmax_shape(scores + head * n_keys, n_keys, scale_of(which, d_model, split.h));
      max += shape.max;
      effective_keys += shape.effective_keys;
    }
    split.max[which].push_back(max / static_cast<double>(split.h));
    split.effective_keys[which].push_back(effective_keys / static_cast<double>(split.h));
  }
}

/// The standard deviation of scores: of the variance's error, half relative to the root.
Scalar deviation(const Split& split, size_t which, int64_t d_model) {
  const Estimate variance = split.moments.variance();
  const double sd = std::sqrt(variance.value), scale = scale_of(which, d_model, split.h);
  return {.name = "score_sd",
          .at = {{"n_heads", split.h}, {"scale", kScales[which]}},
          .value = scale * sd,
          .se = scale * variance.se / (2 * sd),
          .expected = which == 0 ? 1 : 1 / std::sqrt(static_cast<double>(split.h))};
}

Figure over_heads(const char* name, const char* quantity, const std::vector<Split>& splits,
                  const std::vector<Scalar>& scalars) {
  Figure figure{.name = name, .at = {}, .x = "n_heads", .y = quantity, .log_x = true};
  for (size_t which = 0; which < 2; ++which) {
    figure.series.push_back({.name = kScales[which], .role = which == 0 ? Role::kScaled : Role::kOther});
  }
  for (const Scalar& scalar : scalars) {
    if (scalar.name != quantity) continue;
    Series& series = figure.series[scalar.at[1].value == kScales[0] ? 0 : 1];
    series.add(splits[series.x.size()].h, scalar);
  }
  return figure;
}

Result run(const Params& params, ProgressMeter& meter) {
  const int64_t d_model = params.integer("d_model"), n_keys = params.integer("n_keys"),
                trials = params.integer("trials");
  std::vector<Split> splits;
  int64_t n_weights = 0;  // of a trial
  for (const int64_t h : heads_of(params)) {
    n_weights += std::ssize(kScales) * h * n_keys;
    const int64_t d_k = d_model / h;
    const ScoreMoments moments(0, std::sqrt(static_cast<double>(d_k)));
    splits.push_back({.h = h, .moments = moments, .max = {}, .effective_keys = {}});
  }
  const double work_of_trial = trial_work((n_keys + 1) * d_model, n_weights);
  meter.begin(static_cast<double>(trials) * work_of_trial);
  const auto floats = [](int64_t n) { return std::vector<float>(static_cast<size_t>(n)); };
  std::vector<float> rows = floats((n_keys + 1) * d_model), k_heads = floats(n_keys * d_model),
                     scores = floats(splits.back().h * n_keys);
  for (int64_t trial = 0; trial < trials; ++trial) {
    sample_standard({}, params.seed("seed"), static_cast<uint64_t>(trial), 0, rows.data(),
                    (n_keys + 1) * d_model);
    const ConstView q(rows.data(), {1, d_model}), k(rows.data() + d_model, {n_keys, d_model});
    for (Split& split : splits) {
      head_scores(q, k, split.h, {k_heads.data(), k.shape}, {scores.data(), {split.h, 1, n_keys}});
      add_trial(split, scores.data(), n_keys, d_model);
    }
    meter.add(work_of_trial);
  }

  Result result;
  const Chance chance(std::ssize(splits));
  bool agree = true, known = true;
  for (Split& split : splits) {
    const int64_t d_k = d_model / split.h;
    const Uncertainty spread = score_theory({}, d_k).uncertainty_of_variance(trials * split.h, n_keys);
    const double variance = static_cast<double>(d_k);
    known = known && spread.known();
    agree = agree && chance.explains(split.moments.mean_square() - variance, spread, 1e-6 * variance);
    for (size_t which = 0; which < 2; ++which) {
      const Scalar sd = deviation(split, which, d_model);
      result.add(sd);
      result.add("softmax_max", sd.at, std::move(split.max[which]));
      result.add("effective_keys_exp_entropy", sd.at, std::move(split.effective_keys[which]));
    }
  }
  Figure sd = over_heads("sd_over_heads", "score_sd", splits, result.scalars);
  sd.log_y = true;
  Series root{.name = "1/sqrt(h)", .role = Role::kReference};
  for (const Split& split : splits) {
    root.add(split.h, 1 / std::sqrt(static_cast<double>(split.h)));
  }
  sd.series.push_back(std::move(root));
  Figure keys = over_heads("effective_keys_over_heads", "effective_keys_exp_entropy", splits, result.scalars);
  keys.y_max = static_cast<double>(n_keys);
  Figure max = over_heads("max_over_heads", "softmax_max", splits, result.scalars);
  max.y_max = 1;
  result.figures = {std::move(sd), std::move(keys), std::move(max)};
  if (splits.back().h == 1) {
    result.cannot_be_judged("one_head_nothing_compared");
  } else if (!known) {
    result.cannot_be_judged("tails_too_heavy");
  } else {
    result.judge(agree, "head_deviation_as_expected", "head_deviation_differs");
  }
  return result;
}

constexpr Param kParams[] = {int_param("d_model", "512", 1, 4096),
                             int_list_param("n_heads", "1,2,4,8,16,32", 1, 4096, 16),
                             int_param("n_keys", "8", 2, 256), trials_param("1000"), kSeedParam};

}  // namespace

const Experiment per_head_scale = {
    .id = kId,
    .question = "A head’s dimension is smaller than the model’s. Which of the two divides?",
    .source = "article 1, common questions; article 5, section 2.4",
    .group = Group::kWhere,
    .chapter = 11,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"head_deviation_as_expected", "head_deviation_differs",
                           "one_head_nothing_compared", "tails_too_heavy"},
              .scalars = {"score_sd", "softmax_max", "effective_keys_exp_entropy"},
              .labels = {"n_heads", "scale"},
              .figures = {"sd_over_heads", "effective_keys_over_heads", "max_over_heads"},
              .axes = {"n_heads", "score_sd", "effective_keys_exp_entropy", "softmax_max"},
              .series = {"1/sqrt(d_k)", "1/sqrt(d_model)", "1/sqrt(h)"}},
};

}  // namespace sqrtdk::experiments
