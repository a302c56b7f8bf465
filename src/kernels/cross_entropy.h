#pragma once
// Cross-entropy of softmax(logits) with class indices.
#include <cstdint>

#include "tensor/tensor.h"

namespace sqrtdk {

enum class Reduction { kNone, kMean, kSum };

struct CrossEntropyOptions {
  Reduction reduction = Reduction::kMean;  // the mean is over rows that count, weighted by `weight`
  float label_smoothing = 0;    // ε: the target is 1 - ε on its class, plus ε / n_classes on each
  int32_t ignore_index = -100;  // rows with this target count nothing and have zero gradients
  ConstView weight;             // [n_classes], of each class; empty = 1
};

/// logits: [.., n_classes], target: [..]. Writes log_probs = log_softmax(logits) and, unless empty, losses
/// [..] of each row before the reduction (0 where ignored). Returns the reduced loss (the sum for kNone); a
/// mean over no row is NaN, as in PyTorch. log_probs may be logits. Throws ShapeError, and ValueError for a
/// target that is no class and for smoothing outside 0 .. 1.
double cross_entropy_forward(const ConstView& logits, const IndexView& target,
                             const CrossEntropyOptions& options, const View& log_probs, const View& losses);

/// dlogits (overwritten, may be log_probs) from the forward's log_probs. dloss: [1], or [..] for kNone.
void cross_entropy_backward(const ConstView& log_probs, const IndexView& target,
                            const CrossEntropyOptions& options, const ConstView& dloss, const View& dlogits);

}  // namespace sqrtdk
