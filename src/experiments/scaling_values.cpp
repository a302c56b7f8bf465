// What becomes of attention when something else is divided than the scores: the values, the output, the
// queries. The weights do not depend on what is done after the softmax.
#include <algorithm>
#include <cmath>

#include "experiments/registry.h"
#include "kernels/attention/attention.h"
#include "kernels/elementwise.h"
#include "lab/common_params.h"
#include "lab/sampling.h"
#include "lab/statistics.h"
#include "lab/token_rows.h"
#include "lab/weight_rows.h"
#include "lab/work.h"
#include "training/gradients.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "scaling_values";

enum Place { kNowhere, kScores, kQueries, kValues, kOutput };
constexpr const char* kPlaces[] = {"nowhere", "scores", "queries", "values", "output"};
constexpr size_t kNPlaces = std::size(kPlaces);
constexpr Role kRoles[] = {Role::kUnscaled, Role::kScaled, Role::kReference, Role::kOther, Role::kOther};

/// One query against n keys and their values, with the gradient of u · out.
class Attention {
 public:
  Attention(int64_t n, int64_t d)
      : q_({1, d}),
        k_({n, d}),
        v_({n, d}),
        u_({1, d}),
        weights_({1, n}),
        out_({1, d}),
        dq_({1, d}),
        scores_({1, n}),
        dscores_({1, n}),
        dk_({n, d}),
        dv_({n, d}) {}

  void draw(uint64_t seed, uint64_t stream) {
    uint64_t first = 0;
    for (Tensor* x : {&q_, &k_, &v_, &u_}) {
      sample_standard({}, seed, stream, first, x->values.data(), x->shape.size());
      first += static_cast<uint64_t>(x->shape.size());
    }
  }
  void run(Place place, float factor) {
    Tensor q = q_, v = v_, u = u_;
    if (place == kQueries) scale_elements(q.view(), factor);
    if (place == kValues) scale_elements(v.view(), factor);
    const AttentionOptions options{.scale = place == kScores ? factor : 1.0f};
    attention_forward(q.view(), k_.view(), v.view(), options, scores_.view(), weights_.view(), out_.view());
    if (place == kOutput) {
      scale_elements(out_.view(), factor);
      scale_elements(u.view(), factor);
    }
    attention_backward(q.view(), k_.view(), v.view(), options, {}, weights_.view(), u.view(), dscores_.view(),
                       dq_.view(), dk_.view(), dv_.view());
    if (place == kQueries) scale_elements(dq_.view(), factor);
  }
  const Tensor& weights() const { return weights_; }
  const Tensor& out() const { return out_; }
  const Tensor& dq() const { return dq_; }

 private:
  Tensor q_, k_, v_, u_, weights_, out_, dq_, scores_, dscores_, dk_, dv_;
};

/// Over trials, at one d and place.
struct Sample {
  std::vector<double> max, dq, length;
  int64_t changed = 0;    // weights with other bits than without any division
  double difference = 0;  // the farthest weight from those of divided scores
  int64_t saturated = 0;
  std::vector<float> first_weights;
};

/// A trial: q, k, v and u, and a softmax in each place.
double work_of(int64_t n, int64_t d) { return trial_work(2 * (n + 1) * d, n * int64_t{kNPlaces}); }

std::vector<Sample> sample(const Params& params, int64_t d, ProgressMeter& meter) {
  const int64_t n = params.integer("n_keys"), trials = params.integer("trials");
  const float factor = static_cast<float>(1 / std::sqrt(static_cast<double>(d)));
  const double work = work_of(n, d);
  std::vector<Sample> samples(kNPlaces);
  Attention attention(n, d);
  for (int64_t trial = 0; trial < trials; ++trial) {
    attention.draw(params.seed("seed"), static_cast<uint64_t>(d) << 32 | static_cast<uint64_t>(trial));
    std::optional<Tensor> undivided, divided;
    for (const Place place : {kNowhere, kScores, kQueries, kValues, kOutput}) {
      attention.run(place, factor);
      const Tensor& weights = attention.weights();
      if (place == kNowhere) undivided = weights;
      if (place == kScores) divided = weights;
      Sample& each = samples[place];
      const float max = *std::max_element(weights.values.begin(), weights.values.end());
      each.max.push_back(static_cast<double>(max));
      each.saturated += max > 0.99f;
      each.dq.push_back(norm_of(attention.dq().values));
      each.length.push_back(norm_of(attention.out().values) / std::sqrt(static_cast<double>(d)));
      each.changed += n_different(weights.view(), undivided->view());
      if (divided)
        each.difference = std::max(each.difference, largest_difference(weights.view(), divided->view()));
      if (trial == 0) each.first_weights = weights.values;
    }
    meter.add(work);
  }
  return samples;
}

