// What becomes of attention when the factor 1/sqrt(d_k) is forgotten, of another dimension, in the wrong
// place or there twice; and of q multiplied by it before the product, which is no mistake.
#include <algorithm>
#include <cmath>

#include "experiments/bug_museum/misplaced_training.h"
#include "experiments/registry.h"
#include "lab/chance.h"
#include "lab/common_params.h"
#include "lab/sampling.h"
#include "lab/score_moments.h"
#include "lab/token_rows.h"
#include "lab/weight_rows.h"
#include "lab/work.h"
#include "training/gradients.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "bug_museum";
constexpr int64_t kMaxRows = 4000000;  // of all heads and trials, whose numbers are kept
constexpr const char* kBugs[] = {"absent", "d_model", "after_softmax", "on_v", "twice", "q_first"};

const Misplacement& find(const std::string& name) {
  return *std::find_if(misplacements().begin(), misplacements().end(),
                       [&](const Misplacement& each) { return each.name == name; });
}

/// One query and n keys for each head, with the gradient of u · out.
class Heads {
 public:
  Heads(int64_t h, int64_t n, int64_t d_k)
      : q_({h, 1, d_k}),
        k_({h, n, d_k}),
        v_({h, n, d_k}),
        u_({h, 1, d_k}),
        scores_({h, 1, n}),
        weights_({h, 1, n}),
        out_({h, 1, d_k}),
        dscores_({h, 1, n}),
        dq_({h, 1, d_k}),
        dk_({h, n, d_k}),
        dv_({h, n, d_k}) {}

  void draw(uint64_t seed, uint64_t trial) {
    uint64_t first = 0;
    for (Tensor* x : {&q_, &k_, &v_, &u_}) {
      sample_standard({}, seed, trial, first, x->values.data(), x->shape.size());
      first += static_cast<uint64_t>(x->shape.size());
    }
  }
  void run(const ScaleFactors& factors) {
    Tensor q = q_, v = v_, u = u_;
    misplaced_forward(q.view(), k_.view(), v.view(), factors, scores_.view(), weights_.view(), out_.view());
    misplaced_backward(q.view(), k_.view(), v.view(), factors, weights_.view(), u.view(), dscores_.view(),
                       dq_.view(), dk_.view(), dv_.view());
  }
  const Tensor& scores() const { return scores_; }
  const Tensor& weights() const { return weights_; }  // softmax's own
  const Tensor& out() const { return out_; }
  const Tensor& dq() const { return dq_; }

 private:
  Tensor q_, k_, v_, u_, scores_, weights_, out_, dscores_, dq_, dk_, dv_;
};

/// What one way to write attention gives, over the trials and heads.
struct Sample {
  const Misplacement* code;
  ScaleFactors factors;
  ScoreMoments moments;
  std::vector<double> max{}, entropy{}, sum{}, out{}, dq{};
  int64_t saturated = 0;
  int64_t unlike_right = 0, unlike_absent = 0;  // weights with other bits
  double distance = 0;                          // the farthest weight from the right ones
  std::vector<double> first_weights{};          // as they are used, of the first head

  Sample(const Misplacement& misplacement, int64_t d_model, int64_t h)
      : code(&misplacement),
        factors(factors_of(misplacement, d_model, h)),
        moments(0, sd_expected(d_model / h)) {}
  double sd_expected(int64_t d_k) const {
    return static_cast<double>(factors.q * factors.scores) * std::sqrt(static_cast<double>(d_k));
  }
  void add(const Heads& heads, const Tensor& right, const Tensor& absent);
};

void Sample::add(const Heads& heads, const Tensor& right, const Tensor& absent) {
  const Tensor& weights = heads.weights();
  const int64_t h = weights.shape[0], n = weights.shape[2], d_k = heads.out().shape[2];
  moments.add_trial(heads.scores().values.data(), h * n);
  for (int64_t head = 0; head < h; ++head) {
    const float* const row = weights.values.data() + head * n;
    const float largest = *std::max_element(row, row + n);
    double used = 0;
    for (int64_t key = 0; key < n; ++key) used += static_cast<double>(row[key] * factors.weights);
    max.push_back(static_cast<double>(largest));
    saturated += largest > 0.99f;
    entropy.push_back(entropy_of(row, n));
    sum.push_back(used);
  }
  const double components = static_cast<double>(h * d_k);
  out.push_back(norm_of(heads.out().values) / std::sqrt(components));
  dq.push_back(norm_of(heads.dq().values) / std::sqrt(static_cast<double>(h)));
  unlike_right += n_different(weights.view(), right.view());
  unlike_absent += n_different(weights.view(), absent.view());
  distance = std::max(distance, largest_difference(weights.view(), right.view()));
  if (first_weights.empty()) {
    for (int64_t key = 0; key < n; ++key) {
      first_weights.push_back(
          static_cast<double>(weights.values[static_cast<size_t>(key)] * factors.weights));
    }
  }
}

