// Dot product, cosine and Euclidean distance as scores of attention: what each prefers, what each costs, and
// that all three are one matrix product and the lengths of the vectors.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/decimal.h"
#include "base/errors.h"
#include "base/text.h"
#include "experiments/registry.h"
#include "experiments/similarity_measures/similarity_timing.h"
#include "kernels/product/matmul.h"
#include "lab/sampling.h"
#include "lab/statistics.h"
#include "lab/work.h"
#include "simd/math.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "similarity_measures";

enum Measure { kDot, kCosine, kEuclidean };
constexpr const char* kMeasures[] = {"dot", "cosine_similarity", "euclidean"};
constexpr size_t kNMeasures = std::size(kMeasures);
constexpr Role kRoles[kNMeasures] = {Role::kScaled, Role::kOther, Role::kUnscaled};

using Numbers = std::vector<double>;

Numbers softmax(Numbers x) {
  const double max = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (double& each : x) sum += each = simd::exp(each - max);
  for (double& each : x) each /= sum;
  return x;
}
size_t winner(const Numbers& x) {
  return static_cast<size_t>(std::max_element(x.begin(), x.end()) - x.begin());
}

double farthest(const Numbers& a, const Numbers& b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

double square_of(const float* x, int64_t d) {
  double sum = 0;
  for (int64_t j = 0; j < d; ++j) sum += static_cast<double>(x[j]) * static_cast<double>(x[j]);
  return sum;
}

/// One query against n keys.
struct Row {
  Numbers dot;       // q·k, from the matrix product
  Numbers distance;  // |q - k|², difference by difference
  Numbers key_square;
  double query_square;

  Row(const float* q, const float* k, int64_t n, int64_t d) : query_square(square_of(q, d)) {
    std::vector<float> products(static_cast<size_t>(n));
    matmul({q, {1, d}}, Transpose::kNo, {k, {n, d}}, Transpose::kYes, {products.data(), {1, n}});
    for (int64_t i = 0; i < n; ++i) {
      dot.push_back(static_cast<double>(products[static_cast<size_t>(i)]));
      key_square.push_back(square_of(k + i * d, d));
      double sum = 0;
      for (int64_t j = 0; j < d; ++j) {
        const double difference = static_cast<double>(q[j]) - static_cast<double>(k[i * d + j]);
        sum += difference * difference;
      }
      distance.push_back(sum);
    }
  }
  double cosine(size_t i) const {
    const double lengths = std::sqrt(query_square * key_square[i]);
    return lengths > 0 ? dot[i] / lengths : 0;
  }
  /// Scores of about unit spread for standard components: q·k / √d, √d cos(q, k), -|q - k|² / (2√d).
  Numbers scores(Measure measure, double d) const {
    Numbers scores;
    for (size_t i = 0; i < dot.size(); ++i) {
      scores.push_back(measure == kDot      ? dot[i] / std::sqrt(d)
                       : measure == kCosine ? cosine(i) * std::sqrt(d)
                                            : -distance[i] / (2 * std::sqrt(d)));
    }
    return scores;
  }
  /// (q·k - |k|²/2) / √d: the Euclidean scores but for |q|², which all keys share.
  Numbers penalised(double d) const {
    Numbers scores;
    for (size_t i = 0; i < dot.size(); ++i) scores.push_back((dot[i] - key_square[i] / 2) / std::sqrt(d));
    return scores;
  }
  /// The error of |q|² + |k|² - 2 q·k against the distance, relative to |q|² + |k|².
  double expansion_error() const {
    double largest = 0;
    for (size_t i = 0; i < dot.size(); ++i) {
      const double squares = query_square + key_square[i];
      if (squares > 0) largest = std::max(largest, std::fabs(squares - 2 * dot[i] - distance[i]) / squares);
    }
    return largest;
  }
};

/// The reader's vectors: their three similarities as lines, their weights as bars.
void add_example(Result& result, const Matrix& q, const Matrix& k) {
  if (q.rows != 1) {
    throw ValueError(ErrorCode::kWrongShape, kId, "q", Shape{1, q.cols}.text(), Shape{q.rows, q.cols}.text());
  }
  if (k.cols != q.cols) {
    throw ValueError(ErrorCode::kWrongShape, kId, "k", Shape{k.rows, q.cols}.text(),
                     Shape{k.rows, k.cols}.text());
  }
  const Row row(q.values.data(), k.values.data(), k.rows, q.cols);
  for (size_t i = 0; i < row.dot.size(); ++i) {
    const double dot = row.dot[i], cosine = row.cosine(i), distance = std::sqrt(row.distance[i]);
    result.lines.push_back("key " + to_text(i) + ": q·k = " + fixed(dot, 3) + "  cos = " + fixed(cosine, 3) +
                           "  |q-k| = " + fixed(distance, 3));
    for (const auto& [measure, value] : {std::pair{kDot, dot}, {kCosine, cosine}, {kEuclidean, distance}}) {
      result.printed.push_back({.name = kMeasures[measure], .at = {{"key", i}}, .value = value});
    }
  }
  Figure bars{.name = "weights", .at = {}, .kind = BarChart{}, .x = "key", .y = "weight", .y_max = 1};
  for (size_t i = 0; i < kNMeasures; ++i) {
    const Numbers scores = row.scores(static_cast<Measure>(i), static_cast<double>(q.cols));
    Series series{.name = kMeasures[i], .role = kRoles[i]};
    for (const double weight : softmax(scores)) series.add(series.x.size(), weight);
    bars.series.push_back(std::move(series));
    result.add("best_key", {{"measure", kMeasures[i]}}, winner(scores));
  }
  result.add(std::move(bars));
}

/// Additions, multiplications, divisions and roots for the scores of n queries and n keys of d components.
struct Way {
  const char* name;
  double operations, held;  // held: numbers besides q and k
};
std::array<Way, 4> ways(double n, double d) {
  const double product = 2 * n * n * d, squares = 2 * 2 * n * d;
  return {{{"dot", product, n * n},
           {"cosine_similarity", product + squares + 4 * n + 2 * n * n, n * n + 2 * n},
           {"euclidean", product + squares + 3 * n * n, n * n + 2 * n},
           {"euclidean_direct", 3 * n * n * d, n * n * d + n * n}}};
}

/// Over trials, at one d.
struct Sample {
  int64_t same_winner[kNMeasures] = {};  // as the dot product's
  Numbers max[kNMeasures];               // largest weight
  double expansion = 0, penalty = 0, equal_lengths = 0;
};

/// A trial: q and k, the four measures of each key twice, and their softmaxes.
double work_of(int64_t n, int64_t d) {
  const auto n_measures = static_cast<int64_t>(kNMeasures);
  return trial_work((n + 1) * d, 2 * n_measures * n) + loop_work(2 * n_measures * n * d);
}

Sample sample(uint64_t seed, int64_t d, int64_t n, int64_t trials, ProgressMeter& meter) {
  Sample sample;
  const auto width = static_cast<double>(d);
  std::vector<float> x(static_cast<size_t>(d * (1 + n)));
  for (int64_t trial = 0; trial < trials; ++trial) {
    sample_standard({}, seed, static_cast<uint64_t>(d) << 32 | static_cast<uint64_t>(trial), 0, x.data(),
                    static_cast<int64_t>(x.size()));
    const Row row(x.data(), x.data() + d, n, d);
    const size_t best = winner(row.dot);
    for (size_t i = 0; i < kNMeasures; ++i) {
      const Numbers weights = softmax(row.scores(static_cast<Measure>(i), width));
      sample.same_winner[i] += winner(weights) == best;
      sample.max[i].push_back(*std::max_element(weights.begin(), weights.end()));
    }
    sample.expansion = std::max(sample.expansion, row.expansion_error());
    sample.penalty = std::max(
        sample.penalty, farthest(softmax(row.scores(kEuclidean, width)), softmax(row.penalised(width))));
    for (int64_t i = 1; i <= n; ++i) {  // keys of length √d
      const double length = std::sqrt(row.key_square[static_cast<size_t>(i - 1)] / width);
      for (int64_t j = 0; j < d; ++j) x[static_cast<size_t>(i * d + j)] /= static_cast<float>(length);
    }
    const Row equal(x.data(), x.data() + d, n, d);
    sample.equal_lengths = std::max(sample.equal_lengths, farthest(softmax(equal.scores(kEuclidean, width)),
                                                                   softmax(equal.scores(kDot, width))));
    meter.add(work_of(n, d));
  }
  return sample;
}

Figure over_d(const char* name, const char* y, std::initializer_list<const char*> series) {
  Figure figure{.name = name, .at = {}, .x = "d", .y = y, .log_x = true};
  for (const char* each : series) {
    const auto* const measure = std::find_if(std::begin(kMeasures), std::end(kMeasures),
                                             [&](std::string_view name) { return name == each; });
    const bool known = measure != std::end(kMeasures);
    figure.series.push_back({.name = each, .role = known ? kRoles[measure - kMeasures] : Role::kOther});
  }
  return figure;
}

Result run(const Params& params, ProgressMeter& meter) {
  const bool measured = params.choice("measured") == "yes";
  if (measured) check_within(kId, "n", params.integer("n"), 1, 1024);
  const int64_t n = params.integer("n_keys"), trials = params.integer("trials");
  const std::vector<int64_t> dims = ascending_d(params);
  const auto n_tokens = static_cast<double>(params.integer("n"));
  Result result;
  const Matrix *const q = params.matrix("q"), *const k = params.matrix("k");
  if (!q || !k) throw ValueError(ErrorCode::kEmpty, kId, q ? "k" : "q", "at least 1 number", "");
  add_example(result, *q, *k);
  meter.begin(trials_work(trials, dims, [&](int64_t d) { return work_of(n, d); }) +
              (measured ? similarity_timing_work(params.integer("n"), dims, params.integer("rounds")) : 0));
  Figure winners = over_d("same_winner_over_d", "same_winner", {"cosine_similarity", "euclidean"});
  winners.y_max = 1;
  Figure max = over_d("max_over_d", "softmax_max", {"dot", "cosine_similarity", "euclidean"});
  Figure cost = over_d("operations_over_d", "operations_per_dot",
                       {"dot", "cosine_similarity", "euclidean", "euclidean_direct"});
  bool agree = true;
  for (const int64_t d : dims) {
    Sample at_d = sample(params.seed("seed"), d, n, trials, meter);
    const Labels at = {{"d", d}};
    const auto with = [&](const char* label, const char* value) {
      Labels labels = at;
      labels.add({label, value});
      return labels;
    };
    for (size_t i = 0; i < kNMeasures; ++i) {
      max.series[i].add(d, result.add("softmax_max", with("measure", kMeasures[i]), at_d.max[i]));
      if (i == kDot) continue;
      winners.series[i - 1].add(
          d, result.add(share("same_winner", with("measure", kMeasures[i]), at_d.same_winner[i], trials)));
    }
    const std::array<Way, 4> all = ways(n_tokens, static_cast<double>(d));
    for (size_t i = 0; i < all.size(); ++i) {
      result.add("operations", with("way", all[i].name), all[i].operations);
      result.add("numbers_held", with("way", all[i].name), all[i].held);
      cost.series[i].add(d, all[i].operations / all[0].operations);
    }
    const std::pair<const char*, double> errors[] = {{"expansion_error", at_d.expansion},
                                                     {"key_penalty_error", at_d.penalty},
                                                     {"equal_lengths_error", at_d.equal_lengths}};
    for (const auto& [name, value] : errors) {
      result.add(name, at, value, 0);
      agree = agree && value <= 1e-4;
    }
  }
  result.figures.insert(result.figures.end(), {winners, max, cost});
  if (measured) {
    add_similarity_times(result, params.integer("n"), dims, params.integer("rounds"), params.seed("seed"),
                         meter);
  }
  result.judge(agree, "measures_are_one_product", "measures_disagree");
  return result;
}

constexpr Param kParams[] = {matrix_param("q", "2,1", 512),
                             matrix_param("k", "0.4,0.2;5,-2;2,0.2", 4096),
                             d_param("2,8,32,128,512", 2048),
                             int_param("n_keys", "8", 1, 256),
                             int_param("n", "128", 1, 65536),
                             trials_param("500"),
                             choice_param("measured", "no", kYesNo),
                             rounds_param("9"),
                             kSeedParam};

}  // namespace

const Experiment similarity_measures = {
    .id = kId,
    .question = "Why the dot product, and not the cosine or the distance?",
    .source = "article 5, why the dot product",
    .group = Group::kRest,
    .chapter = 13,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"measures_are_one_product", "measures_disagree"},
              .scalars = {"best_key", "softmax_max", "same_winner", "operations", "numbers_held",
                          "expansion_error", "key_penalty_error", "equal_lengths_error", "milliseconds",
                          "time_exponent_d", "time_of_dot", "clock_step"},
              .labels = {"measure", "d", "way", "n"},
              .figures = {"weights", "same_winner_over_d", "max_over_d", "operations_over_d", "time_over_d"},
              .axes = {"key", "weight", "d", "same_winner", "softmax_max", "operations_per_dot",
                       "milliseconds"},
              .series = {"dot", "cosine_similarity", "euclidean", "euclidean_direct"}},
};

}  // namespace sqrtdk::experiments
