#include "training/trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/decimal.h"
#include "base/errors.h"
#include "kernels/attention/scale.h"
#include "kernels/cross_entropy.h"
#include "training/gradients.h"

namespace sqrtdk {
namespace {

void check_not_negative(const char* argument, float value) {
  if (!(value >= 0 && std::isfinite(value))) throw_out_of_range("trainer", argument, "0 or more", value);
}

void check(const TrainerConfig& config) {
  if (config.batch < 1 || config.batch > Trainer::kMaxBatch) {
    throw_out_of_range("trainer", "batch", 1, Trainer::kMaxBatch, config.batch);
  }
  if (!(config.label_smoothing >= 0 && config.label_smoothing <= 1)) {
    throw_out_of_range("trainer", "label_smoothing", "0 .. 1", config.label_smoothing);
  }
  const std::optional<float> scale = config.model.layer.attention.scale;
  if (scale && !std::isfinite(*scale)) throw_out_of_range("trainer", "scale", "a finite number", *scale);
  if (!(config.max_gradient_norm >= 0)) {
    throw_out_of_range("trainer", "max_gradient_norm", "0 or more", config.max_gradient_norm);
  }
  const Initialization& start = config.initialization;
  const int64_t n_kv_heads = config.model.layer.attention.n_kv_heads;
  if (start.equal_qk && n_kv_heads != 0 && n_kv_heads != config.model.layer.attention.n_heads) {
    throw ValueError(ErrorCode::kUnsupported, "trainer", "init_equal_qk", "as many n_kv_heads as n_heads",
                     to_text(n_kv_heads));
  }
  check_not_negative("init_gain", start.gain);
  check_not_negative("init_std", start.std);
  check_not_negative("init_embedding_std", start.embedding_std.value_or(0));
  check_not_negative("init_projection_std", start.projection_std.value_or(0));
  check_not_negative("norm_epsilon", config.model.layer.epsilon);
  check_schedule(config.schedule);
}

void start_scales(Parameters& parameters, float scale) {
  for (const AttentionParameters& attention : parameters.attentions()) {
    if (attention.scale >= 0) *parameters.value(attention.scale).data = scale;
  }
}

}  // namespace

LanguageModelConfig small_model() {
  LanguageModelConfig model{};
  model.n_layers = 2;
  model.layer.attention.d_model = 64;
  model.layer.attention.n_heads = 1;
  model.layer.norm_first = true;
  model.positions = Positions::kLearned;
  model.tied = false;
  model.head_bias = true;
  return model;
}

Trainer::Trainer(const TrainerConfig& config) : task_(make_task(config.task)), config_(config) {
  check(config);
  model_.emplace(parameters_, *task_, config.topology, config.model);
  config_.model = model_->config();
  parameters_.allocate();
  initialize(parameters_, config_.initialization, config_.seed);
  start_scales(parameters_, first_scale());
  optimizer_.emplace(parameters_, config_.optimizer);
  step_norms_ = unknown_norms();
}

std::vector<GradientNorm> Trainer::unknown_norms() const {
  std::vector<GradientNorm> norms;
  for (const std::string& layer : layer_names(parameters_)) {
    norms.push_back({layer, std::numeric_limits<double>::quiet_NaN()});
  }
  return norms;
}

std::vector<GradientNorm> Trainer::layer_gradient_norms() const {
  return gradients_of_step_ ? gradient_norms(parameters_) : step_norms_;
}

float Trainer::first_scale() const {
  const MultiHeadAttentionConfig& attention = config_.model.layer.attention;
  const Scale usual{attention.cosine ? Scale::Kind::kCosine : Scale::Kind::kDefault};
  return attention.scale.value_or(usual.at(attention.d_head));
}

// Examples first .. first + n - 1, given to the model.
void Trainer::draw(Part part, int64_t first, int64_t n) {
  const bool held_out = part == Part::kEvaluation;
  source_.resize(static_cast<size_t>(n * task_->n_source()));
  answer_.resize(static_cast<size_t>(n * task_->n_answer()));
  task_->sample(config_.seed, stream_of(held_out ? "evaluate" : "train"), first, n, source_.data(),
                answer_.data(), held_out);
  model_->set_examples(n, source_.data(), answer_.data());
}

// The loss of the examples drawn; the parameters' gradients become its.
double Trainer::backward(bool explain, const Mode& mode) {
  CrossEntropyOptions options;
  options.ignore_index = TaskModel::kIgnored;
  options.label_smoothing = config_.label_smoothing;

  const View logits = model_->forward({}, explain, cache_, mode);
  const double loss = cross_entropy_forward(logits, model_->targets(), options, logits, {});
  float one = 1;
  parameters_.clear_gradients();
  cross_entropy_backward(logits, model_->targets(), options, {&one, {1}}, logits);
  model_->backward(logits, cache_);
  return loss;
}

StepResult Trainer::step() {
  draw(Part::kTraining, steps_ * config_.batch, config_.batch);
  const double loss =
      backward(false, {.training = true, .seed = config_.seed, .step = static_cast<uint64_t>(steps_)});
  gradients_of_step_ = true;

  const double max_norm = config_.max_gradient_norm;
  const double norm = max_norm > 0 ? clip_gradients(parameters_, max_norm) : norm_of(parameters_.gradients());
  const double rate = learning_rate_at(config_.schedule, config_.optimizer.learning_rate, steps_);
  const bool updated = optimizer_->step(rate);
  ++steps_;
  return {steps_, loss, rate, norm, updated};
}

Evaluation Trainer::evaluate(int64_t n, std::optional<float> scale) {
  if (n < 1) throw_out_of_range("trainer", "n", "1 or more", static_cast<double>(n));
  const int64_t n_answer = task_->n_answer(), vocab = config_.model.vocab;
  CrossEntropyOptions options;
  options.reduction = Reduction::kSum;
  options.ignore_index = TaskModel::kIgnored;
  double loss = 0;
  int64_t right_tokens = 0, right_sequences = 0;
  for (int64_t first = 0; first < n; first += config_.batch) {
    const int64_t batch = std::min(config_.batch, n - first);
    draw(Part::kEvaluation, first, batch);
    const View logits = model_->forward(scale, false, cache_, {});
    const int64_t length = logits.shape[1];
    for (int64_t i = 0; i < batch; ++i) {
      const float* const answered = logits.data + ((i + 1) * length - n_answer) * vocab;
      int64_t right = 0;
      for (int64_t j = 0; j < n_answer; ++j) {
        right += likeliest(answered + j * vocab, vocab) == answer_[static_cast<size_t>(i * n_answer + j)];
      }
      right_tokens += right;
      right_sequences += right == n_answer;
    }
    loss += cross_entropy_forward(logits, model_->targets(), options, logits, {});
  }
  const auto sequences = static_cast<double>(n), tokens = static_cast<double>(n * n_answer);
  return {loss / tokens, static_cast<double>(right_tokens) / tokens,
          static_cast<double>(right_sequences) / sequences};
}

std::vector<int32_t> Trainer::answer(std::span<const int32_t> source, std::optional<float> scale,
                                     bool explain) {
  const auto n = static_cast<int64_t>(source.size());
  if (n != task_->n_source()) {
    throw_wrong_shape("trainer", "source", Shape{task_->n_source()}.text(), {n});
  }
  return model_->answer(1, source.data(), scale, explain, cache_);
}

std::vector<HeadRecord> Trainer::look_at_heads(int64_t n, std::optional<float> scale) {
  if (n < 1 || n > kMaxBatch) throw_out_of_range("trainer", "n", 1, kMaxBatch, n);
  draw(Part::kEvaluation, 0, n);
  model_->forward(scale, true, cache_, {});
  return head_records(cache_, model_->attentions());
}

double Trainer::compute_gradients(int64_t n) {
  if (n < 1 || n > kMaxBatch) throw_out_of_range("trainer", "n", 1, kMaxBatch, n);
  draw(Part::kEvaluation, 0, n);
  step_norms_ = layer_gradient_norms();
  gradients_of_step_ = false;
  return backward(true, {});
}

std::vector<RowGradients> Trainer::row_gradients(int64_t n) {
  compute_gradients(n);
  return sqrtdk::row_gradients(cache_, model_->attentions());
}

std::vector<ProjectionGradients> Trainer::projection_gradients(int64_t n) {
  compute_gradients(n);
  return sqrtdk::projection_gradients(cache_, model_->attentions());
}

void Trainer::set_learning_rate(double learning_rate) {
  if (!(learning_rate >= 0 && std::isfinite(learning_rate))) {
    throw_out_of_range("trainer", "learning_rate", "finite and at least 0", learning_rate);
  }
  config_.optimizer.learning_rate = learning_rate;
}

}  // namespace sqrtdk
