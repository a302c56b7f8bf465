#include "training/task_model.h"

#include <algorithm>

#include "base/errors.h"

namespace sqrtdk {
namespace {

constexpr int64_t kMaxModel = int64_t{1} << 24;  // as a model's config goes

bool needs_separator(const Task& task, Topology topology) {
  return topology == Topology::kEncoderDecoder || (topology == Topology::kDecoder && !task.continues());
}

// Positions of whose tokens logits are made.
int64_t length_of(const Task& task, Topology topology) {
  if (topology == Topology::kEncoderDecoder) return task.n_answer();
  if (topology == Topology::kEncoder) return task.n_source();
  return task.n_source() + (task.continues() ? 0 : 1) + task.n_answer() - 1;
}

LanguageModelConfig complete(LanguageModelConfig config, const Task& task, Topology topology) {
  if (topology == Topology::kEncoder && task.n_answer() > task.n_source()) {
    throw ValueError(ErrorCode::kUnsupported, "trainer", "topology", "a decoder for this task", "encoder");
  }
  config.vocab = task.vocab() + (needs_separator(task, topology) ? 1 : 0);
  config.context = length_of(task, topology);
  if (topology == Topology::kEncoderDecoder) config.context = std::max(config.context, task.n_source());
  config.n_out = config.vocab;
  config.causal = topology != Topology::kEncoder;
  if (config.layer.d_ff == 0) config.layer.d_ff = 2 * std::min(config.layer.attention.d_model, kMaxModel);
  return config;
}

}  // namespace

int32_t likeliest(const float* logits, int64_t n) {
  int64_t best = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (logits[i] != logits[i]) return -1;
    if (logits[i] > logits[best]) best = i;
  }
  return static_cast<int32_t>(best);
}

TaskModel::TaskModel(Parameters& parameters, const Task& task, Topology topology,
                     const LanguageModelConfig& config)
    : task_(&task),
      topology_(topology),
      config_(complete(config, task, topology)),
      separated_(needs_separator(task, topology)),
      length_(length_of(task, topology)) {
  if (topology == Topology::kEncoderDecoder) {
    config_ = encoder_decoder_.emplace(parameters, config_).config();
  } else {
    config_ = language_model_.emplace(parameters, "", config_).config();
  }
}

// The ids of n examples of whose answers the first n_known tokens are there; -1 becomes any token.
void TaskModel::set_ids(int64_t n, const int32_t* source, const int32_t* answer, int64_t n_known) {
  const int64_t n_source = task_->n_source(), n_answer = task_->n_answer();
  const bool joined = topology_ != Topology::kEncoderDecoder;
  n_ = n;
  n_ids_ =
      topology_ == Topology::kEncoder ? n_source : (joined ? n_source : 0) + (separated_ ? 1 : 0) + n_known;
  source_.assign(source, source + n * n_source);
  ids_.resize(static_cast<size_t>(n * n_ids_));
  int32_t* next = ids_.data();
  for (int64_t i = 0; i < n; ++i) {
    if (joined) next = std::copy_n(source + i * n_source, n_source, next);
    if (separated_) *next++ = static_cast<int32_t>(config_.vocab) - 1;
    if (topology_ == Topology::kEncoder) continue;
    for (int64_t j = 0; j < n_known; ++j) *next++ = std::max(answer[i * n_answer + j], 0);
  }
}

void TaskModel::set_examples(int64_t n, const int32_t* source, const int32_t* answer) {
  const int64_t n_answer = task_->n_answer();
  set_ids(n, source, answer, n_answer - 1);
  targets_.resize(static_cast<size_t>(n * length_));
  int32_t* next = targets_.data();
  for (int64_t i = 0; i < n; ++i) {
    next = std::fill_n(next, length_ - n_answer, kIgnored);
    next = std::copy_n(answer + i * n_answer, n_answer, next);
  }
}

View TaskModel::forward(std::optional<float> scale, bool explain, Cache& cache, const Mode& mode) const {
  const IndexView ids(ids_.data(), {n_, n_ids_}), source(source_.data(), {n_, task_->n_source()});
  if (encoder_decoder_) return encoder_decoder_->forward(source, ids, scale, explain, cache, mode);
  AttentionOptions options;
  options.scale = scale;
  return language_model_->forward(ids, options, explain, cache, mode);
}

