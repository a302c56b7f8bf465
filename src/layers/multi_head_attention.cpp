#include "layers/multi_head_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/errors.h"
#include "kernels/attention/attention.h"
#include "kernels/attention/cosine_attention.h"
#include "kernels/attention/heads.h"
#include "kernels/attention/masking.h"
#include "kernels/attention/tiled_attention.h"

namespace sqrtdk {
namespace {

constexpr const char* kOp = "multi_head_attention";
constexpr int64_t kMaxSize = int64_t{1} << 24;  // products of two are sizes of shapes

MultiHeadAttentionConfig complete(MultiHeadAttentionConfig config) {
  const auto positive = [](const char* argument, int64_t value) {
    if (value < 1 || value > kMaxSize) throw_out_of_range(kOp, argument, 1, kMaxSize, value);
  };
  positive("d_model", config.d_model), positive("n_heads", config.n_heads);
  if (config.d_head == 0) {
    if (config.d_model % config.n_heads != 0) {
      throw_out_of_range(kOp, "n_heads", "a divisor of d_model", static_cast<double>(config.n_heads));
    }
    config.d_head = config.d_model / config.n_heads;
  }
  if (config.n_kv_heads == 0) config.n_kv_heads = config.n_heads;
  if (config.d_key_in == 0) config.d_key_in = config.d_model;
  if (config.d_value_in == 0) config.d_value_in = config.d_model;
  positive("d_head", config.d_head), positive("n_kv_heads", config.n_kv_heads);
  positive("d_key_in", config.d_key_in), positive("d_value_in", config.d_value_in);
  if (config.n_heads % config.n_kv_heads != 0) {
    throw_out_of_range(kOp, "n_kv_heads", "a divisor of n_heads", static_cast<double>(config.n_kv_heads));
  }
  if (!(config.dropout >= 0 && config.dropout < 1)) {
    throw_out_of_range(kOp, "dropout", "0 .. 1, without 1", config.dropout);
  }
  if (config.rotary_base != 0 && !(config.rotary_base >= 1)) {
    throw_out_of_range(kOp, "rotary_base", "0 for none, or 1 or more", config.rotary_base);
  }
  if (config.rotary_base != 0 && config.d_head % 2 != 0) {
    throw_out_of_range(kOp, "d_head", "even, for rotary positions", static_cast<double>(config.d_head));
  }
  if (!(config.softcap >= 0 && config.softcap <= std::numeric_limits<float>::max())) {
    throw_out_of_range(kOp, "softcap", "0 or a positive number", config.softcap);
  }
  if (config.cosine && config.qk_norm) {
    throw ValueError(ErrorCode::kUnsupported, kOp, "cosine", "without qk_norm", "both");
  }
  if (config.tied_kv && config.d_key_in != config.d_value_in) {
    throw_out_of_range(kOp, "d_value_in", "d_key_in, where w_k is w_v",
                       static_cast<double>(config.d_value_in));
  }
  return config;
}

bool one_in_proj(const MultiHeadAttentionConfig& config) {
  return config.d_key_in == config.d_model && config.d_value_in == config.d_model &&
         config.n_kv_heads == config.n_heads;
}

// PyTorch begins its bias as 0, like those of q, k and v.
Linear out_projection(Parameters& parameters, const std::string& name,
                      const MultiHeadAttentionConfig& config) {
  const int64_t n_in = config.n_heads * config.d_head, n_out = config.d_model;
  const Rows weight{parameters.add(inside(name, "weight"), {n_out, n_in}, ParameterRole::kWeight), 0};
  Rows bias;
  if (config.bias) {
    bias.parameter = parameters.add(inside(name, "bias"), {n_out}, ParameterRole::kProjectionBias);
  }
  return {parameters, name, weight, bias, n_out};
}

// x [batch, heads, n, d] as rows n_past .. of past [batch, heads, capacity, d].
void append(ConstView x, View past, int64_t n_past) {
  const int64_t n = x.shape[2], capacity = past.shape[2], d = x.shape[3];
  for (int64_t head = 0; head < x.shape.leading(2); ++head) {
    std::copy_n(x.data + head * n * d, n * d, past.data + (head * capacity + n_past) * d);
  }
}

}  // namespace

MultiHeadAttention::Names::Names(const std::string& name)
    : scores(inside(name, "scores")),
      weights(inside(name, "weights")),
      dropped_weights(inside(name, "dropped_weights")),
      row_stats(inside(name, "row_stats")),
      head_scales(inside(name, "head_scales")),
      heads(inside(name, "heads")),
      dheads(inside(name, "dheads")),
      dscores(inside(name, "dscores")),
      concat(inside(name, "concat")),
      dx(inside(name, "dx")) {}

MultiHeadAttention::InProjection::InProjection(Parameters& parameters, const std::string& name,
                                               const MultiHeadAttentionConfig& config) {
  const int64_t d_q = config.n_heads * config.d_head, d_kv = config.n_kv_heads * config.d_head;
  const int64_t first_v = config.tied_kv ? d_q : d_q + d_kv, rows = first_v + d_kv;
  const auto add = [&](const char* what, int64_t n_out, int64_t n_in) {
    return parameters.add(inside(name, what), {n_out, n_in}, ParameterRole::kProjection);
  };
  if (one_in_proj(config)) {
    const int weight = add("in_proj_weight", rows, config.d_model);
    w_q = {weight, 0}, w_k = {weight, d_q}, w_v = {weight, first_v};
  } else {
    w_q = {add("q_proj_weight", d_q, config.d_model), 0};
    w_k = {add(config.tied_kv ? "kv_proj_weight" : "k_proj_weight", d_kv, config.d_key_in), 0};
    w_v = config.tied_kv ? w_k : Rows{add("v_proj_weight", d_kv, config.d_value_in), 0};
  }
  if (!config.bias) return;
  const int bias = parameters.add(inside(name, "in_proj_bias"), {rows}, ParameterRole::kProjectionBias);
  b_q = {bias, 0}, b_k = {bias, d_q}, b_v = {bias, first_v};
}

MultiHeadAttention::MultiHeadAttention(Parameters& parameters, const std::string& name,
                                       const MultiHeadAttentionConfig& given)
    : name_(name),
      names_(name),
      parameters_(&parameters),
      config_(complete(given)),
      in_(parameters, name, config_),
      q_(parameters, name, 'q', in_.w_q, in_.b_q, config_.n_heads, config_.d_head),
      k_(parameters, name, 'k', in_.w_k, in_.b_k, config_.n_kv_heads, config_.d_head),
      v_(parameters, name, 'v', in_.w_v, in_.b_v, config_.n_kv_heads, config_.d_head),
      out_(out_projection(parameters, inside(name, "out_proj"), config_)),
      dropout_stream_(stream_of(names_.weights.text())) {
  if (config_.qk_norm || config_.cosine) {
    const float epsilon = config_.cosine ? kCosineEpsilon * kCosineEpsilon : config_.norm_epsilon;
    const auto norm = [&](const char* of) {
      return Norm(parameters, inside(name, of), NormKind::kRms, config_.d_head, epsilon, config_.qk_norm);
    };
    q_.normalize_with(norm("q_norm"));
    k_.normalize_with(norm("k_norm"));
  }
  if (config_.learned_scale) scale_ = parameters.add(inside(name, "scale"), {1}, ParameterRole::kScale);
  if (config_.rotary_base != 0) rotary_.emplace(config_.rotary_base, config_.d_head, config_.rotary_pairs);
  parameters.add_attention({in_.w_q, in_.w_k, q_.n_out(), scale_});
}

AttentionOptions MultiHeadAttention::merged(AttentionOptions options, Cache& cache) const {
  if (!options.scale && options.head_scales.empty()) {
    options.scale = scale_ >= 0 ? std::as_const(*parameters_).value(scale_).data[0] : config_.scale;
  }
  if (config_.cosine) {
    // Both have the length sqrt(d_head): q · k = d_head cos(q, k).
    const auto d = static_cast<double>(config_.d_head);
    options.scale = static_cast<float>((options.scale ? *options.scale : std::sqrt(d)) / d);
    if (const int64_t n = std::ssize(options.head_scales); n > 0) {
      float* const scales = cache.make(names_.head_scales, {n}).data;
      for (size_t i = 0; i < options.head_scales.size(); ++i) {
        scales[i] = static_cast<float>(options.head_scales[i] / d);
      }
      options.head_scales = {scales, options.head_scales.size()};
    }
  }
  if (options.softcap == 0) options.softcap = config_.softcap;
  return options;
}

DropoutKey MultiHeadAttention::dropout_key_of(const Mode& mode) const {
  return {mode.seed, dropout_stream_ + mode.step};
}

// out = concat(heads) w_oᵀ + b_o
View MultiHeadAttention::finish(ConstView heads, Cache& cache) const {
  const View rows = cache.make(names_.concat, {heads.shape[0], heads.shape[2], out_.n_in()});
  merge_heads(heads, rows);
  return out_.forward(rows, cache);
}

View MultiHeadAttention::forward(ConstView query, ConstView key, ConstView value,
                                 const AttentionOptions& given, bool explain, Cache& cache,
                                 const Mode& mode) const {
  check_rank(kOp, "query", query.shape, 3, "(batch, n_q, d_model)");
  check_rank(kOp, "key", key.shape, 3, "(batch, n_k, d_key_in)");
  const int64_t batch = query.shape[0], n_q = query.shape[1], n_k = key.shape[1];
  check_shape(kOp, "query", query.shape, {batch, n_q, config_.d_model});
  check_shape(kOp, "key", key.shape, {batch, n_k, config_.d_key_in});
  check_shape(kOp, "value", value.shape, {batch, n_k, config_.d_value_in});
  const AttentionOptions options = merged(given, cache);
  if (options.n_past < 0) {
    throw_out_of_range(kOp, "n_past", "0 or more", static_cast<double>(options.n_past));
  }
  cache.mode = mode;

  const View q = q_.forward(query, rotary(), options.n_past, cache);
  const View k = k_.forward(key, rotary(), 0, cache), v = v_.forward(value, nullptr, 0, cache);

  // heads_h = attention(q_h, k_h, v_h)
  const View heads = cache.make(names_.heads, q.shape);
  // The gradient of a scale of 0 needs the weights: the other form divides by it.
  const bool visible = explain || drops(mode) || (scale_ >= 0 && options.scale == 0.0f);
  const Shape pairs = visible ? q.shape.with_last(n_q, n_k) : Shape{0};
  const View scores = cache.make(names_.scores, pairs), weights = cache.make(names_.weights, pairs);
  if (drops(mode)) {
    const WeightDropout dropout{config_.dropout, dropout_key_of(mode),
                                cache.make(names_.dropped_weights, pairs)};
    attention_forward(q, k, v, options, scores, weights, heads, &dropout);
  } else if (visible) {
    attention_forward(q, k, v, options, scores, weights, heads);
  } else {
    Arena& scratch = cache.scratch(tiled_attention_forward_scratch(q, k, v));
    const View row_stats = cache.make(names_.row_stats, q.shape.with_last(n_q, 2));
    tiled_attention_forward(q, k, v, options, heads, row_stats, scratch);
  }
  return finish(heads, cache);
}

View MultiHeadAttention::forward_cached(ConstView x, const PastKeys& past, const AttentionOptions& given,
                                        Cache& cache) const {
  check_rank(kOp, "x", x.shape, 3, "(batch, n, d_model)");
  const int64_t batch = x.shape[0], n = x.shape[1], n_heads = config_.n_heads, d = config_.d_head;
  const int64_t n_kv_heads = config_.n_kv_heads, group = n_heads / n_kv_heads;
  check_shape(kOp, "x", x.shape, {batch, n, config_.d_model});
  check_rank(kOp, "past", past.k.shape, 4, "(batch, n_kv_heads, capacity, d_head)");
  const int64_t capacity = past.k.shape[2];
  check_shape(kOp, "past", past.k.shape, {batch, n_kv_heads, capacity, d});
  check_shape(kOp, "past", past.v.shape, past.k.shape);
  if (past.n_past < 0 || past.n_past > capacity) {
    throw_out_of_range(kOp, "n_past", 0, capacity, past.n_past);
  }
  if (n > capacity - past.n_past) throw_out_of_range(kOp, "n", 0, capacity - past.n_past, n);
  const int64_t n_k = past.n_past + n;
  if (given.mask || given.bias || given.lengths) {
    throw ValueError(ErrorCode::kUnsupported, kOp, "options", "no mask, bias or lengths with past keys",
                     given.mask   ? "mask"
                     : given.bias ? "bias"
                                  : "lengths");
  }
  if (config_.d_key_in != config_.d_model || config_.d_value_in != config_.d_model) {
    throw ValueError(ErrorCode::kUnsupported, kOp, "past", "keys and values of the dimension of queries",
                     "other dimensions");
  }
  AttentionOptions options = merged(given, cache);
  options.causal = Causal::kTopLeft, options.n_past = past.n_past;

  const View q = q_.forward(x, rotary(), past.n_past, cache);
  append(k_.forward(x, rotary(), past.n_past, cache), past.k, past.n_past);
  append(v_.forward(x, nullptr, past.n_past, cache), past.v, past.n_past);

  // Each head of keys by itself: what has been filled of it, and no more.
  const std::span<const float> scales = options.head_scales;
  check_head_scales(kOp, scales, n_heads);
  const View heads = cache.make(names_.heads, q.shape);
  for (int64_t head = 0; head < batch * n_kv_heads; ++head) {
    const ConstView keys(past.k.data + head * capacity * d, {1, n_k, d});
    const ConstView values(past.v.data + head * capacity * d, {1, n_k, d});
    const int64_t first = head * group * n * d;
    const ConstView queries(q.data + first, {group, n, d});
    if (!scales.empty()) {
      options.head_scales =
          scales.subspan(static_cast<size_t>(head % n_kv_heads * group), static_cast<size_t>(group));
    }
    Arena& scratch = cache.scratch(tiled_attention_forward_scratch(queries, keys, values));
    tiled_attention_forward(queries, keys, values, options, {heads.data + first, queries.shape}, {}, scratch);
  }
  return finish(heads, cache);
}

}  // namespace sqrtdk
