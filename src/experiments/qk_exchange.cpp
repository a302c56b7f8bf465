// S = Q Kᵀ against K Qᵀ: the scores are each other's transpose, the weights are not, since softmax adds up
// rows.
#include <algorithm>
#include <cmath>

#include "experiments/registry.h"
#include "kernels/product/matmul.h"
#include "kernels/softmax.h"
#include "lab/common_params.h"
#include "lab/heat_map.h"
#include "lab/statistics.h"
#include "lab/token_rows.h"
#include "lab/weight_rows.h"
#include "lab/work.h"
#include "layers/initialize.h"
#include "layers/layer.h"
#include "tensor/random.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "qk_exchange";

View product(ConstView a, Transpose transpose_a, ConstView b, Transpose transpose_b, const char* name,
             Cache& cache) {
  const int64_t rows = a.shape[transpose_a == Transpose::kYes ? 1 : 0];
  const int64_t columns = b.shape[transpose_b == Transpose::kYes ? 0 : 1];
  const View out = cache.make(name, {rows, columns});
  matmul(a, transpose_a, b, transpose_b, out);
  return out;
}

View transposed(ConstView x, const char* name, Cache& cache) {
  const int64_t rows = x.shape[0], columns = x.shape[1];
  const View out = cache.make(name, {columns, rows});
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) out.data[j * rows + i] = x.data[i * columns + j];
  }
  return out;
}

View softmax_of(ConstView scores, float scale, const char* name, Cache& cache) {
  const View out = cache.make(name, scores.shape);
  for (int64_t i = 0; i < scores.shape.size(); ++i) out.data[i] = scores.data[i] * scale;
  softmax_forward(out, out);
  return out;
}

struct Sums {
  std::vector<double> rows, columns;
};

Figure sums_figure(const char* name, const Sums& weights, const Sums& swapped) {
  Figure figure{.name = name, .at = {}, .kind = BarChart{}, .x = "token", .y = "sum"};
  const bool rows = name == std::string("row_sums");
  figure.series = {{.name = "weights", .role = Role::kScaled, .y = rows ? weights.rows : weights.columns},
                   {.name = "weights_swapped_transposed",
                    .role = Role::kOther,
                    .y = rows ? swapped.rows : swapped.columns}};
  for (Series& series : figure.series) {
    while (series.x.size() < series.y.size()) series.x.push_back(static_cast<double>(series.x.size()));
  }
  return figure;
}

/// Xavier's N(0, 2 / (d_model + d_k)), as the article draws them. w: [d_k, d_model].
View projection(const Params& params, const char* name, Cache& cache) {
  const View w = cache.make(name, {params.integer("d_k"), params.integer("d_model")});
  xavier_normal(w, 1, {params.seed("seed"), stream_of(name)});
  return w;
}

/// The variance of q's components, whose mean is 0. Given x, the columns of q are independent: a column is a
/// trial.
Scalar component_variance(ConstView q, int64_t d_model) {
  const int64_t n = q.shape[0], d_k = q.shape[1];
  Moments moments;
  for (int64_t l = 0; l < d_k; ++l) {
    double squares = 0;
    for (int64_t i = 0; i < n; ++i) {
      const double x = static_cast<double>(q.data[i * d_k + l]);
      squares += x * x;
    }
    moments.add(squares / static_cast<double>(n));
  }
  return {.name = "q_variance",
          .at = {},
          .value = moments.mean(),
          .se = moments.se(),
          .expected = 2 * static_cast<double>(d_model) / static_cast<double>(d_model + d_k)};
}

