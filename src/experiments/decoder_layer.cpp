// A layer of the decoder at the article's size: each target token attends to itself and to those before it,
// then to the encoder's output. What is masked cannot be felt, not by one bit.
#include "layers/decoder_layer.h"

#include <algorithm>

#include "experiments/layer_trace.h"
#include "experiments/registry.h"
#include "lab/common_params.h"
#include "lab/weight_rows.h"

namespace sqrtdk::experiments {
namespace {

constexpr const char* kId = "decoder_layer";
constexpr double kRounding = 1e-5;  // of what only the order of summation changes
constexpr int kPasses = 5;  // forward: the trace, three with other target tokens, one with another order

constexpr Intermediate kIntermediates[] = {{"q", "self_attn.q"},
                                           {"k", "self_attn.k"},
                                           {"v", "self_attn.v"},
                                           {"scores", "self_attn.scores"},
                                           {"weights", "self_attn.weights"},
                                           {"heads", "self_attn.heads"},
                                           {"attention", "self_attn.out_proj.out"},
                                           {"residual1", "residual1"},
                                           {"norm1", "norm1.out"},
                                           {"cross_q", "multihead_attn.q"},
                                           {"cross_k", "multihead_attn.k"},
                                           {"cross_v", "multihead_attn.v"},
                                           {"cross_scores", "multihead_attn.scores"},
                                           {"cross_weights", "multihead_attn.weights"},
                                           {"cross_heads", "multihead_attn.heads"},
                                           {"cross_attention", "multihead_attn.out_proj.out"},
                                           {"residual2", "residual2"},
                                           {"norm2", "norm2.out"},
                                           {"hidden", "hidden"},
                                           {"feed_forward", "linear2.out"},
                                           {"residual3", "residual3"},
                                           {"norm3", "norm3.out"}};

struct Study : LayerStudy {
  Study(const Params& params, ProgressMeter& meter, const LayerWork& work);
  void trace();
  void masked_weights();
  void cross_weights();
  void later_tokens();
  void order_of_source();

  ConstView forward(const Tensor& target, const Tensor& source, const DecoderOptions& options = {}) {
    meter.add(work.pass);
    return model.layer.forward(target.view(), source.view(), options, true, model.cache, {});
  }

