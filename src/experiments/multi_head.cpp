// Multi-head attention on a sentence: what each head attends to, what their average says and does not, and
// what one head of dimension d_model would make of these q and k.
#include <algorithm>
#include <cmath>

#include "experiments/registry.h"
#include "kernels/attention/attention.h"
#include "lab/common_params.h"
#include "lab/heat_map.h"
#include "lab/token_rows.h"
#include "lab/tokens.h"
#include "lab/weight_rows.h"
#include "lab/work.h"
#include "layers/initialize.h"
#include "layers/multi_head_attention.h"
#include "simd/math.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "multi_head";
constexpr const char* kLayer = "self_attn";
constexpr size_t kMaxTokens = 12;

/// nn.MultiheadAttention with these parameters, run on x with weights to be seen.
class Attention {
 public:
  Attention(const Params& params, int64_t n_heads)
      : layer_(parameters_, kLayer, {.d_model = params.integer("d_model"), .n_heads = n_heads}) {
    parameters_.allocate();
    initialize(params);
  }
  void forward(ConstView x, Causal causal) {
    const AttentionOptions options{.causal = causal};
    out_ = layer_.forward(x, x, x, options, true, cache_, {});
  }
  View at(const char* name) const { return cache_.at(inside(kLayer, name)); }
  View out() const { return out_; }

 private:
  /// xavier: each projection for itself, so that q and k have variance 1. torch: the three in one matrix, as
  /// nn.MultiheadAttention draws them, which halves that. Biases are 0.
  void initialize(const Params& params) {
    const View in = parameters_.value(parameters_.find(inside(kLayer, "in_proj_weight")));
    const View out = parameters_.value(parameters_.find(inside(kLayer, "out_proj.weight")));
    const uint64_t seed = params.seed("seed"), stream = stream_of("in_proj_weight");
    const int64_t d_model = out.shape[0];
    if (params.choice("init") == "torch") {
      xavier_uniform(in, 1, {seed, stream});
    } else {
      for (int64_t i = 0; i < 3; ++i) {
        xavier_uniform({in.data + i * d_model * d_model, out.shape}, 1,
                       {seed, stream + static_cast<uint64_t>(i)});
      }
    }
    kaiming_uniform(out, std::sqrt(1.0f / 3), {seed, stream_of("out_proj.weight")});
  }

  Parameters parameters_;
  MultiHeadAttention layer_;
  Cache cache_;
  View out_;
};

View head_of(View x, int64_t head) {  // of [1, n_heads, n, d]
  const int64_t size = x.shape[2] * x.shape[3];
  return {x.data + head * size, {x.shape[2], x.shape[3]}};
}

double mean_entropy(ConstView weights) {
  const int64_t n = weights.shape[1];
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += entropy_of(weights.data + i * n, n);
  return sum / static_cast<double>(n);
}

/// The mean over heads, as nn.MultiheadAttention returns it unless told otherwise.
View mean_weights(ConstView weights, Cache& cache) {
  const int64_t h = weights.shape[1], n = weights.shape[2];
  const View mean = cache.make("weights_mean", {n, n});
  for (int64_t i = 0; i < n * n; ++i) {
    float sum = 0;
    for (int64_t head = 0; head < h; ++head) sum += weights.data[head * n * n + i];
    mean.data[i] = sum / static_cast<float>(h);
  }
  return mean;
}

/// Numbers in which the layer's heads differ from attention on q_i, k_i and v_i alone.
int64_t head_mismatches(const Attention& heads, Causal causal, Cache& cache) {
  int64_t count = 0;
  for (int64_t head = 0; head < heads.at("q").shape[1]; ++head) {
    const View q = head_of(heads.at("q"), head), k = head_of(heads.at("k"), head),
               v = head_of(heads.at("v"), head);
    const View expected = head_of(heads.at("heads"), head);
    const Shape square{q.shape[0], q.shape[0]};
    const View out = cache.make("head", q.shape);
    attention_forward(q, k, v, {.causal = causal}, cache.make("head_scores", square),
                      cache.make("head_weights", square), out);
    count += n_different(out, expected);
  }
  return count;
}

/// Largest |s - sum_h s_h / sqrt(h)| over s = q·k / sqrt(d_model) of one head, s_h those of h heads.
double sum_of_scores_error(ConstView one, ConstView many) {
  const int64_t h = many.shape[1], size = one.shape.size();
  double largest = 0;
  for (int64_t i = 0; i < size; ++i) {
    if (std::isinf(one.data[i])) continue;
    double sum = 0;
    for (int64_t head = 0; head < h; ++head) sum += static_cast<double>(many.data[head * size + i]);
    const double error =
        std::fabs(static_cast<double>(one.data[i]) - sum / std::sqrt(static_cast<double>(h)));
    largest = std::max(largest, error);
  }
  return largest;
}

/// Multiplications with addition, from the shapes of what was computed: four projections, scores, outputs.
double multiply_adds(const Attention& attention) {
  const Shape q = attention.at("q").shape, weights = attention.at("weights").shape;
  const int64_t d_model = q[1] * q[3];
  return static_cast<double>(4 * q[2] * d_model * d_model + 2 * weights.size() * q[3]);
}

