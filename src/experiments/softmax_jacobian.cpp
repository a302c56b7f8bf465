// The derivative of softmax, the matrix p_j (δ_jk - p_k): what does a saturated row pass on, and what an
// average one? It depends on the number of keys: with many, unscaled weights pass on more up to a large d.
#include <cmath>
#include <numeric>

#include "base/errors.h"
#include "experiments/registry.h"
#include "kernels/softmax.h"
#include "lab/chance.h"
#include "lab/common_params.h"
#include "lab/double_softmax.h"
#include "lab/sampling.h"
#include "lab/scale_lines.h"
#include "lab/statistics.h"
#include "lab/work.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "softmax_jacobian";
constexpr int64_t kMaxScores = 16;

struct Norms {
  double frobenius, trace;
};

/// 1 - p_j is the sum of the others where p_j is nearly 1, so that nothing is lost.
Norms norms_of(const std::vector<double>& p, size_t largest) {
  double others = 0;
  for (size_t j = 0; j < p.size(); ++j) others += j == largest ? 0 : p[j];
  double squares = 0, trace = 0, before = 0;  // before: the sum of the squares of p_0 .. p_(j-1)
  for (size_t j = 0; j < p.size(); ++j) {
    const double diagonal = p[j] * (j == largest ? others : 1 - p[j]), square = p[j] * p[j];
    trace += diagonal;
    squares += diagonal * diagonal + 2 * square * before;
    before += square;
  }
  return {std::sqrt(squares), trace};
}

struct Sample {
  std::vector<double> frobenius, trace;
};

struct Row {  // of the results
  double d;
  int64_t n_keys;
  size_t scale;
  Scalar frobenius, raw;
};

Row add_scalars(Result& result, Sample&& sample, int64_t d, int64_t n_keys, size_t index,
                const Scale& scale) {
  const Labels at = {{"d", d}, {"n_keys", n_keys}, {"scale", scale}};
  std::vector<double> raw = before_scale(sample.frobenius, scale, d);
  Row row{static_cast<double>(d), n_keys, index,
          summary("jacobian_frobenius", at, std::move(sample.frobenius)),
          summary("jacobian_frobenius_raw", at, std::move(raw))};
  result.add(row.frobenius);
  result.add("jacobian_trace", at, std::move(sample.trace));
  result.add(row.raw);
  return row;
}

/// A series per scale.
Figure over_d(const char* name, int64_t n_keys, const std::vector<Row>& rows,
              const std::vector<Scale>& scales) {
  const bool raw = name == std::string("jacobian_raw_over_d");
  Figure figure{.name = name,
                .at = {{"n_keys", n_keys}},
                .x = "d",
                .y = "jacobian_frobenius",
                .log_x = true,
                .log_y = raw};
  figure.series = scale_lines(scales);
  for (const Row& row : rows) {
    if (row.n_keys == n_keys) figure.series[row.scale].add(row.d, raw ? row.raw : row.frobenius);
  }
  return figure;
}

/// p_j (δ_jk - p_k) of one row of scores.
Figure jacobian_map(const std::vector<double>& p, size_t largest, const Labels& at) {
  const auto n = static_cast<int64_t>(p.size());
  Figure figure{.name = "jacobian",
                .at = at,
                .kind = HeatMap{.z = "derivative", .grid = {.n_rows = n, .n_cols = n}},
                .x = "score_of_key",
                .y = "weight_of_key",
                .y_max = 0.25};
  double others = 0;
  for (size_t j = 0; j < p.size(); ++j) others += j == largest ? 0 : p[j];
  for (size_t j = 0; j < p.size(); ++j) {
    for (size_t k = 0; k < p.size(); ++k) {
      figure.grid().values.push_back(j != k ? -p[j] * p[k] : p[j] * (j == largest ? others : 1 - p[j]));
    }
  }
  return figure;
}