  Tensor target, source;
  LayerModel<DecoderLayer> model;
  Tensor out;
};

TransformerLayerConfig config_of(const Params& params) {
  return {.attention = {.d_model = params.integer("d_model"), .n_heads = params.integer("n_heads")},
          .d_ff = params.integer("d_ff"),
          .norm_first = params.choice("norm") == "pre"};
}

Study::Study(const Params& given, ProgressMeter& given_meter, const LayerWork& given_work)
    : LayerStudy(given, given_meter, given_work),
      target(layer_input(given, "n_target", 0)),
      source(layer_input(given, "n_source", 1)),
      model(config_of(given), "layer", given.seed("seed")),
      out(target.shape) {
  meter.add(work.start);
}

void Study::trace() {
  out = copied(forward(target, source));
  add_intermediates(result, model.cache, model.name, kIntermediates, {});
  result.lines.push_back("output shape: " + out.shape.text());
  require(out.shape == target.shape);
  const int64_t head = params.integer("head") - 1;
  result.add(head_map("self_weights", model.at("self_attn.weights"), 0, head, "target_key", "target_query"));
  result.add(
      head_map("cross_weights", model.at("multihead_attn.weights"), 0, head, "source_key", "target_query"));
}

/// Checks self-attention's weights above the diagonal.
void Study::masked_weights() {
  const ConstView weights = model.at("self_attn.weights");
  const int64_t n = target.shape[1];
  double largest = 0;
  for (int64_t row = 0; row < weights.shape.leading(1); ++row) {
    for (int64_t key = row % n + 1; key < n; ++key)
      largest = std::max(largest, static_cast<double>(weights.data[row * n + key]));
  }
  add("masked_weight_largest", {}, largest, 0);
  add("row_sum_error", {{"tensor", "weights"}}, farthest_from_1(row_sums_of(weights)), 0);
  require(largest == 0 && farthest_from_1(row_sums_of(weights)) < 1e-5);
}

/// Checks cross-attention's weights: a row for each target token, a column for each source token.
void Study::cross_weights() {
  const ConstView weights = model.at("multihead_attn.weights");
  add("row_sum_error", {{"tensor", "cross_weights"}}, farthest_from_1(row_sums_of(weights)), 0);
  require(weights.shape ==
          Shape{target.shape[0], params.integer("n_heads"), target.shape[1], source.shape[1]});
  require(farthest_from_1(row_sums_of(weights)) < 1e-5);
}

/// Other target tokens from one position on: which outputs feel it, with the mask and without?
void Study::later_tokens() {
  const int64_t batch = target.shape[0], n = target.shape[1], d = target.shape[2];
  const int64_t changed = params.integer("changed");
  Tensor other = layer_input(params, "n_target", 2);
  for (int64_t sequence = 0; sequence < batch; ++sequence) {
    const auto first = static_cast<std::ptrdiff_t>(sequence * n * d);
    std::copy_n(target.values.begin() + first, changed * d, other.values.begin() + first);
  }
  Figure figure{.name = "change_by_later_tokens", .at = {}, .x = "target_query", .y = "relative_change"};
  for (const char* mask : {"causal", "no_mask"}) {
    DecoderOptions options;
    const bool causal = mask == std::string("causal");
    options.self.causal = causal ? Causal::kTopLeft : Causal::kNo;
    const Tensor before = causal ? out : copied(forward(target, source, options));
    const Tensor after = copied(forward(other, source, options));
    Series series{.name = mask};
    int64_t felt_before = 0;
    bool felt_after = true;
    for (int64_t i = 0; i < n; ++i) {
      int64_t different = 0;
      double change = 0;
      for (int64_t sequence = 0; sequence < batch; ++sequence) {
        const int64_t first = (sequence * n + i) * d;
        const ConstView a(before.values.data() + first, {d}), b(after.values.data() + first, {d});
        different += n_different(a, b);
        change = std::max(change, relative_difference(a, b));
      }
      if (i < changed) felt_before += different;
      if (i >= changed) felt_after = felt_after && different > 0;
      series.add(i, change);
    }
    figure.series.push_back(series);
    if (changed > 0) {
      add("share_changed_by_later_tokens", {{"mask", mask}},
          static_cast<double>(felt_before) / static_cast<double>(batch * changed * d), causal ? 0 : kNone);
    }
    require(felt_after && (causal ? felt_before == 0 : changed == 0 || felt_before > 0));
  }
  result.add(figure);
}

/// Cross-attention takes the encoder's output as a set: its order is no more than an order of summation.
void Study::order_of_source() {
  const std::vector<int64_t> cycle = random_cycle(params.seed("seed"), source.shape[1]);
  const double change = relative_difference(out.view(), forward(target, permuted_rows(source.view(), cycle)));
  add("permuted_change", {{"permuted", "source"}}, change, 0);
  require(change < kRounding);
}

Result run(const Params& params, ProgressMeter& meter) {
  check_heads(kId, params.integer("d_model"), params.integer("n_heads"));
  check_within(kId, "changed", params.integer("changed"), 0, params.integer("n_target") - 1);
  check_within(kId, "head", params.integer("head"), 1, params.integer("n_heads"));
  const int64_t n = std::max(params.integer("n_target"), params.integer("n_source"));
  const LayerWork work(config_of(params), 2, params.integer("batch") * n);
  meter.begin(work.start + kPasses * work.pass);
  Study study(params, meter, work);
  study.trace();
  study.masked_weights();
  study.cross_weights();
  study.later_tokens();
  study.order_of_source();
  study.result.judge(study.agree, "decoder_sees_no_future", "decoder_layer_differs");
  return std::move(study.result);
}

constexpr Param kParams[] = {int_param("batch", "2", 1, 4),
                             int_param("n_target", "10", 1, 32),
                             int_param("n_source", "10", 1, 32),
                             int_param("d_model", "512", 8, 1024),
                             int_param("n_heads", "8", 1, 64),
                             int_param("d_ff", "2048", 8, 4096),
                             kNormParam,
                             int_param("changed", "5", 0, 31),
                             int_param("head", "1", 1, 64),
                             kInputParam,
                             kSeedParam};

}  // namespace

const Experiment decoder_layer = {
    .id = kId,
    .question = "How does a decoder read its own text without seeing what comes next?",
    .source = "article 5, section 1.4: the decoder and its code",
    .group = Group::kRest,
    .chapter = 14,
    .params = kParams,
    .run = run,
    .words = {.verdicts = {"decoder_sees_no_future", "decoder_layer_differs"},
              .scalars = {"activation_mean", "activation_std", "masked_weight_largest", "row_sum_error",
                          "share_changed_by_later_tokens", "permuted_change"},
              .labels = {"tensor", "mask", "permuted", "head"},
              .figures = {"self_weights", "cross_weights", "change_by_later_tokens"},
              .axes = {"target_key", "target_query", "weight", "source_key", "relative_change"},
              .series = {"causal", "no_mask"},
              .values = {"q",
                         "k",
                         "v",
                         "scores",
                         "weights",
                         "heads",
                         "attention",
                         "residual1",
                         "norm1",
                         "cross_q",
                         "cross_k",
                         "cross_v",
                         "cross_scores",
                         "cross_weights",
                         "cross_heads",
                         "cross_attention",
                         "residual2",
                         "norm2",
                         "hidden",
                         "feed_forward",
                         "residual3",
                         "norm3",
                         "source"}},
};

}  // namespace sqrtdk::experiments
