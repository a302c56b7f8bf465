// A layer of the encoder at the article's size, with everything on the way from its input to its output; and
// what follows from its form: normalized rows, masked keys, order, dropout, and the residual stream of a
// stack.
#include "layers/encoder_layer.h"

#include <algorithm>
#include <cmath>

#include "base/decimal.h"
#include "base/text.h"
#include "experiments/layer_trace.h"
#include "experiments/registry.h"
#include "lab/chance.h"
#include "lab/common_params.h"
#include "lab/statistics.h"
#include "lab/weight_rows.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "encoder_layer";
constexpr double kRounding = 1e-5;  // of what only the order of summation changes
constexpr int kDropoutTrials = 10;
constexpr int64_t kManyNumbers = 2048;  // of fewer, chance may outweigh what the layers add to their spread

constexpr Intermediate kIntermediates[] = {{"q", "self_attn.q"},
                                           {"k", "self_attn.k"},
                                           {"v", "self_attn.v"},
                                           {"scores", "self_attn.scores"},
                                           {"weights", "self_attn.weights"},
                                           {"heads", "self_attn.heads"},
                                           {"attention", "self_attn.out_proj.out"},
                                           {"residual1", "residual1"},
                                           {"norm1", "norm1.out"},
                                           {"hidden", "hidden"},
                                           {"feed_forward", "linear2.out"},
                                           {"residual2", "residual2"},
                                           {"norm2", "norm2.out"}};

struct Study : LayerStudy {
  Study(const Params& params, ProgressMeter& meter, const LayerWork& work);
  void trace();
  void norms();
  void padding();
  void order();
  void other_sequences();
  void dropout();
  double dropout_se() const;
  void depth();

  ConstView forward(const Tensor& input, const AttentionOptions& options = {}, const Mode& mode = {}) {
    meter.add(work.pass);
    return model.layer.forward(input.view(), options, true, model.cache, mode);
  }

  TransformerLayerConfig config;
  Tensor x;
  std::vector<int32_t> lengths;
  LayerModel<EncoderLayer> model;
};

TransformerLayerConfig config_of(const Params& params) {
  return {.attention = {.d_model = params.integer("d_model"),
                        .n_heads = params.integer("n_heads"),
                        .dropout = static_cast<float>(params.real("dropout"))},
          .d_ff = params.integer("d_ff"),
          .norm_first = params.choice("norm") == "pre"};
}

Study::Study(const Params& given, ProgressMeter& given_meter, const LayerWork& given_work)
    : LayerStudy(given, given_meter, given_work),
      config(config_of(given)),
      x(layer_input(given, "n", 0)),
      lengths(static_cast<size_t>(given.integer("batch")), static_cast<int32_t>(given.integer("n"))),
      model(config, "layer", given.seed("seed")) {
  lengths.back() -= static_cast<int32_t>(given.integer("padding"));
  meter.add(work.start);
}

/// Everything in between, with the last sequence padded.
void Study::trace() {
  AttentionOptions options;
  options.lengths = {lengths.data(), {static_cast<int64_t>(lengths.size())}};
  const ConstView out = forward(x, options);
  const Spread spread = spread_of(x.view());
  add("activation_mean", {{"tensor", "input"}}, spread.mean);
  add("activation_std", {{"tensor", "input"}}, spread.std);
  add_intermediates(result, model.cache, model.name, kIntermediates, {});
  result.lines.push_back("output shape: " + out.shape.text());
  require(out.shape == x.shape);
  result.add(head_map("head_weights", model.at("self_attn.weights"), static_cast<int64_t>(lengths.size()) - 1,
                      params.integer("head") - 1, "key", "query"));
}

/// Checks that rows of mean 0 and deviation 1 leave each norm, and with them a post-LN layer.
void Study::norms() {
  for (const char* key : {"norm1.out", "norm2.out"}) {
    const Spread worst = worst_row(model.at(key));
    const Labels at = {{"tensor", key == std::string("norm1.out") ? "norm1" : "norm2"}};
    add("row_mean_farthest_from_0", at, worst.mean, 0);
    add("row_std_farthest_from_1", at, worst.std, 1);
    require(std::fabs(worst.mean) < 1e-5 && std::fabs(worst.std - 1) < 1e-2);  // epsilon, in even rows
  }
}

