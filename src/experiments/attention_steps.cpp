// Scaled dot-product attention on a sentence, every number visible: the input and its projections, scores,
// scaled scores, weights, output. Or one query against several documents, as a search engine has them.
#include <algorithm>
#include <cmath>

#include "base/decimal.h"
#include "base/errors.h"
#include "base/sort.h"
#include "base/text.h"
#include "experiments/registry.h"
#include "kernels/attention/attention.h"
#include "kernels/product/matmul.h"
#include "lab/common_params.h"
#include "lab/heat_map.h"
#include "lab/token_rows.h"
#include "lab/tokens.h"
#include "lab/weight_rows.h"
#include "lab/work.h"
#include "layers/initialize.h"
#include "simd/math.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "attention_steps";
constexpr size_t kMaxTokens = 12, kMaxDocuments = 12, kMaxWords = 40;

/// What asks and what is asked: rows of x. In a sentence they are the same tokens.
struct Rows {
  std::vector<std::string> labels;
  View x{};  // [n, d_model]
};

Rows sentence(const Params& params, Cache& cache) {
  const int64_t d_model = params.integer("d_model");
  Rows rows{.labels = tokens_of(kId, "text", params.words("text"), kMaxTokens)};
  rows.x = cache.make("x", {static_cast<int64_t>(rows.labels.size()), d_model});
  for (size_t i = 0; i < rows.labels.size(); ++i) {
    word_vector(params.seed("seed"), rows.labels[i], rows.x.data + static_cast<int64_t>(i) * d_model,
                d_model);
  }
  return rows;
}

/// Texts separated by semicolons or lines, each a row: the sum of its words' vectors over the square root of
/// their number, so that components keep the variance 1 of those of a word.
Rows texts(const Params& params, const char* name, size_t most, Cache& cache) {
  std::string joined;
  for (const std::string_view line : split(params.words(name), '\n')) joined.append(line).append(";");
  for (size_t at; (at = joined.find("；")) != std::string::npos;) joined.replace(at, 3, 1, ';');
  Rows rows;
  for (const std::string_view text : split(joined, ';')) {
    if (!text.empty()) rows.labels.push_back(std::string(text));
  }
  if (rows.labels.empty()) throw ValueError(ErrorCode::kEmpty, kId, name, "at least 1 word", "");
  if (rows.labels.size() > most) {
    throw ValueError(ErrorCode::kTooMany, kId, name, to_text(most), to_text(rows.labels.size()));
  }
  const int64_t d_model = params.integer("d_model");
  rows.x = cache.make(name, {static_cast<int64_t>(rows.labels.size()), d_model});
  float* x = rows.x.data;
  for (const std::string& text : rows.labels) {
    text_vector(params.seed("seed"), tokens_of(kId, name, text, kMaxWords), x, d_model);
    x += d_model;
  }
  return rows;
}

/// The five steps of article 4: w [d_model, d_k], q = x w .., scores = q kᵀ, scaled = scale · scores, weights
/// = softmax of rows, out = weights · v.
struct Steps {
  View w_q, w_k, w_v, q, k, v, scores, scaled, weights, out;
};

/// Components N(0, 1/d_model): those of x w have variance 1 where those of x have.
View projection(const Params& params, const char* name, Cache& cache) {
  const int64_t d_model = params.integer("d_model");
  const View w = cache.make(name, {d_model, params.integer("d_k")});
  normal_init(w, 1 / std::sqrt(static_cast<float>(d_model)),
              {params.seed("seed"), stream_of(inside(kId, name))});
  return w;
}

View product(ConstView a, ConstView b, Transpose transpose_b, const char* name, Cache& cache) {
  const int64_t columns = b.shape[transpose_b == Transpose::kYes ? 0 : 1];
  const View out = cache.make(name, {a.shape[0], columns});
  matmul(a, Transpose::kNo, b, transpose_b, out);
  return out;
}

Steps steps_of(const Params& params, ConstView x_q, ConstView x_k, bool causal, float scale, Cache& cache) {
  Steps s;
  s.w_q = projection(params, "w_q", cache);
  s.w_k = params.choice("w_k") == "w_q" ? s.w_q : projection(params, "w_k", cache);
  s.w_v = projection(params, "w_v", cache);
  s.q = product(x_q, s.w_q, Transpose::kNo, "q", cache);
  s.k = product(x_k, s.w_k, Transpose::kNo, "k", cache);
  s.v = product(x_k, s.w_v, Transpose::kNo, "v", cache);
  s.scores = product(s.q, s.k, Transpose::kYes, "scores", cache);
  s.scaled = cache.make("scaled", s.scores.shape);
  s.weights = cache.make("weights", s.scores.shape);
  s.out = cache.make("out", s.q.shape);
  const AttentionOptions options{.scale = scale, .causal = causal ? Causal::kTopLeft : Causal::kNo};
  attention_forward(s.q, s.k, s.v, options, s.scaled, s.weights, s.out);
  return s;
}

