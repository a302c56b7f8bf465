#include "layers/multi_head_attention.h"

#include <algorithm>
#include <array>

#include "kernels/attention.h"
#include "kernels/elementwise.h"
#include "kernels/heads.h"
#include "kernels/rotary.h"
#include "kernels/tiled_attention.h"
#include "tensor/errors.h"

namespace sqrtdk {
namespace {

constexpr const char* kOp = "multi_head_attention";

MultiHeadAttentionConfig complete(MultiHeadAttentionConfig config) {
  const auto positive = [](const char* argument, int64_t value) {
    if (value < 1) throw_out_of_range(kOp, argument, "1 or more", static_cast<double>(value));
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
  return config;
}

DropoutKey key_of(const std::string& name, const Mode& mode) {
  return dropout_key(inside(name, "weights"), mode);
}

// Tables of cos and sin, kept from forward to backward. Keys stand at positions 0 .. n_k - 1, queries from
// n_past on.
struct Rotary {
  Rotary(const std::string& name, Cache& cache)
      : cos(cache.at(inside(name, "rotary_cos"))), sin(cache.at(inside(name, "rotary_sin"))) {}
  Rotary(const std::string& name, double base, const Shape& shape, Cache& cache)
      : cos(cache.make(inside(name, "rotary_cos"), shape)),
        sin(cache.make(inside(name, "rotary_sin"), shape)) {
    rotary_table(base, cos, sin);
  }
  void forward(View x, int64_t first) const {
    const int64_t n = x.shape[-2];
    rotary_forward(x, rows(cos, first, n), rows(sin, first, n), {}, RotaryPairs::kHalves, x);
  }
  void backward(View dx, int64_t first) const {
    const int64_t n = dx.shape[-2];
    rotary_backward(dx, rows(cos, first, n), rows(sin, first, n), {}, RotaryPairs::kHalves, dx);
  }

 private:
  static ConstView rows(ConstView table, int64_t first, int64_t n) {
    return {table.data + first * table.shape[-1], {n, table.shape[-1]}};
  }
  View cos, sin;
};

bool one_in_proj(const MultiHeadAttentionConfig& config) {
  return config.d_key_in == config.d_model && config.d_value_in == config.d_model &&
         config.n_kv_heads == config.n_heads;
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(Parameters& parameters, std::string name,
                                       const MultiHeadAttentionConfig& given)
    : name_(std::move(name)), config_(complete(given)) {
  const int64_t d_q = config_.n_heads * config_.d_head, d_kv = config_.n_kv_heads * config_.d_head;
  const std::array<const char*, 3> names{"q_proj", "k_proj", "v_proj"};
  const std::array<int64_t, 3> n_in{config_.d_model, config_.d_key_in, config_.d_value_in};
  const std::array<int64_t, 3> n_out{d_q, d_kv, d_kv};
  std::array<Rows, 3> weights{};
  if (one_in_proj(config_)) {
    const int weight = parameters.add(inside(name_, "in_proj_weight"), {3 * d_q, config_.d_model});
    for (size_t i = 0; i < 3; ++i) weights[i] = {weight, static_cast<int64_t>(i) * d_q};
  } else {
    for (size_t i = 0; i < 3; ++i) {
      weights[i] = {parameters.add(inside(name_, names[i]) + "_weight", {n_out[i], n_in[i]}), 0};
    }
  }
  const int bias = config_.bias ? parameters.add(inside(name_, "in_proj_bias"), {d_q + 2 * d_kv}) : -1;
  int64_t first = 0;
  for (size_t i = 0; i < 3; ++i) {
    projections_.emplace_back(parameters, inside(name_, names[i]), weights[i], Rows{bias, first}, n_out[i]);
    first += n_out[i];
  }
  projections_.emplace_back(parameters, inside(name_, "out_proj"), d_q, config_.d_model, config_.bias);
}

AttentionOptions MultiHeadAttention::merged(AttentionOptions options) const {
  if (!options.scale) options.scale = config_.scale;
  if (options.softcap == 0) options.softcap = config_.softcap;
  return options;
}

View MultiHeadAttention::to_heads(ConstView rows, const char* name, int64_t n_heads, Cache& cache) const {
  const View heads = cache.make(inside(name_, name), {rows.shape[0], n_heads, rows.shape[1], config_.d_head});
  split_heads(rows, heads);
  return heads;
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
  const AttentionOptions options = merged(given);
  if (options.n_past < 0) {
    throw_out_of_range(kOp, "n_past", "0 or more", static_cast<double>(options.n_past));
  }
  cache.mode = mode;

  // q = x w_qᵀ + b_q ..
  const View q = to_heads(projections_[0].forward(query, cache), "q", config_.n_heads, cache);
  const View k = to_heads(projections_[1].forward(key, cache), "k", config_.n_kv_heads, cache);
  const View v = to_heads(projections_[2].forward(value, cache), "v", config_.n_kv_heads, cache);
  if (config_.rotary_base != 0) {
    const Shape table{std::max(n_k, options.n_past + n_q), config_.d_head / 2};
    const Rotary positions(name_, config_.rotary_base, table, cache);
    positions.forward(q, options.n_past), positions.forward(k, 0);
  }

  // heads_h = attention(q_h, k_h, v_h)
  const View heads = cache.make(inside(name_, "heads"), q.shape);
  const Shape pairs = explain || drops(mode) ? q.shape.with_last(n_q, n_k) : Shape{0};
  const View scores = cache.make(inside(name_, "scores"), pairs);
  const View weights = cache.make(inside(name_, "weights"), pairs);
  if (drops(mode)) {
    const WeightDropout dropout{config_.dropout, key_of(name_, mode),
                                cache.make(inside(name_, "dropped_weights"), pairs)};
    attention_forward(q, k, v, options, scores, weights, heads, &dropout);
  } else if (explain) {
    attention_forward(q, k, v, options, scores, weights, heads);
  } else {
    Arena& scratch = cache.scratch(tiled_attention_forward_scratch(q, k, v));
    const View row_stats = cache.make(inside(name_, "row_stats"), q.shape.with_last(n_q, 2));
    tiled_attention_forward(q, k, v, options, heads, row_stats, scratch);
  }

  // out = concat(heads) w_oᵀ + b_o
  const View rows = cache.make(inside(name_, "concat"), {batch, n_q, config_.n_heads * config_.d_head});
  merge_heads(heads, rows);
  return projections_[3].forward(rows, cache);
}

MultiHeadAttention::Gradients MultiHeadAttention::backward(ConstView dout, const AttentionOptions& given,
                                                           Cache& cache) const {
  const AttentionOptions options = merged(given);
  const ConstView q = cache.at(inside(name_, "q")), k = cache.at(inside(name_, "k")),
                  v = cache.at(inside(name_, "v"));

  // out = concat(heads) w_oᵀ + b_o
  const View dheads = to_heads(projections_[3].backward(dout, cache), "dheads", config_.n_heads, cache);

  // heads_h = attention(q_h, k_h, v_h)
  const View dq = cache.make(inside(name_, "dq"), q.shape), dk = cache.make(inside(name_, "dk"), k.shape),
             dv = cache.make(inside(name_, "dv"), v.shape);
  const ConstView weights = cache.at(inside(name_, "weights"));
  if (weights.shape.rank() == 4) {
    const View dscores = cache.make(inside(name_, "dscores"), weights.shape);
    std::optional<WeightDropout> dropout;
    if (drops(cache.mode)) {
      dropout = {config_.dropout, key_of(name_, cache.mode), cache.at(inside(name_, "dropped_weights"))};
    }
    attention_backward(q, k, v, options, cache.at(inside(name_, "scores")), weights, dheads, dscores, dq, dk,
                       dv, dropout ? &*dropout : nullptr);
  } else {
    Arena& scratch = cache.scratch(tiled_attention_backward_scratch(q, k, v));
    tiled_attention_backward(q, k, v, options, cache.at(inside(name_, "row_stats")), dheads, dq, dk, dv,
                             scratch);
  }

  // q = x w_qᵀ + b_q ..
  if (config_.rotary_base != 0) {
    const Rotary positions(name_, cache);
    positions.backward(dq, options.n_past), positions.backward(dk, 0);
  }
  const auto project_back = [&](size_t projection, ConstView dheads, const char* name) {
    const Shape& shape = dheads.shape;
    const View rows = cache.make(inside(name_, name), {shape[0], shape[2], shape[1] * shape[3]});
    merge_heads(dheads, rows);
    return projections_[projection].backward(rows, cache);
  };
  const View dquery = project_back(0, dq, "dq_rows"), dkey = project_back(1, dk, "dk_rows");
  return {dquery, dkey, project_back(2, dv, "dv_rows")};
}

View MultiHeadAttention::self_backward(ConstView dout, const AttentionOptions& options, Cache& cache) const {
  const auto [dquery, dkey, dvalue] = backward(dout, options, cache);
  const View dx = cache.make(inside(name_, "dx"), dquery.shape);
  add_elements(dquery, dkey, dx);
  add_elements(dx, dvalue, dx);
  return dx;
}

}  // namespace sqrtdk
