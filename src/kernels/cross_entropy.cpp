#include "kernels/cross_entropy.h"

#include <algorithm>
#include <limits>

#include "base/errors.h"
#include "base/parallel.h"
#include "kernels/product/row_sums.h"
#include "kernels/softmax.h"
#include "simd/exp.h"

namespace sqrtdk {
namespace {

using namespace simd;

void check(const char* op, const char* argument, const Shape& logits, const IndexView& target,
           const CrossEntropyOptions& options) {
  check_rank(op, argument, logits, 1, "(.., n_classes)");
  const int64_t n_classes = logits[-1];
  check_shape(op, "target", target.shape, logits.first(logits.rank() - 1));
  if (options.weight) check_shape(op, "weight", options.weight.shape, {n_classes});
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1)) {
    throw_out_of_range(op, "label_smoothing", "0 .. 1", options.label_smoothing);
  }
  const int64_t rows = target.shape.size();
  for (int64_t i = 0; i < rows; ++i) {
    const int32_t y = target.data[i];
    if (y == options.ignore_index || (y >= 0 && y < n_classes)) continue;
    throw_out_of_range(op, "target", 0, n_classes - 1, y);
  }
}

double weight_of(const CrossEntropyOptions& options, int32_t y) {
  return options.weight ? options.weight.data[y] : 1;
}

// The mean's denominator.
double total_weight(const IndexView& target, const CrossEntropyOptions& options) {
  double total = 0;
  const int64_t rows = target.shape.size();
  for (int64_t i = 0; i < rows; ++i) {
    if (target.data[i] != options.ignore_index) total += weight_of(options, target.data[i]);
  }
  return total;
}

// The sum over classes c of weight_c, or of weight_c · values_c.
double weighted_sum(const CrossEntropyOptions& options, const float* values, int64_t n_classes) {
  double total[1];
  row_sums<1, 4>(
      n_classes,
      [values, weight = options.weight.data](auto load, f32x4* terms) {
        terms[0] = values ? load(values) : splat(1);
        if (weight) terms[0] = terms[0] * load(weight);
      },
      total);
  return total[0];
}

}  // namespace

// The loss of a row with target y is -sum_c t_c log p_c, t_c = weight_c · ((1 - ε) 1[c = y] + ε / n_classes).
double cross_entropy_forward(const ConstView& logits, const IndexView& target,
                             const CrossEntropyOptions& options, const View& log_probs, const View& losses) {
  const char* op = "cross_entropy";
  check(op, "logits", logits.shape, target, options);
  check_shape(op, "log_probs", log_probs.shape, logits.shape);
  if (losses) check_shape(op, "losses", losses.shape, target.shape);
  log_softmax_forward(logits, log_probs);

  const int64_t n_classes = logits.shape[-1], rows = target.shape.size();
  const double smoothing = options.label_smoothing;
  double sum = 0;
  for (int64_t i = 0; i < rows; ++i) {
    const int32_t y = target.data[i];
    double loss = 0;
    if (y != options.ignore_index) {
      const float* const log_p = log_probs.data + i * n_classes;
      loss = -weight_of(options, y) * log_p[y];
      if (smoothing > 0) {
        const double uniform = weighted_sum(options, log_p, n_classes) / static_cast<double>(n_classes);
        loss = (1 - smoothing) * loss - smoothing * uniform;
      }
    }
    sum += loss;
    if (losses) losses.data[i] = static_cast<float>(loss);
  }
  return options.reduction == Reduction::kMean ? sum / total_weight(target, options) : sum;
}

// Forward: loss = -sum_c t_c log p_c, so dlogits_c = dloss · (p_c sum_j t_j - t_c).
void cross_entropy_backward(const ConstView& log_probs, const IndexView& target,
                            const CrossEntropyOptions& options, const ConstView& dloss, const View& dlogits) {
  const char* op = "cross_entropy_backward";
  check(op, "log_probs", log_probs.shape, target, options);
  const bool each = options.reduction == Reduction::kNone;
  check_shape(op, "dloss", dloss.shape, each ? target.shape : Shape{1});
  check_shape(op, "dlogits", dlogits.shape, log_probs.shape);

  const int64_t n_classes = log_probs.shape[-1], rows = target.shape.size();
  const double divisor = options.reduction == Reduction::kMean ? total_weight(target, options) : 1;
  const double smoothing = options.label_smoothing;
  const double share = smoothing / static_cast<double>(n_classes);
  const double shared = smoothing > 0 ? share * weighted_sum(options, nullptr, n_classes) : 0;
  constexpr int64_t kWork = 8;  // of an element, in multiplications
  parallel_for(rows, kWork * n_classes, n_threads(), [&](int64_t i, int64_t end, int) noexcept {
    for (; i < end; ++i) {
      const int32_t y = target.data[i];
      float* const out = dlogits.data + i * n_classes;
      if (y == options.ignore_index) {
        std::fill_n(out, n_classes, 0.0f);
        continue;
      }
      const float* const log_p = log_probs.data + i * n_classes;
      const double upstream = dloss.data[each ? i : 0] / divisor;
      const double own = (1 - smoothing) * weight_of(options, y), total = own + shared;
      const double p_y = exp(log_p[y]);
      const f32x4 p_factor = splat(static_cast<float>(upstream * total));
      const f32x4 t_factor = splat(static_cast<float>(upstream * share));
      each_four(n_classes, out, [=, weight = options.weight.data](auto load) {
        const f32x4 gradient = exp(load(log_p)) * p_factor;
        if (smoothing == 0) return gradient;
        return gradient - (weight ? load(weight) * t_factor : t_factor);
      });
      out[y] = static_cast<float>(upstream * (p_y * total - (own + share * weight_of(options, y))));
    }
  });
}

}  // namespace sqrtdk