Figure lines_figure(const char* name, const char* y, bool log_y) {
  Figure figure{.name = name, .at = {}, .x = "d", .y = y, .log_x = true, .log_y = log_y};
  for (size_t i = 0; i < kNPlaces; ++i) figure.series.push_back({.name = kPlaces[i], .role = kRoles[i]});
  return figure;
}

Result run(const Params& params, ProgressMeter& meter) {
  const int64_t n = params.integer("n_keys"), trials = params.integer("trials");
  Result result;
  Figure max_over_d = lines_figure("max_over_d", "softmax_max", false);
  Figure dq_over_d = lines_figure("query_gradient_over_d", "query_gradient", true);
  Figure out_over_d = lines_figure("output_over_d", "output_rms", true);
  max_over_d.y_max = 1;
  bool agree = true, compared = false;
  const std::vector<int64_t> dims = ascending_d(params);
  meter.begin(trials_work(trials, dims, [&](int64_t d) { return work_of(n, d); }));
  for (const int64_t d : dims) {
    std::vector<Sample> samples = sample(params, d, meter);
    Figure bars{.name = "weights", .at = {{"d", d}}, .kind = BarChart{}, .x = "key", .y = "weight"};
    bars.y_max = 1;
    for (size_t i = 0; i < kNPlaces; ++i) {
      Sample& each = samples[i];
      const Labels at = {{"d", d}, {"divided", kPlaces[i]}};
      max_over_d.series[i].add(d, result.add("softmax_max", at, each.max));
      result.add(share("frac_max_gt_0.99", at, each.saturated, trials));
      dq_over_d.series[i].add(d, result.add("query_gradient", at, each.dq).p50);
      out_over_d.series[i].add(d, result.add("output_rms", at, each.length));
      const bool after = i == kValues || i == kOutput;
      result.add("weights_changed", at, each.changed, after ? 0 : kNone);
      if (i == kQueries) result.add("weights_from_scores", at, each.difference, 0);
      agree = agree && (!after || each.changed == 0);
      if (i == kQueries) agree = agree && each.difference <= 1e-4;
      if (d > 1 && n > 1) {
        compared = true;
        agree = agree && (i != kScores || each.changed > 0);
      }
      Series series{.name = kPlaces[i], .role = kRoles[i]};
      for (int64_t key = 0; key < n; ++key) {
        series.add(key, each.first_weights[static_cast<size_t>(key)]);
      }
      bars.series.push_back(std::move(series));
    }
    if (n <= 64) result.add(std::move(bars));
  }
  result.figures.insert(result.figures.begin(), {max_over_d, dq_over_d, out_over_d});
  if (agree && !compared) {
    result.cannot_be_judged("scaling_nothing_compared");
  } else {
    result.judge(agree, "values_do_not_reach_the_weights", "values_reach_the_weights");
  }
  return result;
}

constexpr Param kParams[] = {d_param("32,128,512", 2048), int_param("n_keys", "8", 1, 256),
                             trials_param("400"), kSeedParam};

}  // namespace

const Experiment scaling_values = {
    .id = kId,
    .question = "Does it help to divide the values instead of the scores?",
    .source = "article 1, questions and caveats",
    .group = Group::kWhere,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"values_do_not_reach_the_weights", "values_reach_the_weights",
                           "scaling_nothing_compared"},
              .scalars = {"softmax_max", "frac_max_gt_0.99", "query_gradient", "output_rms",
                          "weights_changed", "weights_from_scores"},
              .labels = {"d", "divided"},
              .figures = {"max_over_d", "query_gradient_over_d", "output_over_d", "weights"},
              .axes = {"d", "softmax_max", "query_gradient", "output_rms", "key", "weight"},
              .series = {"nowhere", "scores", "queries", "values", "output"}},
};

}  // namespace sqrtdk::experiments