/// Checks the weights of padded keys, and the sums of rows.
void Study::padding() {
  const ConstView weights = model.at("self_attn.weights");
  const int64_t n = x.shape[1], n_rows = weights.shape.leading(1) / x.shape[0];
  double largest = 0;
  for (int64_t row = 0; row < weights.shape.leading(1); ++row) {
    for (int64_t key = lengths[static_cast<size_t>(row / n_rows)]; key < n; ++key)
      largest = std::max(largest, static_cast<double>(weights.data[row * n + key]));
  }
  add("masked_weight_largest", {}, largest, 0);
  add("row_sum_error", {}, farthest_from_1(row_sums_of(weights)), 0);
  require(largest == 0 && farthest_from_1(row_sums_of(weights)) < 1e-5);
}

/// Without padding: permuted tokens give permuted outputs.
void Study::order() {
  const std::vector<int64_t> cycle = random_cycle(params.seed("seed"), x.shape[1]);
  const Tensor expected = permuted_rows(forward(x), cycle);
  const double change = relative_difference(expected.view(), forward(permuted_rows(x.view(), cycle)));
  add("permuted_change", {{"permuted", "both"}}, change, 0);
  require(change < kRounding);
}

/// Does another sequence of the batch reach the first? torch.nn.MultiheadAttention takes the first axis as
/// that of the tokens, unless batch_first is set.
void Study::other_sequences() {
  const int64_t batch = x.shape[0], size = x.shape.size() / batch;
  if (batch == 1) return;
  Tensor other = layer_input(params, "n", 1);
  std::copy_n(x.values.begin(), size, other.values.begin());
  const auto first = [&](const Tensor& of) { return ConstView(of.values.data(), {size}); };
  const Tensor before = copied(forward(x)), after = copied(forward(other));
  const int64_t felt = n_different(first(before), first(after));
  const auto first_swapped = [&](const Tensor& of) {
    const ConstView out = forward(swapped_axes(of.view()));
    require(model.at("self_attn.weights").shape == Shape{x.shape[1], config.attention.n_heads, batch, batch});
    return swapped_axes(out);
  };
  const int64_t felt_swapped = n_different(first(first_swapped(x)), first(first_swapped(other)));
  add("share_changed_by_other_sequence", {{"first_axis", "batch"}},
      static_cast<double>(felt) / static_cast<double>(size), 0);
  add("share_changed_by_other_sequence", {{"first_axis", "tokens"}},
      static_cast<double>(felt_swapped) / static_cast<double>(size));
  require(felt == 0 && felt_swapped > 0);
}

/// What attention adds to the residual sum, with dropout: its part along what it adds without, whose mean is
/// 1, and its power beside that without.
void Study::dropout() {
  forward(x);
  const Tensor whole = copied(model.at("self_attn.out_proj.out"));
  Moments along, power;
  for (int trial = 0; trial < kDropoutTrials; ++trial) {
    forward(x, {}, {.training = true, .seed = params.seed("seed"), .step = static_cast<uint64_t>(trial)});
    const ConstView sum = model.at("residual1");
    double product = 0, square = 0, whole_square = 0;
    for (size_t i = 0; i < whole.values.size(); ++i) {
      const double a = static_cast<double>(whole.values[i]);
      const double b = static_cast<double>(sum.data[i]) - static_cast<double>(x.values[i]);
      product += a * b;
      square += b * b;
      whole_square += a * a;
    }
    along.add(product / whole_square);
    power.add(square / whole_square);
  }
  const Labels at = {{"dropout", shortest(params.real("dropout"))}};
  result.add("dropout_mean", at, along.estimate(), 1);
  result.add("dropout_power", at, power.estimate());
  const double reach = Chance(1).reach(std::max(along.se(), dropout_se()), along.count(), 0);
  require(std::fabs(along.mean() - 1) <= reach + 1e-3);
}

/// What to expect of the trials' standard error, which few numbers, dropped in every trial, do not show: 1 /
/// (1 - p) and 0 have the variance p / (1 - p), and are factors of a token's weights and of its components.
double Study::dropout_se() const {
  const double p = params.real("dropout"), d = static_cast<double>(config.attention.d_model);
  const double n_weights = static_cast<double>(config.attention.n_heads * x.shape[1]);
  const double tokens = static_cast<double>(x.shape.leading(1) * kDropoutTrials);
  return std::sqrt(p / ((1 - p) * (1 - p)) * (1 / n_weights + 4 / d) / tokens);
}

