#pragma once
// Where the heads of a model of coreference look, on average over sentences that it was not trained with.
#include "experiments/role_emergence/coreference_model.h"
#include "lab/statistics.h"

namespace sqrtdk {

/// What a head gives in a sentence.
struct HeadGives {
  Moments referent, other, difference;  // from the last word, where the answer is read
  Moments it_difference;                // from "it"
};

struct Moment {
  double step, accuracy;
  std::vector<HeadGives> heads;
};
Moment moment_of(CoreferenceModel& model);

/// The one whose weights on the noun meant and on the other one are farthest apart.
size_t leading_head(const std::vector<HeadGives>& heads);

/// What becomes of answer and weights when the noun meant gives way to another: one of its own kind, or one
/// of the other noun's.
struct Swap {
  Moments weight_change;  // |difference| of the weight from the last word to that place, in one head
  int64_t followed = 0;   // answers that are the new word
};
Swap swapped(CoreferenceModel& model, size_t head, bool same_kind);

}  // namespace sqrtdk