/// The Jacobian from the library's softmax and its backward pass: ∂p_j/∂s_k for p_j, and their norm.
struct SinglePrecision {
  double frobenius = 0, largest_slope = 0;
};
SinglePrecision single_precision(const std::vector<double>& scores, size_t largest) {
  const auto n = static_cast<int64_t>(scores.size());
  float p[kMaxScores], dp[kMaxScores];
  for (size_t j = 0; j < scores.size(); ++j) p[j] = static_cast<float>(scores[j]);
  softmax_forward({p, {1, n}}, {p, {1, n}});
  SinglePrecision found;
  double squares = 0;
  for (size_t j = 0; j < scores.size(); ++j) {
    std::fill_n(dp, n, 0.0f);
    dp[j] = 1;
    softmax_backward({p, {1, n}}, {dp, {1, n}}, {dp, {1, n}});
    for (int64_t k = 0; k < n; ++k) squares += static_cast<double>(dp[k]) * static_cast<double>(dp[k]);
    if (j == largest) found.largest_slope = static_cast<double>(dp[j]);
  }
  found.frobenius = std::sqrt(squares);
  return found;
}

/// The reader's row of scores, of d_k dimensions, with each scale.
void add_example(Result& result, const Params& params) {
  const Matrix& given = *params.matrix("scores");
  for (const Scale& scale : params.scales("scale")) {
    std::vector<double> scores, p(given.values.size());
    for (const float x : given.values) {
      scores.push_back(static_cast<double>(scale.at(params.integer("d_k"))) * static_cast<double>(x));
    }
    const size_t largest = double_softmax(scores, p);
    const SinglePrecision single = single_precision(scores, largest);
    const Labels at = {{"d_k", params.integer("d_k")}, {"scale", scale}};
    Figure map = jacobian_map(p, largest, at);
    result.add("example_frobenius", at, norms_of(p, largest).frobenius);
    result.add("example_slope", at, map.grid().values[largest * (p.size() + 1)]);
    result.add("example_frobenius_fp32", at, single.frobenius);
    result.add("example_slope_fp32", at, single.largest_slope);
    result.add(std::move(map));
  }
}

/// From d = 8 on: below, scores are far from normal. Scaled, the norm hardly depends on d. Unscaled it falls
/// in the end; with up to 8 keys it is smaller throughout.
void judge(Result& result, const std::vector<Row>& all, const std::vector<Scale>& scales, int64_t trials) {
  constexpr double kLargestNorm = 0.5;  // of two keys with weight 1/2 each
  std::vector<const Row*> scaled, unscaled;
  for (const Row& row : all) {
    if (row.d < 8 || row.n_keys == 1) continue;
    if (scales[row.scale].name == "1/sqrt(d)") scaled.push_back(&row);
    if (scales[row.scale].name == "none") unscaled.push_back(&row);
  }
  const Chance chance(std::ssize(scaled) + std::ssize(unscaled));
  const auto noise = [&](const Row& a, const Row& b) {
    return chance.reach(a.frobenius.se, trials, kLargestNorm) +
           chance.reach(b.frobenius.se, trials, kLargestNorm);
  };
  bool agree = true, any_larger = false, any_smaller = false;
  for (const Row* a : scaled) {
    const double level = a->frobenius.value;
    for (const Row* b : unscaled) {
      if (a->n_keys != b->n_keys || a->d != b->d) continue;
      const double other = b->frobenius.value;
      (other > level ? any_larger : any_smaller) = true;
      const bool falls = a->n_keys <= 8 || a->d >= 8 * static_cast<double>(a->n_keys);
      agree = agree && (!falls || other < level + noise(*a, *b));
    }
    for (const Row* b : scaled) {
      if (a->n_keys != b->n_keys) continue;
      agree = agree && std::fabs(level - b->frobenius.value) <= 0.15 * level + noise(*a, *b);
    }
  }
  if (!any_larger && !any_smaller) return result.cannot_be_judged("nothing_compared");
  result.judge(agree,
               !any_larger    ? "jacobian_smaller_unscaled"
               : !any_smaller ? "jacobian_larger_unscaled"
                              : "jacobian_depends_on_keys",
               "jacobian_differs");
}