Result run(const Params& params, ProgressMeter& meter) {
  const int64_t n = params.integer("n"), d_model = params.integer("d_model"), d_k = params.integer("d_k");
  const double drawn = draw_work(d_model * (n + 2 * d_k));
  const double computed = product_work(2 * n * d_k * (d_model + n)) + function_work(2 * n * n);
  meter.begin(drawn + computed);
  const float scale = params.scales("scale").front().at(d_k);
  const bool same = params.choice("w_k") == "w_q";
  Cache cache;
  const View x = cache.make("x", {n, d_model});
  philox_normal(params.seed("seed"), stream_of("x"), 0, x.data, x.shape.size());
  const View w_q = projection(params, "w_q", cache);
  const View w_k = same ? w_q : projection(params, "w_k", cache);
  meter.add(drawn);
  const View q = product(x, Transpose::kNo, w_q, Transpose::kYes, "q", cache);
  const View k = product(x, Transpose::kNo, w_k, Transpose::kYes, "k", cache);

  const View scores = product(q, Transpose::kNo, k, Transpose::kYes, "scores", cache);
  const View swapped = product(k, Transpose::kNo, q, Transpose::kYes, "scores_swapped", cache);
  const View weights = softmax_of(scores, scale, "weights", cache);
  const View weights_swapped = softmax_of(swapped, scale, "weights_swapped", cache);
  const View back = transposed(weights_swapped, "weights_swapped_transposed", cache);

  meter.add(computed);

  const int64_t score_mismatches = n_different(transposed(swapped, "swapped_transposed", cache), scores);
  const Sums sums{row_sums_of(weights), row_sums_of(transposed(weights, "weights_transposed", cache))};
  const Sums sums_back{row_sums_of(back), row_sums_of(weights_swapped)};
  const int64_t swapped_mismatches = n_different(weights_swapped, weights);
  const double difference = largest_difference(weights, back);
  Result result;
  result.add(component_variance(q, d_model));
  result.add("score_mismatches", {}, score_mismatches, 0);
  result.add("swapped_mismatches", {}, swapped_mismatches, same ? 0 : kNone);
  result.add("weights_difference", {}, difference);
  result.add("row_sum_error", {}, farthest_from_1(sums.rows), 0);
  result.add("column_sum_error", {}, farthest_from_1(sums.columns));
  result.add("row_sum_error_swapped", {}, farthest_from_1(sums_back.rows));
  result.add("column_sum_error_swapped", {}, farthest_from_1(sums_back.columns), 0);

  const auto add_map = [&](const char* name, ConstView matrix, const char* column, const char* row,
                           const char* value, double top) {
    result.add(heat_map(name, {}, matrix, {.x = column, .y = row, .z = value})).y_max = top;
  };
  add_map("scores", scores, "key", "query", "score", kNone);
  add_map("scores_swapped", swapped, "query", "key", "score", kNone);
  add_map("weights", weights, "key", "query", "weight", 1);
  add_map("weights_swapped_transposed", back, "key", "query", "weight", 1);
  result.add(sums_figure("row_sums", sums, sums_back));
  result.add(sums_figure("column_sums", sums, sums_back));

  // Where the columns of the weights add up to 1 as well, softmax of rows and of columns are the same.
  const bool compared = !(farthest_from_1(sums.columns) <= 1e-4);
  const bool finite = std::isfinite(difference);
  const bool agree = score_mismatches == 0 && farthest_from_1(sums.rows) <= 0x1p-22 &&
                     farthest_from_1(sums_back.columns) <= 0x1p-22 && (difference > 1e-6 || !compared) &&
                     (!same || swapped_mismatches == 0);
  const bool equals = same && n > 1;
  if (!finite) {
    result.cannot_be_judged("scores_not_finite");
  } else if (agree && !equals && !compared) {
    result.cannot_be_judged("exchange_nothing_compared");
  } else {
    result.judge(agree, equals ? "exchange_of_equals" : "scores_transpose_weights_do_not",
                 "exchange_differs");
  }
  return result;
}

constexpr const char* kKeyProjections[] = {"own", "w_q"};
constexpr Param kParams[] = {
    int_param("n", "8", 1, 64),  int_param("d_model", "512", 1, 2048),        int_param("d_k", "64", 1, 512),
    scale_param("1/sqrt(d)", 1), choice_param("w_k", "own", kKeyProjections), kSeedParam};

}  // namespace

const Experiment qk_exchange = {
    .id = kId,
    .question = "Does it matter whether a score is q times k or k times q?",
    .source = "article 4, section 4.1",
    .group = Group::kRest,
    .chapter = 13,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"scores_not_finite", "scores_transpose_weights_do_not", "exchange_of_equals",
                           "exchange_nothing_compared", "exchange_differs"},
              .scalars = {"q_variance", "score_mismatches", "swapped_mismatches", "weights_difference",
                          "row_sum_error", "column_sum_error", "row_sum_error_swapped",
                          "column_sum_error_swapped"},
              .figures = {"scores", "scores_swapped", "weights", "weights_swapped_transposed", "row_sums",
                          "column_sums"},
              .axes = {"key", "query", "score", "weight", "token", "sum"},
              .series = {"weights", "weights_swapped_transposed"}},
};

}  // namespace sqrtdk::experiments
