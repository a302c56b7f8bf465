// The other variable of the softmax: n keys. Scores of standard deviation beta are a random-energy model,
// whose critical beta is sqrt(2 ln n). So unscaled scores, beta = sqrt(d), lose their entropy from d = 2 ln n
// on; a row is nearly one-hot only far beyond. With 1/sqrt(d) beta is 1 at every d, and no n is critical.
#include <algorithm>
#include <cmath>

#include "base/decimal.h"
#include "experiments/number_of_keys/key_rows.h"
#include "experiments/registry.h"
#include "lab/chance.h"
#include "lab/common_params.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "number_of_keys";
constexpr Key kEffectiveKeys = kKeyMeasures[2];

/// The measure over d and n, and where d = 2 ln n runs through it, by columns and rows.
Figure plane(const KeyPlan& plan, const std::vector<AtKeys>& all, size_t scale, Key measure) {
  HeatMap map{.z = measure};
  map.grid.n_rows = static_cast<int64_t>(all.size());
  map.grid.n_cols = static_cast<int64_t>(plan.d.size());
  for (const int64_t d : plan.d) map.grid.cols.push_back(to_text(d));
  Series critical{.name = "critical", .role = Role::kReference};
  for (auto at = all.rbegin(); at != all.rend(); ++at) {  // many keys above few, as on a plane
    map.grid.rows.push_back(to_text(at->n));
    for (const KeyCell& cell : at->cells[scale]) map.grid.values.push_back(cell.of(measure).value);
    const double d = 2 * log_of(at->n);
    const auto right = std::find_if(plan.d.begin(), plan.d.end(),
                                    [d](int64_t each) { return static_cast<double>(each) >= d; });
    if (right == plan.d.begin() || right == plan.d.end()) continue;
    const double from = log_of(right[-1]), part = (simd::log(d) - from) / (log_of(*right) - from);
    critical.add(static_cast<double>(right - plan.d.begin()) - 1 + part, at - all.rbegin());
  }
  Figure figure{.name = "plane_of_keys",
                .at = {{"scale", plan.scales[scale]}},
                .kind = std::move(map),
                .x = "d",
                .y = "n_keys"};
  if (measure != kEffectiveKeys) figure.y_max = 1;
  if (plan.scales[scale].kind == Scale::Kind::kNone && !critical.x.empty()) figure.series = {critical};
  return figure;
}

/// The measure over n, a series per d.
Figure over_keys(const KeyPlan& plan, const std::vector<AtKeys>& all, size_t scale, Key measure) {
  Figure figure{.name = "over_keys",
                .at = {{"scale", plan.scales[scale]}},
                .x = "n_keys",
                .y = measure,
                .log_x = true,
                .log_y = measure == kEffectiveKeys};
  if (measure != kEffectiveKeys) figure.y_max = 1;
  for (size_t i = 0; i < plan.d.size(); ++i) {
    Series series{.name = "d=" + to_text(plan.d[i])};
    for (const AtKeys& at : all) series.add(at.n, at.cells[scale][i].of(measure));
    figure.series.push_back(std::move(series));
  }
  return figure;
}

/// The measure over multiples of the critical beta, a series per n beside the law of infinitely many keys.
Figure over_ratio(const char* name, const std::vector<AtKeys>& all, const char* measure,
                  double (*law)(double)) {
  Figure figure{.name = name, .at = {}, .x = "beta_over_critical", .y = measure, .log_x = true, .y_max = 1};
  Series limit{.name = "law", .role = Role::kReference};
  for (const double ratio : kBetaRatios) limit.add(ratio, law(ratio));
  for (const AtKeys& at : all) {
    Series series{.name = "n=" + to_text(at.n)};
    for (size_t i = 0; i < at.ratios.size(); ++i) series.add(kBetaRatios[i], at.ratios[i].of(measure));
    figure.series.push_back(std::move(series));
  }
  figure.series.push_back(std::move(limit));
  return figure;
}

double entropy_law(double ratio) { return std::max(0.0, 1 - ratio * ratio); }
double saturation_law(double ratio) { return simd::exp(-simd::log(99.0) / ratio); }

