#include "experiments/training_race/training_work.h"

#include <algorithm>

#include "lab/work.h"

namespace sqrtdk {
namespace {

double number(int64_t n) { return static_cast<double>(n); }

/// Positions of one example: of the source where there is a stack of its own for it, and of the target.
struct Lengths {
  double source, target;
};

Lengths lengths_of(const TrainerConfig& config) {
  if (config.topology != Topology::kEncoderDecoder) return {0, number(config.model.context)};
  const std::unique_ptr<Task> task = make_task(config.task);
  return {number(task->n_source()), number(task->n_answer())};
}

bool is_complete(const TrainerConfig& config) { return config.model.vocab > 0; }

/// Widths of one layer.
struct Widths {
  explicit Widths(const TransformerLayerConfig& layer) : Widths(layer, layer.attention) {}
  Widths(const TransformerLayerConfig& layer, const MultiHeadAttentionConfig& attention)
      : d(number(attention.d_model)),
        heads(number(attention.n_heads)),
        q(number(attention.n_heads * attention.d_head)),
        kv(number(attention.n_kv_heads * attention.d_head)),
        ff(number(layer.d_ff)),
        gated(layer.feed_forward == FeedForwardKind::kSwiglu),
        normalizes(attention.qk_norm || attention.cosine),
        dropped(attention.dropout > 0) {}
  double d, heads, q, kv, ff;
  bool gated, normalizes, dropped;

  double attention_products(double n_q, double n_k) const {
    return n_q * 2 * d * q + n_k * 2 * d * kv + 2 * n_q * n_k * q;
  }
  double feed_forward_products(double n) const { return n * (gated ? 3 : 2) * d * ff; }

  // Floats that forward and backward leave, each in rows of the queries or of the keys.
  double attention_floats(double n_q, double n_k) const {
    const double wide = normalizes ? 11 : 8;  // norms: what they are given, their outputs and gradients
    return n_q * (wide * q + 3 * d) + n_k * (wide * kv + 2 * d);
  }
  double feed_forward_floats(double n) const { return n * (gated ? 6 * ff + 3 * d : 3 * ff + 2 * d); }
  double sublayer_floats(double n) const { return n * (dropped ? 5 : 4) * d; }
};

int n_moments(const OptimizerConfig& optimizer) {
  if (optimizer.kind == OptimizerKind::kSgd) return optimizer.momentum == 0 ? 0 : 1;
  return optimizer.kind == OptimizerKind::kAdagrad ? 1 : 2;
}

int64_t n_parameters(const TrainerConfig& config) {
  const std::unique_ptr<Task> task = make_task(config.task);
  Parameters never_allocated;
  const TaskModel model(never_allocated, *task, config.topology, config.model);
  return never_allocated.size();
}

}  // namespace

TrainerConfig completed(TrainerConfig config) {
  const std::unique_ptr<Task> task = make_task(config.task);
  Parameters never_allocated;
  config.model = TaskModel(never_allocated, *task, config.topology, config.model).config();
  return config;
}

double forward_products(const TrainerConfig& config) {
  if (!is_complete(config)) return forward_products(completed(config));
  const Widths layer(config.model.layer);
  const auto [source, target] = lengths_of(config);
  double products = layer.attention_products(target, target) + layer.feed_forward_products(target);
  if (source > 0) {
    products += layer.attention_products(source, source) + layer.feed_forward_products(source) +
                layer.attention_products(target, source);
  }
  return number(config.model.n_layers) * products + target * layer.d * number(config.model.n_out);
}

double forward_work(const TrainerConfig& config) { return product_work(forward_products(config)); }

double step_work(const TrainerConfig& config) { return 3 * number(config.batch) * forward_work(config); }

Looks::Looks(int64_t steps, int64_t about) : steps_(steps), every_(std::max<int64_t>(1, steps / about)) {}

int64_t Looks::count() const { return 1 + (steps_ + every_ - 1) / every_; }

double training_bytes(const TrainerConfig& config, int64_t head_examples) {
  if (!is_complete(config)) return training_bytes(completed(config), head_examples);
  const Widths layer(config.model.layer);
  const auto [source, target] = lengths_of(config);
  double floats = layer.attention_floats(target, target) + layer.feed_forward_floats(target) +
                  2 * layer.sublayer_floats(target);
  double cells = target * target;  // of scores
  if (source > 0) {
    floats += layer.attention_floats(source, source) + layer.feed_forward_floats(source) +
              2 * layer.sublayer_floats(source);
    floats += layer.attention_floats(target, source) + layer.sublayer_floats(target);
    cells += source * source + target * source;
  }
  floats *= number(config.model.n_layers);
  floats += target * (5 * layer.d + number(config.model.n_out)) + source * 5 * layer.d;
  const double examples = number(std::max(config.batch, head_examples));
  // Scores, weights and dscores, of steps only where weights are dropped, and then those too.
  const double kept_cells = number(config.model.n_layers) * layer.heads * cells *
                            (layer.dropped ? 4 * examples : 3 * number(head_examples));
  const double of_parameters = number(n_parameters(config)) * (2 + n_moments(config.optimizer));
  return 4 * (of_parameters + examples * floats + kept_cells);
}

}  // namespace sqrtdk