Labels at(const Sample& sample) { return {{"code", sample.code->name}}; }
std::string name_of(const Sample& sample) { return sample.code->name; }
/// The softmax is given what it is given without any factor.
bool too_late(const Sample& sample) {
  return name_of(sample) == "after_softmax" || name_of(sample) == "on_v";
}
Role role_of(const Sample& sample) {
  if (name_of(sample) == "right") return Role::kScaled;
  return name_of(sample) == "absent" || too_late(sample) ? Role::kUnscaled : Role::kOther;
}

/// The square root of the variance; its relative error is half the variance's.
Scalar score_sd(const Sample& sample, int64_t d_k) {
  const Estimate variance = sample.moments.variance();
  const double sd = std::sqrt(variance.value);
  return {.name = "score_sd",
          .at = at(sample),
          .value = sd,
          .se = variance.se / (2 * sd),
          .expected = sample.sd_expected(d_k)};
}

void add_scalars(Result& result, const Sample& sample, const Scalar& sd) {
  const auto n_rows = static_cast<int64_t>(sample.max.size());
  result.add(sd);
  result.add("softmax_max", at(sample), sample.max);
  result.add(share("frac_max_gt_0.99", at(sample), sample.saturated, n_rows));
  result.add("entropy_nats", at(sample), sample.entropy);
  result.add("row_sum", at(sample), sample.sum).expected = static_cast<double>(sample.factors.weights);
  result.add("output_rms", at(sample), sample.out);
  result.add("query_gradient", at(sample), sample.dq);
  result.add("weights_unlike_right", at(sample), sample.unlike_right);
  result.add("weights_unlike_absent", at(sample), sample.unlike_absent, too_late(sample) ? 0 : kNone);
}

Figure weights_figure(const Sample& right, const Sample& bug) {
  Figure figure{.name = "weights", .at = {}, .kind = BarChart{}, .x = "key", .y = "weight"};
  figure.y_max = 1;
  for (const Sample* sample : {&right, &bug}) {
    Series& series = figure.series.emplace_back(Series{.name = name_of(*sample), .role = role_of(*sample)});
    for (const double weight : sample->first_weights) series.add(series.x.size(), weight);
  }
  return figure;
}

/// What each bug does, and that its numbers say so: too sharp (absent, and behind the softmax, where the
/// weights are those without any factor), too flat (of d_model, twice), or nothing (q first).
void judge(Result& result, const Sample& right, const Sample& bug, int64_t trials, int64_t d_k, int64_t h,
           int64_t n) {
  const std::string name = name_of(bug);
  if (n == 1 || (name == "d_model" ? h : d_k) == 1) {
    return result.judge(bug.unlike_right == 0, "museum_nothing_to_see", "museum_differs");
  }
  // In both, of the same scores, each with its factors.
  const Uncertainty spread = score_theory({}, d_k).uncertainty_of_variance(trials * h, n);
  if (!spread.known()) return result.cannot_be_judged("tails_too_heavy");
  const Chance chance(1);
  bool agree = true;
  for (const Sample* sample : {&right, &bug}) {
    const double sd = sample->sd_expected(d_k), width = static_cast<double>(d_k);
    const double square = sample->moments.mean_square() / (sd * sd) * width;
    agree = agree && chance.explains(square - width, spread, 1e-5 * width);
  }
  const double right_max = summary("", {}, right.max).value, bug_max = summary("", {}, bug.max).value;
  if (name == "q_first") {
    result.judge(agree && bug.distance <= 1e-5, "museum_no_bug", "museum_differs");
  } else if (name == "d_model" || name == "twice") {
    result.judge(agree && bug_max < right_max, "museum_too_flat", "museum_differs");
  } else {
    result.judge(agree && bug_max > right_max && bug.unlike_absent == 0,
                 too_late(bug) ? "museum_too_late" : "museum_too_sharp", "museum_differs");
  }
}