/// At the critical beta the entropy has only begun to fall and hardly a row is saturated; below it the law
/// of infinitely many keys holds; and scaled, rows of any d are alike.
bool collapse_is_soft(const KeyPlan& plan, const std::vector<AtKeys>& all) {
  const int64_t n_cells = std::ssize(plan.n) * std::ssize(plan.d) * std::ssize(plan.scales);
  const double z = Chance(4 * std::ssize(plan.n) + n_cells).z();
  for (const AtKeys& at : all) {
    const Scalar &half = at.ratios[kHalf].of(kKeyMeasures[0]),
                 &critical = at.ratios[kCritical].of(kKeyMeasures[0]);
    const Scalar& saturated = at.ratios[kCritical].of(kKeyMeasures[3]);
    if (at.n <= 4096 && critical.value + z * critical.se < 0.3) return false;
    if (saturated.value - z * saturated.se > 0.02) return false;
    if (at.n >= 64 && std::fabs(half.value - entropy_law(0.5)) > 0.04 + z * half.se) return false;
    if (at.n >= 4096 && std::fabs(at.deficit.value - 0.5) > 0.01 + z * at.deficit.se) return false;
    for (size_t scale = 0; scale < plan.scales.size(); ++scale) {
      if (plan.scales[scale].kind != Scale::Kind::kInverseSqrt) continue;
      const Scalar& last = at.cells[scale].back().of(kKeyMeasures[0]);
      for (size_t i = 0; i < plan.d.size(); ++i) {
        const Scalar& here = at.cells[scale][i].of(kKeyMeasures[0]);
        if (plan.d[i] >= 8 && std::fabs(here.value - last.value) > 0.03 + z * (here.se + last.se))
          return false;
      }
    }
  }
  return true;
}

Result run(const Params& params, ProgressMeter& meter) {
  const KeyPlan plan{.d = ascending(params.integers("d")),
                     .n = ascending(params.integers("n_keys")),
                     .scales = params.scales("scale"),
                     .trials = params.integer("trials"),
                     .seed = params.seed("seed")};
  meter.begin(work_of(plan));
  Result result;
  const std::vector<AtKeys> all = measure_keys(plan, result, meter);
  const Key measure = key_measure(params.choice("measure"));
  for (size_t scale = 0; scale < plan.scales.size(); ++scale) result.add(plane(plan, all, scale, measure));
  for (size_t scale = 0; scale < plan.scales.size(); ++scale)
    result.add(over_keys(plan, all, scale, measure));
  result.add(over_ratio("entropy_over_beta", all, kKeyMeasures[0], entropy_law));
  result.add(over_ratio("saturated_over_beta", all, kKeyMeasures[3], saturation_law));
  result.judge(collapse_is_soft(plan, all), "collapse_is_soft", "collapse_differs");
  return result;
}

constexpr Param kParams[] = {d_param("1,4,16,64,256,1024"),
                             int_list_param("n_keys", "8,64,512,4096", 2, 65536, 16),
                             scale_param("none,1/sqrt(d)", 4),
                             choice_param("measure", "entropy_share", kKeyMeasures),
                             trials_param("600"),
                             kSeedParam};

}  // namespace

const Experiment number_of_keys = {
    .id = kId,
    .question = "Does the number of keys matter as the dimension does?",
    .source = "no article; Derrida (1981) on the random-energy model",
    .group = Group::kWhy,
    .chapter = 6,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"collapse_is_soft", "collapse_differs"},
              .scalars = {"critical_beta", "critical_d", "entropy_deficit", "keys_kept", "lead_for_half",
                          "entropy_share", "softmax_max", "effective_keys_exp_entropy", "frac_max_gt_0.99"},
              .labels = {"n_keys", "d", "scale", "beta_ratio"},
              .figures = {"plane_of_keys", "over_keys", "entropy_over_beta", "saturated_over_beta"},
              .axes = {"d", "n_keys", "beta_over_critical", "entropy_share", "softmax_max",
                       "effective_keys_exp_entropy", "frac_max_gt_0.99"},
              .series = {"critical", "law"}},
};

}  // namespace sqrtdk::experiments
