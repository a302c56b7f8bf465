#include "experiments/role_emergence/coreference_heads.h"

#include <algorithm>
#include <cmath>

namespace sqrtdk {

Moment moment_of(CoreferenceModel& model) {
  Moment moment{static_cast<double>(model.trainer().steps()), model.accuracy(), {}};
  moment.heads.resize(model.n_heads());
  model.look([&](const Sentence& sentence, const SentenceWeights& weights) {
    const int64_t referent = sentence.referent(), other = sentence.other_noun();
    for (size_t i = 0; i < moment.heads.size(); ++i) {
      const double to_referent = weights.at(i, Sentence::kLast, referent);
      const double to_other = weights.at(i, Sentence::kLast, other);
      HeadGives& head = moment.heads[i];
      head.referent.add(to_referent);
      head.other.add(to_other);
      head.difference.add(to_referent - to_other);
      head.it_difference.add(weights.at(i, Sentence::kIt, referent) - weights.at(i, Sentence::kIt, other));
    }
  });
  return moment;
}

size_t leading_head(const std::vector<HeadGives>& heads) {
  const auto less = [](const HeadGives& a, const HeadGives& b) {
    return a.difference.mean() < b.difference.mean();
  };
  return static_cast<size_t>(std::max_element(heads.begin(), heads.end(), less) - heads.begin());
}

Swap swapped(CoreferenceModel& model, size_t head, bool same_kind) {
  std::vector<std::pair<Sentence, double>> before;
  model.look([&](const Sentence& sentence, const SentenceWeights& weights) {
    before.emplace_back(sentence, weights.at(head, Sentence::kLast, sentence.referent()));
  });
  Swap swap;
  for (auto& [sentence, weight] : before) {
    const int64_t place = sentence.referent();
    const Kind& kind = kWordKinds[kind_of(sentence.answer)];
    const Kind& other = kWordKinds[kind_of(sentence.words[sentence.other_noun()])];
    const int32_t in_kind = sentence.words[place] - kind.first;
    sentence.words[place] = same_kind ? kind.first + (in_kind + 1) % kind.size : other.first + in_kind;
    double now = 0;
    const int32_t answer = model.answer(
        sentence, [&](const SentenceWeights& weights) { now = weights.at(head, Sentence::kLast, place); });
    swap.weight_change.add(std::fabs(now - weight));
    swap.followed += answer == sentence.words[place];
  }
  return swap;
}

}  // namespace sqrtdk
