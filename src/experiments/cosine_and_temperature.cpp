// Cosines instead of dot products: scores are bounded by the temperature tau whatever d is, and so are the
// weights. But cosines of random vectors shrink as 1/sqrt(d), so that with a fixed tau attention flattens;
// tau = sqrt(d) gives the scaled dot product back.
#include <algorithm>
#include <cmath>

#include "base/decimal.h"
#include "experiments/registry.h"
#include "kernels/attention/cosine_attention.h"
#include "kernels/product/matmul.h"
#include "lab/chance.h"
#include "lab/common_params.h"
#include "lab/sampling.h"
#include "lab/statistics.h"
#include "lab/work.h"
#include "simd/math.h"
#include "tensor/random.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "cosine_and_temperature";

/// What the scores are: tau times the cosine, or the dot product times a scale.
struct Form {
  std::string name;
  bool cosine;
  double factor;  // tau, or the scale; of cosine 0: sqrt(d)
  Role role = Role::kOther;
  double at(int64_t d) const { return factor == 0 ? std::sqrt(static_cast<double>(d)) : factor; }
};

std::vector<Form> forms_of(const Params& params, int64_t d) {
  std::vector<Form> forms;
  for (const int64_t tau : params.integers("tau")) {
    forms.push_back({"τ=" + to_text(tau), true, static_cast<double>(tau)});
  }
  forms.push_back({"τ=√d", true, 0});
  const double root = std::sqrt(static_cast<double>(d));
  forms.push_back({"1/sqrt(d)", false, 1 / root, Role::kScaled});
  forms.push_back({"none", false, 1, Role::kUnscaled});
  return forms;
}

/// Over trials, of one form at one d.
struct Sample {
  std::vector<double> max, effective_keys;
  double largest_score = 0;
  int64_t beyond = 0;  // weights above what tau allows
};

struct AtD {
  int64_t d;
  std::vector<Scalar> max, effective_keys;  // of each form
  std::vector<double> largest_score;
  Scalar cosine_sd;
  int64_t beyond = 0;
};

/// e^(2 tau) / (e^(2 tau) + n - 1): one cosine is 1 and all the others are -1.
double most_with(double tau, int64_t n_keys) {
  return 1 / (1 + static_cast<double>(n_keys - 1) * simd::exp(-2 * tau));
}

/// The cosines and the dot products of a trial's query with its keys.
class Row {
 public:
  Row(int64_t d, int64_t n_keys)
      : d_(d),
        n_(n_keys),
        rows_(static_cast<size_t>((n_keys + 1) * d)),
        numbers_(static_cast<size_t>(4 * n_keys + 1)),
        scratch_(cosine_attention_scratch(q(), k())) {}
  void draw(uint64_t seed, int64_t trial) {
    const uint64_t stream = static_cast<uint64_t>(d_) << 32 | static_cast<uint64_t>(trial);
    philox_normal(seed, stream, 0, rows_.data(), (n_ + 1) * d_);
    scratch_.reset();
    const Shape pairs{1, n_};
    float *const weights = numbers_.data() + 2 * n_, *const v = weights + n_;
    cosine_attention_forward(q(), k(), {v, {n_, 1}}, 1, {}, {numbers_.data(), pairs}, {weights, pairs},
                             {v + n_, {1, 1}}, scratch_);
    matmul(q(), Transpose::kNo, k(), Transpose::kYes, {numbers_.data() + n_, pairs});
  }
  const float* cosines() const { return numbers_.data(); }
  const float* products() const { return numbers_.data() + n_; }

 private:
  ConstView q() const { return {rows_.data(), {1, d_}}; }
  ConstView k() const { return {rows_.data() + d_, {n_, d_}}; }
  int64_t d_, n_;
  std::vector<float> rows_, numbers_;  // numbers: cosines, products, weights, values and output
  Arena scratch_;
};

void add(Sample& sample, const Form& form, const float* scores, int64_t n_keys, double factor) {
  const SoftmaxShape shape = softmax_shape(scores, n_keys, factor);
  sample.max.push_back(shape.max);
  sample.effective_keys.push_back(shape.effective_keys);
  for (int64_t j = 0; j < n_keys; ++j) {
    sample.largest_score = std::max(sample.largest_score, std::fabs(factor * static_cast<double>(scores[j])));
  }
  if (form.cosine) sample.beyond += shape.max > most_with(factor, n_keys) * (1 + 1e-6);
}

