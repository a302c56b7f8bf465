#include "experiments/bug_museum/misplaced_training.h"

#include <algorithm>

#include "experiments/training_race/training_work.h"
#include "kernels/attention/heads.h"
#include "kernels/cross_entropy.h"
#include "layers/feed_forward.h"
#include "layers/sublayer.h"
#include "layers/token_embedding.h"
#include "training/trainer.h"

namespace sqrtdk {
namespace {

constexpr int64_t kLength = 8, kSymbols = 8, kBatch = 16, kExamples = 64, kRecords = 12;
constexpr double kLearningRate = 3e-3;
constexpr const char* kNames[] = {"q", "k", "v"};

/// Self-attention with the parameters of MultiHeadAttention.
class Attention {
 public:
  Attention(Parameters& parameters, const std::string& name, const MisplacedTraining& training,
            const ScaleFactors& factors)
      : n_heads_(training.n_heads), factors_(factors) {
    const int64_t d = training.d_model;
    const int weight = parameters.add(inside(name, "in_proj_weight"), {3 * d, d}, ParameterRole::kProjection);
    const int bias = parameters.add(inside(name, "in_proj_bias"), {3 * d}, ParameterRole::kProjectionBias);
    for (int64_t i = 0; i < 3; ++i) {
      projections_.emplace_back(parameters, kNames[i], Rows{weight, i * d}, Rows{bias, i * d}, d);
    }
    projections_.emplace_back(parameters, inside(name, "out_proj"), d, d);
    parameters.add_attention({.w_q = {weight, 0}, .w_k = {weight, d}, .n_q = d});
  }

  View forward(ConstView x, Cache& cache) const {
    const int64_t batch = x.shape[0], n = x.shape[1];
    const Shape heads{batch, n_heads_, n, x.shape[2] / n_heads_};
    View qkv[3];
    for (size_t i = 0; i < 3; ++i) {
      qkv[i] = cache.make(kNames[i], heads);
      split_heads(projections_[i].forward(x, cache), qkv[i]);
    }
    const View scores = cache.make("scores", {batch, n_heads_, n, n}), out = cache.make("heads", heads),
               weights = cache.make("weights", scores.shape), concat = cache.make("concat", x.shape);
    misplaced_forward(qkv[0], qkv[1], qkv[2], factors_, scores, weights, out);
    merge_heads(out, concat);
    return projections_[3].forward(concat, cache);
  }

  View backward(ConstView dout, Cache& cache) const {
    const ConstView drows = projections_[3].backward(dout, cache), weights = cache.at("weights");
    const View q = cache.at("q");
    const View dheads = cache.make("dheads", q.shape), dscores = cache.make("dscores", weights.shape);
    split_heads(drows, dheads);
    View dqkv[3];
    for (size_t i = 0; i < 3; ++i) dqkv[i] = cache.make(std::string("d") + kNames[i], q.shape);
    misplaced_backward(q, cache.at("k"), cache.at("v"), factors_, weights, dheads, dscores, dqkv[0], dqkv[1],
                       dqkv[2]);
    const View dx = cache.make("dx", drows.shape), rows = cache.make("rows", drows.shape);
    for (size_t i = 0; i < 3; ++i) {
      merge_heads(dqkv[i], rows);
      const ConstView dinput = projections_[i].backward(rows, cache);
      if (i == 0) {
        std::copy_n(dinput.data, dinput.shape.size(), dx.data);
      } else {
        add_elements(dx, dinput, dx);
      }
    }
    return dx;
  }

 private:
  int64_t n_heads_;
  ScaleFactors factors_;
  std::vector<Linear> projections_;  // q, k, v, out
};

class Model {
 public:
  Model(const MisplacedTraining& training, const ScaleFactors& factors)
      : seed_(training.seed),
        task_(make_task({"sort", kLength, kSymbols})),
        embedding_(parameters_, "", {task_->vocab(), kLength, training.d_model, Positions::kLearned, false}),
        attention_(parameters_, "layers.0.self_attn", training, factors),
        feed_forward_(parameters_, "layers.0", FeedForwardKind::kRelu, training.d_model,
                      2 * training.d_model),
        around_attention_(parameters_, "layers.0", 1, {training.d_model, true}),
        around_feed_forward_(parameters_, "layers.0", 2, {training.d_model, true}),
        norm_(parameters_, "norm", NormKind::kLayer, training.d_model),
        head_(parameters_, "head", training.d_model, task_->vocab()) {
    parameters_.allocate();
    initialize(parameters_, kUnitVarianceQk, seed_);
    optimizer_.emplace(parameters_, OptimizerConfig{.learning_rate = kLearningRate});
  }