void TaskModel::backward(ConstView dlogits, Cache& cache) const {
  const IndexView ids(ids_.data(), {n_, n_ids_}), source(source_.data(), {n_, task_->n_source()});
  if (encoder_decoder_) return encoder_decoder_->backward(source, ids, dlogits, {}, cache);
  language_model_->backward(ids, dlogits, {}, cache);
}

std::vector<int32_t> TaskModel::answer(int64_t n, const int32_t* source, std::optional<float> scale,
                                       bool explain, Cache& cache) {
  const int64_t n_answer = task_->n_answer(), vocab = config_.vocab;
  const int64_t n_new = topology_ == Topology::kEncoder ? n_answer : 1;  // in each pass
  std::vector<int32_t> answers(static_cast<size_t>(n * n_answer), -1);
  if (topology_ == Topology::kDecoder && !explain) {
    answer_by_steps(n, source, scale, cache, answers);
    return answers;
  }
  View memory;
  for (int64_t n_known = 0; n_known < n_answer; n_known += n_new) {
    set_ids(n, source, answers.data(), n_known);
    if (encoder_decoder_ && n_known == 0) {
      memory = encoder_decoder_->encode({source_.data(), {n_, task_->n_source()}}, scale, explain, cache, {});
    }
    const IndexView ids(ids_.data(), {n_, n_ids_});
    const View logits = encoder_decoder_ ? encoder_decoder_->decode(memory, ids, scale, explain, cache, {})
                                         : forward(scale, explain, cache, {});
    for (int64_t i = 0; i < n; ++i) {
      int32_t* const answer = answers.data() + i * n_answer + n_known;
      if (n_known > 0 && answer[-1] < 0) continue;
      for (int64_t j = 0; j < n_new; ++j) {
        answer[j] = likeliest(logits.data + ((i + 1) * n_ids_ - n_new + j) * vocab, vocab);
      }
    }
  }
  return answers;
}

// The bits are those of `answer`, but each position is computed once.
void TaskModel::answer_by_steps(int64_t n, const int32_t* source, std::optional<float> scale, Cache& cache,
                                std::span<int32_t> answers) {
  const int64_t n_answer = task_->n_answer(), vocab = config_.vocab;
  AttentionOptions options;
  options.scale = scale;
  KeyValueCache past = language_model_->make_cache(n);
  set_ids(n, source, answers.data(), 0);
  for (int64_t j = 0; j < n_answer; ++j) {
    const View logits = language_model_->decode({ids_.data(), {n, n_ids_}}, options, past, cache);
    ids_.resize(static_cast<size_t>(n)), n_ids_ = 1;
    for (int64_t i = 0; i < n; ++i) {
      int32_t& answer = answers[static_cast<size_t>(i * n_answer + j)];
      if (j == 0 || (&answer)[-1] >= 0) answer = likeliest(logits.data + i * vocab, vocab);
      ids_[static_cast<size_t>(i)] = std::max(answer, 0);
    }
  }
}

std::string TaskModel::text(int32_t token) const {
  return separated_ && token == config_.vocab - 1 ? "→" : task_->text(token);
}

std::vector<TaskModel::Attended> TaskModel::attended() const {
  const std::span<const int32_t> ids = std::span(ids_).first(n_ > 0 ? static_cast<size_t>(n_ids_) : 0);
  const std::span<const int32_t> source =
      std::span(source_).first(n_ > 0 ? static_cast<size_t>(task_->n_source()) : 0);
  std::vector<Attended> all;
  const auto add = [&](const std::vector<const MultiHeadAttention*>& attentions,
                       std::span<const int32_t> queries, std::span<const int32_t> keys) {
    for (const MultiHeadAttention* attention : attentions) all.push_back({attention, queries, keys});
  };
  if (!encoder_decoder_) {
    add(language_model_->attentions(), ids, ids);
  } else {
    add(encoder_decoder_->encoder().attentions(), source, source);
    add(encoder_decoder_->decoder().self_attentions(), ids, ids);
    add(encoder_decoder_->decoder().cross_attentions(), ids, source);
  }
  return all;
}

std::vector<const MultiHeadAttention*> TaskModel::attentions() const {
  std::vector<const MultiHeadAttention*> attentions;
  for (const Attended& each : attended()) attentions.push_back(each.attention);
  return attentions;
}

}  // namespace sqrtdk
