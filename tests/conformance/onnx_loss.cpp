// ONNX SoftmaxCrossEntropyLoss and NegativeLogLikelihoodLoss: scores [batch, classes, d1, ..], targets
// [batch, d1, ..].
#include <limits>

#include "conformance/operators.h"
#include "kernels/cross_entropy.h"
#include "kernels/embedding.h"
#include "kernels/product/matmul.h"

namespace sqrtdk::conformance {
namespace {

constexpr int64_t kClassAxis = 1;

// Without ignore_index nothing is ignored.
int32_t ignore_index(const Case& reference) {
  constexpr int32_t kNone = std::numeric_limits<int32_t>::min();
  return static_cast<int32_t>(reference.integer("ignore_index", kNone));
}

Reduction reduction_of(const Case& reference) {
  const std::string name = reference.text("reduction", "mean");
  if (name == "none") return Reduction::kNone;
  if (name == "mean") return Reduction::kMean;
  if (name == "sum") return Reduction::kSum;
  throw std::runtime_error("case.json: reduction " + name);
}

}  // namespace

void onnx_cross_entropy(Case& reference, Results& results) {
  const Floats logits = axis_to_last(Floats(reference.required(0)), kClassAxis);
  const Indices target(reference.required(1));
  CrossEntropyOptions options;
  options.reduction = reduction_of(reference);
  options.ignore_index = ignore_index(reference);
  std::optional<Floats> weight;
  if (const Tensor* tensor = reference.input(2)) options.weight = weight.emplace(*tensor).view();

  Floats log_probs(logits.shape()), losses(target.shape);
  const double loss =
      cross_entropy_forward(logits.view(), target.view(), options, log_probs.view(), losses.view());
  if (options.reduction == Reduction::kNone)
    results.add(0, losses);
  else
    results.add_scalar(0, loss);
  results.add(1, axis_from_last(log_probs, kClassAxis));
}

// Its input is taken as log-probabilities, whatever they sum to: rows of a table and a product.
void onnx_negative_log_likelihood(Case& reference, Results& results) {
  Floats log_probs = axis_to_last(Floats(reference.required(0)), kClassAxis);
  const Indices target(reference.required(1));
  const int64_t n_classes = log_probs.shape()[-1], rows = target.shape.size();
  const int32_t ignored = ignore_index(reference);
  Floats weight({n_classes}, 1);
  if (const Tensor* tensor = reference.input(2)) weight = Floats(*tensor);

  std::vector<int32_t> classes = target.values, places;
  std::vector<bool> counts;
  for (int32_t& each : classes) {
    counts.push_back(each != ignored);
    if (each == ignored) each = 0;
    places.push_back(static_cast<int32_t>(places.size()) * static_cast<int32_t>(n_classes) + each);
  }
  Floats picked({rows, 1}), row_weights({rows, 1});
  embedding_forward(weight.reshape({n_classes, 1}).view(), {classes.data(), {rows}}, row_weights.view());
  embedding_forward(log_probs.reshape({log_probs.size(), 1}).view(), {places.data(), {rows}}, picked.view());

  Floats losses(target.shape), sums({1, 2}), ones({rows, 1}, 1), pairs({rows, 2});
  for (int64_t i = 0; i < rows; ++i) {
    const float row_weight = counts[static_cast<size_t>(i)] ? row_weights[i] : 0;
    losses[i] = counts[static_cast<size_t>(i)] ? -row_weight * picked[i] : 0;
    pairs[2 * i] = losses[i], pairs[2 * i + 1] = row_weight;
  }
  matmul(ones.view(), Transpose::kYes, pairs.view(), Transpose::kNo, sums.view());
  switch (reduction_of(reference)) {
    case Reduction::kNone:
      return results.add(0, losses);
    case Reduction::kMean:
      return results.add_scalar(0, static_cast<double>(sums[0]) / sums[1]);
    case Reduction::kSum:
      return results.add_scalar(0, sums[0]);
  }
}

}  // namespace sqrtdk::conformance
