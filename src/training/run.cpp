#include "training/run.h"

#include <limits>

#include "tensor/errors.h"

namespace sqrtdk {
namespace {

constexpr const char* kOp = "run";
constexpr int64_t kMostHeadExamples = 4096, kMost = int64_t{1} << 53;

void check(const char* argument, int64_t value, int64_t low, int64_t high) {
  if (value < low || value > high) throw_out_of_range(kOp, argument, low, high, value);
}

Record record_of(Trainer& trainer, const StepResult& last, const RunOptions& options) {
  return {last.step,
          last.loss,
          last.learning_rate,
          last.gradient_norm,
          trainer.evaluate(options.examples),
          trainer.layer_gradient_norms(),
          trainer.look_at_heads(options.head_examples)};
}

Record first_record(Trainer& trainer, const RunOptions& options) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  Record record = record_of(trainer, {0, kUnknown, kUnknown, kUnknown, false}, options);
  for (GradientNorm& layer : record.layers) layer.norm = kUnknown;
  return record;
}

}  // namespace

void run(Trainer& trainer, int64_t n, const RunOptions& options) {
  check("n", n, 0, kMost);
  check("record_every", options.record_every, 0, kMost);
  check("examples", options.examples, 1, kMost);
  check("head_examples", options.head_examples, 1, kMostHeadExamples);
  const bool records = options.record_every > 0 && options.on_record;
  if (records && n > 0 && trainer.steps() == 0) options.on_record(first_record(trainer, options));
  for (int64_t i = 0; i < n; ++i) {
    const StepResult result = trainer.step();
    if (records && result.step % options.record_every == 0) {
      options.on_record(record_of(trainer, result, options));
    }
    if (options.on_step && !options.on_step(result)) throw Cancelled(ErrorCode::kCancelled, kOp, "", "", "");
  }
}

}  // namespace sqrtdk
