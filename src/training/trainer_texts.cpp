// What a trainer shows in the task's own words.
#include <algorithm>

#include "base/errors.h"
#include "training/trainer.h"

namespace sqrtdk {
namespace {

constexpr int64_t kMaxExamples = int64_t{1} << 32;

std::vector<std::string> texts_of(const TaskModel& model, std::span<const int32_t> tokens) {
  std::vector<std::string> texts;
  for (const int32_t token : tokens) texts.push_back(model.text(token));
  return texts;
}

}  // namespace

std::vector<AttentionMap> Trainer::attention_maps(int64_t example, std::optional<float> scale) {
  if (example < 0 || example > kMaxExamples)
    throw_out_of_range("trainer", "example", 0, kMaxExamples, example);
  draw(Part::kEvaluation, example, 1);
  model_->forward(scale, true, cache_, {});
  std::vector<AttentionMap> maps;
  for (const auto& [attention, queries, keys] : model_->attended()) {
    const ConstView weights = attention->weights(cache_);
    const int64_t n_heads = weights.shape[1], n_q = weights.shape[2], n_k = weights.shape[3];
    for (int64_t head = 0; head < n_heads; ++head) {
      const float* const first = weights.data + head * n_q * n_k;
      maps.push_back({attention->name(), head, n_q, n_k, std::vector<float>(first, first + n_q * n_k),
                      texts_of(*model_, queries), texts_of(*model_, keys)});
    }
  }
  return maps;
}

std::vector<AnswerText> Trainer::answers(int64_t n, std::optional<float> scale, int64_t first) {
  if (n < 0 || n > kMaxExamples) throw_out_of_range("trainer", "n", 0, kMaxExamples, n);
  if (first < 0 || first > kMaxExamples) throw_out_of_range("trainer", "first", 0, kMaxExamples, first);
  std::vector<AnswerText> texts;
  const auto n_source = static_cast<size_t>(task_->n_source()),
             n_answer = static_cast<size_t>(task_->n_answer());
  for (int64_t done = 0; done < n; done += config_.batch) {
    const int64_t batch = std::min(config_.batch, n - done);
    draw(Part::kEvaluation, first + done, batch);
    const std::vector<int32_t> answers = model_->answer(batch, source_.data(), scale, false, cache_);
    const std::span<const int32_t> sources = source_, expected = answer_, all = answers;
    for (size_t i = 0; i < static_cast<size_t>(batch); ++i) {
      texts.push_back({texts_of(*model_, sources.subspan(i * n_source, n_source)),
                       texts_of(*model_, expected.subspan(i * n_answer, n_answer)),
                       texts_of(*model_, all.subspan(i * n_answer, n_answer))});
    }
  }
  return texts;
}

}  // namespace sqrtdk
