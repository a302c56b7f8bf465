#include "models/language_model.h"

#include <algorithm>

#include "base/decimal.h"
#include "base/errors.h"

namespace sqrtdk {
namespace {

constexpr const char* kOp = "language_model";
constexpr int64_t kMaxSize = int64_t{1} << 24;  // products of two are sizes of shapes
constexpr int64_t kMaxLayers = 1024, kMaxContext = int64_t{1} << 20;

Linear head(Parameters& parameters, const std::string& name, const LanguageModelConfig& config,
            const TokenEmbedding& embedding) {
  const std::string head = inside(name, "head");
  if (!config.tied) return {parameters, head, config.layer.attention.d_model, config.n_out, config.head_bias};
  parameters.add_alias(inside(head, "weight"), embedding.weight());
  const int bias = config.head_bias ? parameters.add(inside(head, "bias"), {config.n_out},
                                                     ParameterRole::kBias, config.layer.attention.d_model)
                                    : -1;
  return {parameters, head, Rows{embedding.weight(), 0}, Rows{bias, 0}, config.n_out};
}

}  // namespace

LanguageModelConfig completed(LanguageModelConfig config) {
  MultiHeadAttentionConfig& attention = config.layer.attention;
  if (config.n_out == 0) config.n_out = config.vocab;
  const struct {
    const char* name;
    int64_t value, most;
  } sizes[] = {{"vocab", config.vocab, kMaxSize},         {"context", config.context, kMaxContext},
               {"n_layers", config.n_layers, kMaxLayers}, {"n_out", config.n_out, kMaxSize},
               {"d_model", attention.d_model, kMaxSize},  {"d_ff", config.layer.d_ff, kMaxSize},
               {"n_heads", attention.n_heads, kMaxSize}};
  for (const auto& [name, value, most] : sizes) {
    if (value < 1 || value > most) throw_out_of_range(kOp, name, 1, most, value);
  }
  if (config.tied && config.n_out != config.vocab) {
    throw_out_of_range(kOp, "n_out", "vocab, where it is tied", static_cast<double>(config.n_out));
  }
  if (config.positions == Positions::kRotary) {
    if (attention.rotary_base == 0) attention.rotary_base = 10000;
  } else if (attention.rotary_base != 0) {
    throw_out_of_range(kOp, "rotary_base", "0, where positions are not rotary", attention.rotary_base);
  }
  if (attention.n_kv_heads == 0) attention.n_kv_heads = attention.n_heads;
  if (attention.d_head == 0 && attention.d_model % attention.n_heads == 0)
    attention.d_head = attention.d_model / attention.n_heads;
  return config;
}

TokenEmbeddingConfig token_embedding(const LanguageModelConfig& c) {
  return {c.vocab, c.context, c.layer.attention.d_model, c.positions, c.scale_embedding};
}

LanguageModel::LanguageModel(Parameters& parameters, const std::string& name,
                             const LanguageModelConfig& config)
    : config_(completed(config)),
      x_(inside(name, "x")),
      last_(inside(name, "last")),
      embedding_(parameters, name, token_embedding(config_)),
      dropout_(inside(name, "dropout"), config_.layer.attention.dropout),
      layers_(parameters, name, config_.layer, config_.n_layers, config_.final_norm),
      head_(head(parameters, name, config_, embedding_)) {}

AttentionOptions LanguageModel::attention(AttentionOptions options) const {
  if (config_.causal) options.causal = Causal::kTopLeft;
  return options;
}

View LanguageModel::forward(IndexView ids, const AttentionOptions& options, bool explain, Cache& cache,
                            const Mode& mode) const {
  if (ids.shape.rank() != 2) throw_wrong_shape(kOp, "ids", "(batch, n)", ids.shape);
  if (ids.shape[1] > config_.context) throw_out_of_range(kOp, "n", 0, config_.context, ids.shape[1]);
  const View x = embedding_.forward(ids, 0, x_, cache);
  dropout_.forward(x, cache, mode);
  return head_.forward(layers_.forward(x, attention(options), explain, cache, mode), cache);
}

void LanguageModel::backward(IndexView ids, ConstView dlogits, const AttentionOptions& options,
                             Cache& cache) const {
  const View dx = layers_.backward(cache.at(x_), head_.backward(dlogits, cache), attention(options), cache);
  dropout_.backward(dx, cache);
  embedding_.backward(ids, dx);
}

View LanguageModel::decode(IndexView ids, const AttentionOptions& options, KeyValueCache& past,
                           Cache& cache) const {
  check_past(past, ids.shape);
  const int64_t batch = ids.shape[0], n = ids.shape[1], d_model = config_.layer.attention.d_model;
  const View x = embedding_.forward(ids, past.length(), x_, cache);
  const View out = layers_.forward_cached(x, past, options, cache);
  const View last = cache.make(last_, {batch, d_model});
  for (int64_t i = 0; i < batch; ++i) {
    std::copy_n(out.data + ((i + 1) * n - 1) * d_model, d_model, last.data + i * d_model);
  }
  return head_.forward(last, cache);
}

void LanguageModel::check_past(const KeyValueCache& past, const Shape& ids) const {
  if (!config_.causal) {
    throw ValueError(ErrorCode::kUnsupported, kOp, "model", "a causal model", "one that is not");
  }
  if (ids.rank() != 2) throw_wrong_shape(kOp, "ids", "(batch, n)", ids);
  const Shape like{ids[0], config_.layer.attention.n_kv_heads, past.capacity(),
                   config_.layer.attention.d_head};
  if (past.n_layers() != config_.n_layers || past.shape() != like) {
    throw ValueError(ErrorCode::kWrongShape, kOp, "past",
                     to_text(config_.n_layers) + " layers of " + like.text(),
                     to_text(past.n_layers()) + " of " + past.shape().text());
  }
  const int64_t most = std::min(config_.context, past.capacity()) - past.length();
  if (ids[1] < 1 || ids[1] > most) throw_out_of_range(kOp, "n", 1, most, ids[1]);
}

KeyValueCache LanguageModel::make_cache(int64_t batch, int64_t capacity) const {
  if (capacity == 0) capacity = config_.context;
  return {config_.n_layers, batch, config_.layer.attention.n_kv_heads, capacity,
          config_.layer.attention.d_head};
}

}  // namespace sqrtdk