Figure over_steps(const char* name, const char* y, double MisplacedRecord::*value,
                  const Sample* const (&codes)[2], const std::vector<MisplacedRecord> (&runs)[2]) {
  Figure figure{.name = name, .at = {}, .x = "step", .y = y, .y_max = 1};
  for (size_t i = 0; i < 2; ++i) {
    Series series{.name = name_of(*codes[i]), .role = role_of(*codes[i])};
    for (const MisplacedRecord& record : runs[i]) {
      series.add(record.step, record.*value);
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

MisplacedTraining training_of(const Params& params) {
  return {.d_model = params.integer("d_model"),
          .n_heads = params.integer("n_heads"),
          .steps = params.integer("steps"),
          .seed = params.seed("seed")};
}

void train(Result& result, const MisplacedTraining& training, const Sample& right, const Sample& bug,
           ProgressMeter& meter) {
  if (training.steps == 0) return;
  const Sample* const codes[] = {&right, &bug};
  std::vector<MisplacedRecord> runs[2];
  for (size_t i = 0; i < 2; ++i) {
    runs[i] = train_misplaced(training, codes[i]->factors, meter);
    const MisplacedRecord& last = runs[i].back();
    for (const auto& [name, value] :
         {std::pair{"token_accuracy", last.token_accuracy}, std::pair{"loss", last.loss},
          std::pair{"saturated_rows", last.saturated}}) {
      result.add(name, at(*codes[i]), value);
    }
  }
  result.add(
      over_steps("accuracy_over_steps", "right_tokens", &MisplacedRecord::token_accuracy, codes, runs));
  result.add(over_steps("training_saturated", "frac_max_gt_0.99", &MisplacedRecord::saturated, codes, runs));
}

Result run(const Params& params, ProgressMeter& meter) {
  const int64_t d_model = params.integer("d_model"), h = params.integer("n_heads"),
                n = params.integer("n_keys"), trials = params.integer("trials");
  check_heads(kId, d_model, h);
  check_within(kId, "trials", trials, 100, kMaxRows / h);
  // q, k, v and the gradient; of three codes the weights and what is measured of them.
  const double work_of_trial = trial_work(2 * (n + 1) * d_model, 3 * h * n);
  meter.begin(static_cast<double>(trials) * work_of_trial + 2 * misplaced_training_work(training_of(params)));
  Sample right(find("right"), d_model, h), bug(find(params.choice("bug")), d_model, h);
  const ScaleFactors absent = factors_of(find("absent"), d_model, h);
  Heads heads(h, n, d_model / h);
  for (int64_t trial = 0; trial < trials; ++trial) {
    heads.draw(params.seed("seed"), static_cast<uint64_t>(trial));
    heads.run(absent);
    const Tensor absent_weights = heads.weights();
    heads.run(right.factors);
    const Tensor right_weights = heads.weights();
    right.add(heads, right_weights, absent_weights);
    heads.run(bug.factors);
    bug.add(heads, right_weights, absent_weights);
    meter.add(work_of_trial);
  }
  Result result;
  for (const Sample* sample : {&right, &bug}) {
    result.lines.push_back("# " + name_of(*sample));
    result.lines.push_back(sample->code->code);
  }
  const Scalar sds[] = {score_sd(right, d_model / h), score_sd(bug, d_model / h)};
  add_scalars(result, right, sds[0]);
  add_scalars(result, bug, sds[1]);
  if (n <= 64) result.add(weights_figure(right, bug));
  judge(result, right, bug, trials, d_model / h, h, n);
  train(result, training_of(params), right, bug, meter);
  return result;
}

constexpr Param kParams[] = {choice_param("bug", "absent", kBugs),
                             int_param("d_model", "64", 1, 256),
                             int_param("n_heads", "2", 1, 256),
                             int_param("n_keys", "8", 1, 256),
                             trials_param("1000"),
                             folded(int_param("steps", "60", 0, 2000)),
                             kSeedParam};

}  // namespace

const Experiment bug_museum = {
    .id = kId,
    .question = "Which mistakes with the scale are made in code, and how does one notice?",
    .source = "articles 1 and 3: questions and caveats",
    .group = Group::kWhere,
    .chapter = 12,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"museum_too_sharp", "museum_too_flat", "museum_too_late", "museum_no_bug",
                           "museum_nothing_to_see", "museum_differs", "tails_too_heavy"},
              .scalars = {"score_sd", "softmax_max", "frac_max_gt_0.99", "entropy_nats", "row_sum",
                          "output_rms", "query_gradient", "weights_unlike_right", "weights_unlike_absent",
                          "token_accuracy", "loss", "saturated_rows"},
              .labels = {"code"},
              .figures = {"weights", "accuracy_over_steps", "training_saturated"},
              .axes = {"key", "weight", "step", "right_tokens", "frac_max_gt_0.99"},
              .series = {"right", "absent", "twice", "d_model", "after_softmax", "on_v", "q_first"}},
};

}  // namespace sqrtdk::experiments