/// The residual stream behind each layer of a stack, post-LN and pre-LN with the same weights.
void Study::depth() {
  Series post{.name = "post"}, pre{.name = "pre"};
  Tensor streams[] = {x, x};
  for (int64_t i = 0; i <= params.integer("n_layers"); ++i) {
    for (size_t form = 0; form < 2; ++form) {
      Series& series = form == 0 ? post : pre;
      series.add(i, spread_of(streams[form].view()).std);
    }
    if (i == params.integer("n_layers")) break;
    TransformerLayerConfig each = config;
    each.norm_first = false;
    const std::string name = "layers." + to_text(i);
    LayerModel<EncoderLayer> first(each, name, params.seed("seed"));
    streams[0] = copied(first.layer.forward(streams[0].view(), {}, false, first.cache, {}));
    each.norm_first = true;
    Parameters same;
    const EncoderLayer second(same, name, each);
    same.allocate();
    std::copy_n(first.parameters.values().begin(), same.size(), same.values().begin());
    streams[1] = copied(second.forward(streams[1].view(), {}, false, first.cache, {}));
    meter.add(work.start + 2 * work.pass);
  }
  for (const Series* series : {&post, &pre}) {
    add("stream_std", {{"norm", series->name}, {"layer", params.integer("n_layers")}}, series->y.back());
  }
  result.add(
      Figure{.name = "stream_over_depth", .at = {}, .x = "layer", .y = "stream_std", .series = {post, pre}});
  require(std::fabs(post.y.back() - 1) < 1e-3);
  if (x.shape.size() >= kManyNumbers) require(pre.y.back() > pre.y.front());
}

/// Forward passes, but for those of the stack, whose layers each take two.
int64_t n_passes(int64_t batch) {
  const int64_t trace = 1, order = 2, other_sequences = batch == 1 ? 0 : 4, dropout = 1 + kDropoutTrials;
  return trace + order + other_sequences + dropout;
}

Result run(const Params& params, ProgressMeter& meter) {
  const int64_t n = params.integer("n"), batch = params.integer("batch"),
                n_layers = params.integer("n_layers");
  check_heads(kId, params.integer("d_model"), params.integer("n_heads"));
  check_within(kId, "padding", params.integer("padding"), 0, n - 1);
  check_within(kId, "head", params.integer("head"), 1, params.integer("n_heads"));
  const LayerWork work(config_of(params), 1, batch * n);
  meter.begin(static_cast<double>(1 + n_layers) * work.start +
              static_cast<double>(n_passes(batch) + 2 * n_layers) * work.pass);
  Study study(params, meter, work);
  study.trace();
  study.norms();
  study.padding();
  study.order();
  study.other_sequences();
  study.dropout();
  study.depth();
  study.result.judge(study.agree, "encoder_layer_as_described", "encoder_layer_differs");
  return std::move(study.result);
}

constexpr Param kParams[] = {int_param("batch", "2", 1, 4),
                             int_param("n", "10", 1, 32),
                             int_param("d_model", "512", 8, 1024),
                             int_param("n_heads", "8", 1, 64),
                             int_param("d_ff", "2048", 8, 4096),
                             kNormParam,
                             real_param("dropout", "0.1", 0, 0.9),
                             int_param("padding", "3", 0, 31),
                             folded(int_param("n_layers", "6", 1, 12)),
                             int_param("head", "1", 1, 64),
                             kInputParam,
                             kSeedParam};

}  // namespace

const Experiment encoder_layer = {
    .id = kId,
    .question = "What happens to a sentence inside one layer of the encoder?",
    .source = "article 5, section 1.3: the encoder and its code",
    .group = Group::kRest,
    .chapter = 14,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"encoder_layer_as_described", "encoder_layer_differs"},
              .scalars = {"activation_mean", "activation_std", "row_mean_farthest_from_0",
                          "row_std_farthest_from_1", "masked_weight_largest", "row_sum_error",
                          "permuted_change", "share_changed_by_other_sequence", "dropout_mean",
                          "dropout_power", "stream_std"},
              .labels = {"tensor", "permuted", "first_axis", "dropout", "norm", "layer", "head"},
              .figures = {"head_weights", "stream_over_depth"},
              .axes = {"key", "query", "weight", "layer", "stream_std"},
              .series = {"post", "pre"},
              .values = {"input", "q", "k", "v", "scores", "weights", "heads", "attention", "residual1",
                         "norm1", "hidden", "feed_forward", "residual2", "norm2", "both", "batch", "tokens"}},
};

}  // namespace sqrtdk::experiments