  void step() {
    draw("train", optimizer_->steps() * kBatch, kBatch);
    const View logits = forward();
    cross_entropy_forward(logits, answers(), {}, logits, {});
    float one = 1;
    parameters_.clear_gradients();
    cross_entropy_backward(logits, answers(), {}, {&one, {1}}, logits);
    backward(logits);
    optimizer_->step();
  }

  MisplacedRecord look() {
    draw("evaluate", 0, kExamples);
    const View logits = forward();
    const int64_t vocab = logits.shape[-1];
    double right = 0, saturated = 0;
    for (size_t i = 0; i < answer_.size(); ++i) {
      right += likeliest(logits.data + static_cast<int64_t>(i) * vocab, vocab) == answer_[i];
    }
    const ConstView weights = cache_.at("weights");
    const int64_t n_rows = weights.shape.leading(1);
    for (int64_t row = 0; row < n_rows; ++row) {
      const float* const first = weights.data + row * kLength;
      saturated += *std::max_element(first, first + kLength) > 0.99f;
    }
    const double loss = cross_entropy_forward(logits, answers(), {}, logits, {});
    return {optimizer_->steps(), loss, right / static_cast<double>(answer_.size()),
            saturated / static_cast<double>(n_rows)};
  }

  int64_t steps() const { return optimizer_->steps(); }

 private:
  void draw(const char* part, int64_t first, int64_t n) {
    n_ = n;
    source_.resize(static_cast<size_t>(n * kLength));
    answer_.resize(source_.size());
    task_->sample(seed_, stream_of(part), first, n, source_.data(), answer_.data(), part[0] == 'e');
  }
  IndexView ids() const { return {source_.data(), {n_, kLength}}; }
  IndexView answers() const { return {answer_.data(), {n_, kLength}}; }

  View forward() {
    const View x = embedding_.forward(ids(), 0, "x", cache_);
    const View attended = around_attention_.forward(
        x, cache_, {}, [&](ConstView input) { return attention_.forward(input, cache_); });
    const View out = around_feed_forward_.forward(
        attended, cache_, {}, [&](ConstView input) { return feed_forward_.forward(input, cache_, {}); });
    return head_.forward(norm_.forward(out, cache_), cache_);
  }
  void backward(ConstView dlogits) {
    const ConstView dnorm =
        norm_.backward(around_feed_forward_.out(cache_), head_.backward(dlogits, cache_), cache_);
    const ConstView dattended = around_feed_forward_.backward(
        around_attention_.out(cache_), dnorm, cache_,
        [&](ConstView input, ConstView d) { return feed_forward_.backward(input, d, cache_); });
    embedding_.backward(
        ids(), around_attention_.backward(cache_.at("x"), dattended, cache_, [&](ConstView, ConstView d) {
          return attention_.backward(d, cache_);
        }));
  }

  uint64_t seed_;
  std::unique_ptr<Task> task_;
  Parameters parameters_;
  Cache cache_;
  TokenEmbedding embedding_;
  Attention attention_;
  FeedForward feed_forward_;
  Sublayer around_attention_, around_feed_forward_;
  Norm norm_;
  Linear head_;
  std::optional<Optimizer> optimizer_;
  std::vector<int32_t> source_, answer_;
  int64_t n_ = 0;
};

/// The config of a Trainer with a model of these sizes.
TrainerConfig config_of(const MisplacedTraining& training) {
  TrainerConfig config;
  config.task = {"sort", kLength, kSymbols};
  config.model.n_layers = 1;
  config.model.context = kLength;
  config.model.layer.attention.d_model = training.d_model;
  config.model.layer.attention.n_heads = training.n_heads;
  config.model.layer.d_ff = 2 * training.d_model;
  config.batch = kBatch;
  return config;
}

double look_work(const MisplacedTraining& training) {
  return static_cast<double>(kExamples) * forward_work(config_of(training));
}

}  // namespace

double misplaced_training_work(const MisplacedTraining& training) {
  if (training.steps == 0) return 0;
  return static_cast<double>(training.steps) * step_work(config_of(training)) +
         static_cast<double>(Looks(training.steps, kRecords).count()) * look_work(training);
}

std::vector<MisplacedRecord> train_misplaced(const MisplacedTraining& training, const ScaleFactors& factors,
                                             ProgressMeter& meter) {
  const double work_of_step = step_work(config_of(training)), work_of_look = look_work(training);
  const Looks looks(training.steps, kRecords);
  Model model(training, factors);
  std::vector<MisplacedRecord> records;
  const auto look = [&] {
    records.push_back(model.look());
    meter.add(work_of_look);
  };
  look();
  while (model.steps() < training.steps) {
    model.step();
    meter.add(work_of_step);
    if (looks.after(model.steps())) look();
  }
  return records;
}

}  // namespace sqrtdk
