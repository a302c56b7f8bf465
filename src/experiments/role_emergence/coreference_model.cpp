#include "experiments/role_emergence/coreference_model.h"

#include "base/decimal.h"
#include "base/text.h"
#include "experiments/training_race/training_work.h"
#include "lab/tokens.h"

namespace sqrtdk {

int64_t kind_of(int32_t word) {
  int64_t kind = 0;
  while (word >= kWordKinds[kind].first + kWordKinds[kind].size) ++kind;
  return kind;
}

std::optional<Sentence> with_other_adjective(Sentence sentence) {
  constexpr Kind kOfAnimals = kWordKinds[7], kOfThings = kWordKinds[8];
  int32_t& adjective = sentence.words[Sentence::kLast];
  if (adjective < kOfAnimals.first) return {};
  adjective += adjective < kOfThings.first ? kOfAnimals.size : -kOfAnimals.size;
  return sentence;
}

void CoreferenceModel::train(int64_t steps) {
  for (int64_t i = 0; i < steps; ++i) {
    trainer_.step();
    meter_.add(step_work(trainer_.config()));
  }
}

size_t CoreferenceModel::n_heads() const {
  const LanguageModelConfig& model = trainer_.config().model;
  return static_cast<size_t>(model.n_layers * model.layer.attention.n_heads);
}

double CoreferenceModel::accuracy(std::optional<float> scale) {
  meter_.add(kSentences * forward_work(trainer_.config()));
  return trainer_.evaluate(kSentences, scale).token_accuracy;
}

SentenceWeights CoreferenceModel::weights_of(int64_t sentence) const {
  constexpr int64_t kPlane = Sentence::kLength * Sentence::kLength;
  SentenceWeights all;
  for (const MultiHeadAttention* attention : trainer_.model().attentions()) {
    const ConstView weights = attention->weights(trainer_.cache());
    const int64_t h = weights.shape[1];
    for (int64_t head = 0; head < h; ++head)
      all.heads.push_back(weights.data + (sentence * h + head) * kPlane);
  }
  return all;
}

void CoreferenceModel::look(const std::function<void(const Sentence&, const SentenceWeights&)>& use) {
  meter_.add(kSentences * forward_work(trainer_.config()));
  trainer_.look_at_heads(kSentences);
  for (int64_t i = 0; i < kSentences; ++i) {
    Sentence sentence;
    trainer_.task().sample(trainer_.config().seed, stream_of("evaluate"), i, 1, sentence.words,
                           &sentence.answer);
    use(sentence, weights_of(i));
  }
}

int32_t CoreferenceModel::answer(const Sentence& sentence,
                                 const std::function<void(const SentenceWeights&)>& use) {
  meter_.add(forward_work(trainer_.config()));
  const std::vector<int32_t> answer = trainer_.answer(sentence.words, {}, true);
  use(weights_of(0));
  return answer.at(0);
}

Sentence CoreferenceModel::sentence_of(const char* op, const char* argument, const std::string& text) const {
  constexpr size_t kWords = Sentence::kLength;
  std::vector<std::string> given = tokens_of(op, argument, text, 2 * kWords);
  std::erase_if(given, [](const std::string& token) { return token == "." || token == ","; });
  if (given.size() != kWords) {
    throw ValueError(ErrorCode::kUnsupported, op, argument, to_text(kWords) + " words",
                     to_text(given.size()) + " words");
  }
  std::vector<std::string> known;
  for (int32_t token = 0; token < trainer_.task().vocab(); ++token) known.push_back(word(token));
  Sentence sentence;
  for (size_t i = 0; i < kWords; ++i) {
    int32_t token = 0;
    while (token < trainer_.task().vocab() && stream_of_word(word(token)) != stream_of_word(given[i]))
      ++token;
    if (token == trainer_.task().vocab()) {
      throw ValueError(ErrorCode::kNotAChoice, op, argument, joined(known), clipped(given[i]));
    }
    sentence.words[i] = token;
  }
  return sentence;
}

std::vector<std::string> CoreferenceModel::words(const Sentence& sentence) const {
  std::vector<std::string> words;
  for (const int32_t token : sentence.words) words.push_back(word(token));
  return words;
}

}  // namespace sqrtdk