/// A trial: q and k, and a softmax for each form.
double work_of(int64_t d, int64_t n_keys, size_t n_forms) {
  return trial_work((n_keys + 1) * d, n_keys * static_cast<int64_t>(n_forms));
}

AtD measure(const Params& params, int64_t d, Result& result, ProgressMeter& meter) {
  const int64_t n_keys = params.integer("n_keys");
  const std::vector<Form> forms = forms_of(params, d);
  std::vector<Sample> samples(forms.size());
  std::vector<double> squares;
  Row row(d, n_keys);
  for (int64_t trial = 0; trial < params.integer("trials"); ++trial) {
    row.draw(params.seed("seed"), trial);
    for (size_t i = 0; i < forms.size(); ++i) {
      add(samples[i], forms[i], forms[i].cosine ? row.cosines() : row.products(), n_keys, forms[i].at(d));
    }
    double sum = 0;
    for (int64_t j = 0; j < n_keys; ++j) {
      const double cosine = static_cast<double>(row.cosines()[j]);
      sum += cosine * cosine;
    }
    squares.push_back(sum / static_cast<double>(n_keys));
    meter.add(work_of(d, n_keys, forms.size()));
  }
  AtD at{.d = d, .max = {}, .effective_keys = {}, .largest_score = {}, .cosine_sd = {}};
  const std::string d_text = to_text(d);
  for (size_t i = 0; i < forms.size(); ++i) {
    const Labels labels = {{"d", d_text}, {"form", forms[i].name}};
    at.max.push_back(summary("softmax_max", labels, std::move(samples[i].max)));
    at.effective_keys.push_back(
        summary("effective_keys_exp_entropy", labels, std::move(samples[i].effective_keys)));
    at.largest_score.push_back(samples[i].largest_score);
    at.beyond += samples[i].beyond;
    result.add(at.max.back());
    result.add(at.effective_keys.back());
    result.add("largest_score", labels, at.largest_score.back(), forms[i].cosine ? forms[i].at(d) : kNone);
  }
  // The cosine of independent normal vectors has variance 1/d, exactly.
  const Scalar variance = summary("", {}, std::move(squares));
  const double sd = std::sqrt(variance.value);
  at.cosine_sd = {.name = "cosine_sd",
                  .at = {{"d", d_text}},
                  .value = sd,
                  .se = variance.se / (2 * sd),
                  .expected = 1 / std::sqrt(static_cast<double>(d))};
  result.add(at.cosine_sd);
  return at;
}