/// What the articles say about the steps, on these numbers.
struct Checks {
  double row_sum_error = 0;          // largest |sum of a row of weights - 1|
  int64_t scaled_mismatches = 0;     // scaled scores, not masked, that are not the score times the scale
  double output_error = 0;           // largest |out - sum_j weight_j v_j|, the sum in double
  bool output_in_bound = true;       // within the rounding of a sum of n_k products in float
  int64_t same_words = 0;            // pairs of equal words
  int64_t same_word_mismatches = 0;  // numbers in which their rows of q, k, v, weights or output differ
};

Checks check(const Steps& s, float scale) {
  Checks c;
  const int64_t n_k = s.weights.shape[1], d_v = s.v.shape[1];
  for (int64_t i = 0; i < s.scaled.shape.size(); ++i) {
    const bool masked = s.scaled.data[i] == -std::numeric_limits<float>::infinity();
    c.scaled_mismatches += !masked && s.scaled.data[i] != s.scores.data[i] * scale;
  }
  c.row_sum_error = farthest_from_1(row_sums_of(s.weights));
  for (int64_t i = 0; i < s.out.shape.size(); ++i) {
    const float* weights = s.weights.data + i / d_v * n_k;
    double exact = 0, magnitude = 0;
    for (int64_t j = 0; j < n_k; ++j) {
      const double term = static_cast<double>(weights[j]) * static_cast<double>(s.v.data[j * d_v + i % d_v]);
      exact += term;
      magnitude += std::fabs(term);
    }
    const double error = std::fabs(static_cast<double>(s.out.data[i]) - exact);
    c.output_error = std::max(c.output_error, error);
    c.output_in_bound =
        c.output_in_bound && error <= 0x1p-24 * static_cast<double>(n_k + 1) * magnitude + 0x1p-126;
  }
  return c;
}

/// Nothing tells two equal words apart but a mask.
void compare_same_words(const Steps& s, const std::vector<std::string>& tokens, bool causal, Checks& c) {
  for (size_t a = 0; a < tokens.size(); ++a) {
    for (size_t b = a + 1; b < tokens.size(); ++b) {
      if (stream_of_word(tokens[a]) != stream_of_word(tokens[b])) continue;
      ++c.same_words;
      for (const View& rows : {s.q, s.k, s.v, s.scores, s.weights, s.out}) {
        if (causal && (rows.data == s.weights.data || rows.data == s.out.data)) continue;
        const int64_t n = rows.shape[1];
        c.same_word_mismatches += n_different({rows.data + static_cast<int64_t>(a) * n, {n}},
                                              {rows.data + static_cast<int64_t>(b) * n, {n}});
      }
    }
  }
}

void add_figures(Result& result, const Steps& s, const Rows& queries, const Rows& keys, bool search) {
  const auto add = [&](const char* step, const char* name, ConstView matrix, const char* x, const char* y,
                       const char* z, const std::vector<std::string>& rows,
                       const std::vector<std::string>& cols) {
    result.add(
        heat_map(name, {{"step", step}}, matrix, {.x = x, .y = y, .z = z, .rows = rows, .cols = cols}));
  };
  if (search) {
    add("1", "x_query", queries.x, "component", "query", "component_value", queries.labels, {});
    add("1", "x_documents", keys.x, "component", "document", "component_value", keys.labels, {});
  } else {
    add("1", "x", queries.x, "component", "token", "component_value", queries.labels, {});
  }
  for (const auto& [name, w] : {std::pair{"w_q", s.w_q}, {"w_k", s.w_k}, {"w_v", s.w_v}}) {
    add("1", name, w, "component", "input_component", "component_value", {}, {});
  }
  const char* row = search ? "query" : "token";
  const char* column = search ? "document" : "token";
  add("1", "q", s.q, "component", row, "component_value", queries.labels, {});
  add("1", "k", s.k, "component", column, "component_value", keys.labels, {});
  add("1", "v", s.v, "component", column, "component_value", keys.labels, {});
  add("2", "scores", s.scores, "key", "query", "score", queries.labels, keys.labels);
  add("3", "scaled_scores", s.scaled, "key", "query", "scaled_score", queries.labels, keys.labels);
  add("4", "weights", s.weights, "key", "query", "weight", queries.labels, keys.labels);
  const std::vector<double> scaled = result.figures[result.figures.size() - 2].grid().values;
  Figure& weights = result.figures.back();
  weights.y_max = 1;
  for (size_t i = 0; i < scaled.size(); ++i) {
    if (std::isnan(scaled[i]) && weights.grid().values[i] == 0) weights.grid().values[i] = kNone;
  }
  add("5", "output", s.out, "component", row, "component_value", queries.labels, {});
}