void add_figures(Result& result, const Attention& heads, ConstView mean, const Attention& one,
                 const std::vector<std::string>& tokens) {
  const auto add_weights = [&](const char* name, const Labels& at, ConstView weights) {
    result
        .add(heat_map(name, at, weights,
                      {.x = "key", .y = "query", .z = "weight", .rows = tokens, .cols = tokens}))
        .y_max = 1;
  };
  const View weights = heads.at("weights");
  const auto label = [](int64_t head) { return Labels{{"head", head + 1}}; };
  for (int64_t i = 0; i < weights.shape[1]; ++i) add_weights("weights", label(i), head_of(weights, i));
  add_weights("weights_mean", {}, mean);
  add_weights("weights_one_head", {}, head_of(one.at("weights"), 0));
  const auto add_rows = [&](const char* name, const Labels& at, ConstView rows) {
    result.add(
        heat_map(name, at, rows, {.x = "component", .y = "token", .z = "component_value", .rows = tokens}));
  };
  for (int64_t i = 0; i < weights.shape[1]; ++i)
    add_rows("head_output", label(i), head_of(heads.at("heads"), i));
  add_rows("output", {}, heads.out());
}

Result run(const Params& params, ProgressMeter& meter) {
  const int64_t d_model = params.integer("d_model"), h = params.integer("n_heads");
  check_heads(kId, d_model, h);
  const std::vector<std::string> tokens = tokens_of(kId, "text", params.words("text"), kMaxTokens);
  const int64_t n = std::ssize(tokens);
  const double words = draw_work(n * d_model);
  const double attention =  // the four projections, and what they make of each token
      weight_work(4 * d_model * d_model) + product_work(4 * n * d_model * d_model);
  meter.begin(words + 2 * attention);
  const Causal causal = params.choice("causal") == "yes" ? Causal::kTopLeft : Causal::kNo;
  Cache cache;
  const View x = cache.make("x", {1, n, d_model});
  for (size_t i = 0; i < tokens.size(); ++i) {
    word_vector(params.seed("seed"), tokens[i], x.data + static_cast<int64_t>(i) * d_model, d_model);
  }
  meter.add(words);
  Attention heads(params, h);
  heads.forward(x, causal);
  meter.add(attention);
  Attention one(params, 1);
  one.forward(x, causal);
  meter.add(attention);
  const View mean = mean_weights(heads.at("weights"), cache);

  Result result;
  double entropy_of_heads = 0;
  for (int64_t i = 0; i < h; ++i) {
    const double each = mean_entropy(head_of(heads.at("weights"), i));
    entropy_of_heads += each / static_cast<double>(h);
    result.add("effective_keys_exp_mean_entropy", {{"head", i + 1}}, simd::exp(each));
  }
  const double entropy_of_mean = mean_entropy(mean), of_one = mean_entropy(head_of(one.at("weights"), 0));
  const double difference = largest_difference(mean, head_of(one.at("weights"), 0));
  const double scores_error = sum_of_scores_error(one.at("scores"), heads.at("scores"));
  const double sums = farthest_from_1(row_sums_of(heads.at("weights")));
  const int64_t mismatches = head_mismatches(heads, causal, cache);
  result.add("entropy_of_heads", {}, entropy_of_heads);
  result.add("entropy_of_mean", {}, entropy_of_mean);
  result.add("entropy_of_one_head", {}, of_one);
  result.add("mean_against_one_head", {}, difference);
  result.add("row_sum_error", {}, sums, 0);
  result.add("head_mismatches", {}, static_cast<double>(mismatches), 0);
  result.add("sum_of_scores_error", {}, scores_error, 0);
  result.add("multiply_adds", {{"n_heads", h}}, multiply_adds(heads), multiply_adds(one));
  result.add("exponentials", {{"n_heads", h}}, static_cast<double>(heads.at("weights").shape.size()));
  add_figures(result, heads, mean, one, tokens);

  const bool compared =
      h > 1 && std::any_of(tokens.begin(), tokens.end(), [&](const std::string& token) {
        return stream_of_word(token) != stream_of_word(tokens.front());  // else all weights are equal
      });
  const bool agree = sums <= 0x1p-21 && mismatches == 0 && scores_error <= 1e-4 &&
                     (!compared || difference > 0) && entropy_of_mean >= entropy_of_heads - 1e-6 &&
                     multiply_adds(heads) == multiply_adds(one);
  if (agree && !compared) {
    result.cannot_be_judged("heads_nothing_compared");
  } else {
    result.judge(agree, "heads_are_separate", "heads_disagree");
  }
  return result;
}

constexpr const char* kInits[] = {"xavier", "torch"};
constexpr Param kParams[] = {kTextParam,
                             int_param("n_heads", "4", 1, 16),
                             int_param("d_model", "64", 1, 512),
                             choice_param("init", "xavier", kInits),
                             kCausalParam,
                             kSeedParam};

}  // namespace

const Experiment multi_head = {
    .id = kId,
    .question = "What do several heads see that a single one does not?",
    .source = "article 5, section 1.5",
    .group = Group::kWhere,
    .chapter = 11,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"heads_are_separate", "heads_nothing_compared", "heads_disagree"},
              .scalars = {"effective_keys_exp_mean_entropy", "entropy_of_heads", "entropy_of_mean",
                          "entropy_of_one_head", "mean_against_one_head", "row_sum_error", "head_mismatches",
                          "sum_of_scores_error", "multiply_adds", "exponentials"},
              .labels = {"head", "n_heads"},
              .figures = {"weights", "weights_mean", "weights_one_head", "head_output", "output"},
              .axes = {"key", "query", "weight", "component", "token", "component_value"}},
};

}  // namespace sqrtdk::experiments