Figure over_d(const char* name, const char* y, const std::vector<AtD>& all, const std::vector<Form>& forms) {
  const bool keys = name == std::string("keys_of_forms"), scores = name == std::string("score_of_forms");
  Figure figure{.name = name, .at = {}, .x = "d", .y = y, .log_x = true, .log_y = scores};
  for (size_t i = 0; i < forms.size(); ++i) {
    Series series{.name = forms[i].name, .role = forms[i].role};
    for (const AtD& at : all) {
      const Scalar& scalar = keys ? at.effective_keys[i] : at.max[i];
      if (scores) {
        series.add(at.d, at.largest_score[i]);
      } else {
        series.add(at.d, scalar);
      }
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

Figure sd_over_d(const std::vector<AtD>& all) {
  Figure figure{.name = "cosine_sd", .at = {}, .x = "d", .y = "cosine_sd", .log_x = true, .log_y = true};
  Series measured{.name = "measured"}, root{.name = "1/sqrt(d)", .role = Role::kReference};
  for (const AtD& at : all) {
    measured.add(at.d, at.cosine_sd);
    root.add(at.d, at.cosine_sd.expected);
  }
  figure.series = {std::move(measured), std::move(root)};
  return figure;
}

/// The mean of n squared cosines: each is Beta(1/2, (d - 1)/2), which is no more skewed than the square of a
/// normal number.
Uncertainty uncertainty_of_squares(int64_t dimension, int64_t n) {
  const double d = static_cast<double>(dimension);
  return Uncertainty::of_mean(static_cast<double>(n), std::sqrt(2 * (d - 1) / (d + 2)) / d, std::sqrt(8.0),
                              12);
}

/// Bounds hold at every d, cosines have the deviation 1/sqrt(d), a fixed tau flattens from the first d of at
/// least 8 to the largest, and tau = sqrt(d) is the scaled dot product, but for 3/d of it: lengths vary, the
/// cosine's do not.
void judge(Result& result, const std::vector<AtD>& all, const std::vector<int64_t>& taus, int64_t n_keys,
           int64_t trials) {
  const size_t n_tau = taus.size();
  const Chance chance(std::ssize(all) * (1 + 2 * std::ssize(taus) + 2));
  const auto reach = [&](const Scalar& mean, double range) { return chance.reach(mean.se, trials, range); };
  bool agree = true;
  for (const AtD& at : all) {
    const Scalar &root = at.max[n_tau], &scaled = at.max[n_tau + 1];
    const double d = static_cast<double>(at.d), square = at.cosine_sd.value * at.cosine_sd.value;
    agree = agree && at.beyond == 0 &&
            chance.explains(square - 1 / d, uncertainty_of_squares(at.d, trials * n_keys), 1e-6 / d);
    const bool alike =
        std::fabs(root.value - scaled.value) < 3 / d * scaled.value + reach(root, 1) + reach(scaled, 1);
    agree = agree && (at.d < 8 || alike);
  }
  const auto first = std::find_if(all.begin(), all.end(), [](const AtD& at) { return at.d >= 8; });
  const bool compared = n_keys > 1 && first != all.end() && all.back().d >= 4 * first->d;
  bool told = true;  // from chance
  for (size_t i = 0; compared && i < n_tau; ++i) {
    const Scalar &last = all.back().max[i], &before = first->max[i];
    const double range = most_with(static_cast<double>(taus[i]), n_keys) - 1 / static_cast<double>(n_keys);
    const double flatter = before.value - last.value, chances = reach(last, range) + reach(before, range);
    agree = agree && flatter > -chances;
    told = told && flatter > chances;
  }
  if (agree && !compared) return result.cannot_be_judged("cosine_nothing_compared");
  if (agree && !told) return result.cannot_be_judged("within_chance");
  result.judge(agree, "cosine_bounded_and_flattens", "cosine_differs");
}

Result run(const Params& params, ProgressMeter& meter) {
  const int64_t n_keys = params.integer("n_keys");
  const std::vector<int64_t> dims = ascending_d(params);
  const std::vector<Form> forms = forms_of(params, 1);
  meter.begin(trials_work(params.integer("trials"), dims,
                          [&](int64_t d) { return work_of(d, n_keys, forms.size()); }));
  Result result;
  std::vector<AtD> all;
  for (const int64_t d : dims) all.push_back(measure(params, d, result, meter));
  int64_t beyond = 0;
  for (const AtD& at : all) beyond += at.beyond;
  result.add("weights_beyond_bound", {}, beyond, 0);
  for (const int64_t tau : params.integers("tau")) {
    result.add("weight_bound", {{"tau", tau}}, most_with(static_cast<double>(tau), n_keys));
  }
  result.figures = {over_d("max_of_forms", "softmax_max", all, forms),
                    over_d("keys_of_forms", "effective_keys_exp_entropy", all, forms), sd_over_d(all),
                    over_d("score_of_forms", "largest_score", all, forms)};
  result.figures.front().y_max = 1;
  judge(result, all, params.integers("tau"), n_keys, params.integer("trials"));
  return result;
}

constexpr Param kParams[] = {d_param("16,64,256", 4096), int_param("n_keys", "64", 1, 256),
                             int_list_param("tau", "1,10", 1, 100, 4), trials_param("500"), kSeedParam};

}  // namespace

const Experiment cosine_and_temperature = {
    .id = kId,
    .question = "Can normalized queries and keys do without the square root of d?",
    .source = "article 1: alternatives, cosine attention and temperature",
    .group = Group::kWhere,
    .chapter = 9,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"cosine_bounded_and_flattens", "cosine_nothing_compared", "cosine_differs",
                           "within_chance"},
              .scalars = {"softmax_max", "effective_keys_exp_entropy", "largest_score", "cosine_sd",
                          "weights_beyond_bound", "weight_bound"},
              .labels = {"d", "form", "tau"},
              .figures = {"max_of_forms", "keys_of_forms", "cosine_sd", "score_of_forms"},
              .axes = {"d", "softmax_max", "effective_keys_exp_entropy", "cosine_sd", "largest_score"},
              .series = {"1/sqrt(d)", "none", "measured"}},
};

}  // namespace sqrtdk::experiments