void check_scores(const Params& params) {
  const Matrix* const scores = params.matrix("scores");
  const int64_t n = scores == nullptr ? 0 : static_cast<int64_t>(scores->values.size());
  check_within(kId, "scores", n, 1, kMaxScores);
  if (scores == nullptr || scores->rows == 1) return;
  throw ValueError(ErrorCode::kWrongShape, kId, "scores", Shape{1, scores->cols}.text(),
                   Shape{scores->rows, scores->cols}.text());
}

Result run(const Params& params, ProgressMeter& meter) {
  check_scores(params);
  const std::vector<int64_t> n_keys = ascending(params.integers("n_keys"));
  const std::vector<Scale>& scales = params.scales("scale");
  const std::vector<int64_t> dims = ascending_d(params);
  const int64_t trials = params.integer("trials");
  const double work_of_norms =
      function_work(std::accumulate(n_keys.begin(), n_keys.end(), int64_t{0}) * std::ssize(scales));
  // Scores of the most keys, of which fewer are the first.
  meter.begin(sampling_work({}, dims, n_keys.back(), trials, work_of_norms));
  Result result;
  add_example(result, params);
  std::vector<Row> rows;
  for (const int64_t d : dims) {
    std::vector<Sample> samples(n_keys.size() * scales.size());
    const auto use = [&](const float* scores) {
      for (size_t i = 0; i < samples.size(); ++i) {
        const double scale = static_cast<double>(scales[i % scales.size()].at(d));
        std::vector<double> s(scores, scores + n_keys[i / scales.size()]);
        for (double& x : s) x *= scale;
        const Norms norms = norms_of(s, double_softmax(std::vector<double>(s), s));
        samples[i].frobenius.push_back(norms.frobenius);
        samples[i].trace.push_back(norms.trace);
      }
      meter.add(work_of_norms);
    };
    sample_scores({}, params.seed("seed"), d, n_keys.back(), trials, meter, use);
    for (size_t i = 0; i < samples.size(); ++i) {
      const size_t scale = i % scales.size();
      rows.push_back(
          add_scalars(result, std::move(samples[i]), d, n_keys[i / scales.size()], scale, scales[scale]));
    }
  }
  for (const int64_t n : n_keys) result.add(over_d("jacobian_over_d", n, rows, scales));
  for (const int64_t n : n_keys) result.add(over_d("jacobian_raw_over_d", n, rows, scales));
  judge(result, rows, scales, trials);
  return result;
}

constexpr Param kParams[] = {matrix_param("scores", "50,1,1,1"),
                             int_param("d_k", "64", 1, 16384),
                             d_param("8,32,64,128,512"),
                             int_list_param("n_keys", "8,64", 1, 1024, 4),
                             scale_param("none,1/sqrt(d)", 4),
                             trials_param("1000"),
                             kSeedParam};

}  // namespace

const Experiment softmax_jacobian = {
    .id = kId,
    .question = "How much of a change of the scores reaches the weights?",
    .source = "article 4, section 2.7: the derivative of softmax and the scores 50, 1, 1, 1",
    .group = Group::kBreaks,
    .chapter = 7,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"nothing_compared", "jacobian_smaller_unscaled", "jacobian_larger_unscaled",
                           "jacobian_depends_on_keys", "jacobian_differs"},
              .scalars = {"example_frobenius", "example_slope", "example_frobenius_fp32",
                          "example_slope_fp32", "jacobian_frobenius", "jacobian_trace",
                          "jacobian_frobenius_raw"},
              .labels = {"d_k", "scale", "d", "n_keys"},
              .figures = {"jacobian", "jacobian_over_d", "jacobian_raw_over_d"},
              .axes = {"score_of_key", "weight_of_key", "derivative", "d", "jacobian_frobenius"},
              .series = {"none", "1/sqrt(d)"}},
};

}  // namespace sqrtdk::experiments