/// The documents, best first, as a search engine lists them.
void add_ranking(Result& result, const Steps& s, const std::vector<std::string>& documents) {
  std::vector<size_t> order(documents.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  const float* weights = s.weights.data;
  heap_sort(order, [&](size_t a, size_t b) {
    return weights[a] > weights[b] || (weights[a] == weights[b] && a < b);
  });
  for (const size_t i : order) {
    result.lines.push_back(fixed(static_cast<double>(weights[i]), 3) + "  " + clipped(documents[i]));
  }
}

void add_scalars(Result& result, const Steps& s, const Checks& c, const Rows& queries, bool search) {
  const int64_t n_k = s.weights.shape[1];
  for (size_t i = 0; i < queries.labels.size(); ++i) {
    const float* weights = s.weights.data + static_cast<int64_t>(i) * n_k;
    const Labels at = {{"query", (search ? "" : to_text(i) + " ") + clipped(queries.labels[i])}};
    const double largest = static_cast<double>(*std::max_element(weights, weights + n_k));
    result.add("softmax_max", at, largest);
    result.add("effective_keys_exp_entropy", at, simd::exp(entropy_of(weights, n_k)));
  }
  result.add("scaled_mismatches", {}, c.scaled_mismatches, 0);
  result.add("row_sum_error", {}, c.row_sum_error, 0);
  result.add("output_error", {}, c.output_error, 0);
  if (c.same_words > 0) result.add("same_word_mismatches", {}, c.same_word_mismatches, 0);
}

Result run(const Params& params, ProgressMeter& meter) {
  const bool search = params.choice("mode") == "search";
  const bool causal = !search && params.choice("causal") == "yes";
  const float scale = params.scales("scale").front().at(params.integer("d_k"));
  Cache cache;
  const Rows queries = search ? texts(params, "query", 1, cache) : sentence(params, cache);
  const Rows keys = search ? texts(params, "documents", kMaxDocuments, cache) : queries;
  const int64_t d_model = params.integer("d_model"), n_tokens = queries.x.shape[0] + keys.x.shape[0];
  meter.begin(draw_work(d_model * (3 * params.integer("d_k") + n_tokens)));
  const Steps s = steps_of(params, queries.x, keys.x, causal, scale, cache);
  Checks c = check(s, scale);
  if (!search) compare_same_words(s, queries.labels, causal, c);

  Result result;
  if (search) add_ranking(result, s, keys.labels);
  add_scalars(result, s, c, queries, search);
  add_figures(result, s, queries, keys, search);
  if (!std::isfinite(c.row_sum_error)) {
    result.cannot_be_judged("scores_not_finite");
  } else {
    result.judge(c.row_sum_error <= 0x1p-22 && c.scaled_mismatches == 0 && c.output_in_bound &&
                     c.same_word_mismatches == 0,
                 c.same_words > 0 ? "steps_agree_same_word" : "steps_agree", "steps_disagree");
  }
  return result;
}

constexpr const char* kModes[] = {"sentence", "search"};
constexpr const char* kKeyProjections[] = {"own", "w_q"};
constexpr Condition kIfSentence[] = {{"mode", "search", false}}, kIfSearch[] = {{"mode", "search"}};
constexpr Param kParams[] = {
    shown_when(kIfSentence, kTextParam),
    int_param("d_model", "8", 1, 128),
    int_param("d_k", "4", 1, 128),
    scale_param("1/sqrt(d)", 1),
    kCausalParam,
    choice_param("w_k", "own", kKeyProjections),
    kSeedParam,
    choice_param("mode", "sentence", kModes),
    shown_when(kIfSearch, text_param("query", "transformer paper", 240)),
    shown_when(kIfSearch,
               text_param("documents",
                          "A paper on the transformer; Attention is all you need; How to bake bread; "
                          "The cat sat on the mat",
                          960))};

}  // namespace

const Experiment attention_steps = {
    .id = kId,
    .question = "What happens to the numbers between a sentence and the output?",
    .source = "article 4, section 1; article 5, sections 1.2 and 1.5",
    .group = Group::kClaim,
    .chapter = 1,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"scores_not_finite", "steps_agree", "steps_agree_same_word", "steps_disagree"},
              .scalars = {"softmax_max", "effective_keys_exp_entropy", "scaled_mismatches", "row_sum_error",
                          "output_error", "same_word_mismatches"},
              .labels = {"query", "step"},
              .figures = {"x", "w_q", "w_k", "w_v", "q", "k", "v", "scores", "scaled_scores", "weights",
                          "output", "x_query", "x_documents"},
              .axes = {"component", "token", "component_value", "input_component", "key", "query", "score",
                       "scaled_score", "weight", "document"}},
};

}  // namespace sqrtdk::experiments
