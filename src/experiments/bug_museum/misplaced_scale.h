#pragma once
// Attention whose factor 1/sqrt(d_k) stands in the wrong place, or not at all.
#include <span>

#include "kernels/attention/attention.h"

namespace sqrtdk {

/// What each part of out = weights · (softmax(scores · (q · q) kᵀ) (values · v)) is multiplied by.
struct ScaleFactors {
  float q = 1, scores = 1, weights = 1, values = 1;
};

struct Misplacement {
  const char* name;
  const char* code;                                 // as it is written with PyTorch
  ScaleFactors (*factors)(float own, float whole);  // own: 1/sqrt(d_k), whole: 1/sqrt(d_model)
};

/// The first is right, the second has no factor.
std::span<const Misplacement> misplacements();
ScaleFactors factors_of(const Misplacement& misplacement, int64_t d_model, int64_t n_heads);

/// attention_forward with the factors: q and v are changed in place. `weights` are softmax's own, before
/// their factor; `scores` are what softmax is given.
void misplaced_forward(View q, ConstView k, View v, const ScaleFactors& factors, View scores, View weights,
                       View out);
/// With the q, v and weights that forward left; dout is changed in place.
void misplaced_backward(ConstView q, ConstView k, ConstView v, const ScaleFactors& factors, ConstView weights,
                        View dout, View dscores, View dq, View dk, View dv);

}  // namespace sqrtdk
