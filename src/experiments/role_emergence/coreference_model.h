#pragma once
// A model that learns the task coreference, "the <noun> <verb> the <noun> because it was <adjective>", and
// what its heads give to each word.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/experiment.h"
#include "lab/progress.h"
#include "training/trainer.h"

namespace sqrtdk {

/// The words of the task that can stand for each other.
struct Kind {
  int32_t first, size;
};
inline constexpr Kind kWordKinds[] = {{0, 1}, {1, 1},  {2, 1},  {3, 1}, {4, 4},
                                      {8, 8}, {16, 8}, {24, 4}, {28, 4}};
int64_t kind_of(int32_t word);  // index into kWordKinds

struct Sentence {
  static constexpr int64_t kLength = 9, kIt = 6, kLast = 8;  // positions of "it" and of the adjective
  static constexpr int64_t kNouns[] = {1, 4};
  int32_t words[kLength];
  int32_t answer = -1;  // the noun meant

  int64_t referent() const { return words[kNouns[0]] == answer ? kNouns[0] : kNouns[1]; }  // positions
  int64_t other_noun() const { return kNouns[0] + kNouns[1] - referent(); }
};

/// With an adjective that suits the other kind of noun; none where the last word is no adjective.
std::optional<Sentence> with_other_adjective(Sentence sentence);

/// The weights of all heads, layer by layer, in one sentence.
struct SentenceWeights {
  std::vector<const float*> heads;  // each [kLength, kLength]
  double at(size_t head, int64_t row, int64_t column) const {
    return static_cast<double>(heads[head][row * Sentence::kLength + column]);
  }
};

class CoreferenceModel {
 public:
  static constexpr int64_t kSentences = 500;  // that the model has not been trained with

  CoreferenceModel(const TrainerConfig& config, ProgressMeter& meter) : trainer_(config), meter_(meter) {}

  void train(int64_t steps);
  Trainer& trainer() { return trainer_; }
  size_t n_heads() const;  // of all layers
  /// The accuracy on the fresh sentences, at `scale` or at the model's own.
  double accuracy(std::optional<float> scale = {});
  /// Calls use(sentence, weights) for each fresh sentence.
  void look(const std::function<void(const Sentence&, const SentenceWeights&)>& use);
  /// The model's answer to one sentence, with use(weights) of its heads.
  int32_t answer(const Sentence& sentence, const std::function<void(const SentenceWeights&)>& use);

  /// The words of a text, each of the task. Throws ValueError that names `argument` of `op`.
  Sentence sentence_of(const char* op, const char* argument, const std::string& text) const;
  std::string word(int32_t token) const { return trainer_.task().text(token); }
  std::vector<std::string> words(const Sentence& sentence) const;

 private:
  SentenceWeights weights_of(int64_t sentence) const;

  Trainer trainer_;
  ProgressMeter& meter_;
};

}  // namespace sqrtdk
