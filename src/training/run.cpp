#include "training/run.h"

#include <limits>

#include "base/errors.h"

namespace sqrtdk {
namespace {

constexpr const char* kOp = "run";
constexpr int64_t kMaxHeadExamples = 4096, kMaxCount = int64_t{1} << 53;

void check(const char* argument, int64_t value, int64_t low, int64_t high) {
  if (value < low || value > high) throw_out_of_range(kOp, argument, low, high, value);
}

void check(const RunOptions& options) {
  check("record_every", options.record_every, 0, kMaxCount);
  check("examples", options.examples, 1, kMaxCount);
  check("head_examples", options.head_examples, 1, kMaxHeadExamples);
}

}  // namespace

Record record(Trainer& trainer, const std::optional<StepResult>& last, const RunOptions& options) {
  check(options);
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  Record record{trainer.steps(), kUnknown, kUnknown, kUnknown, {}, {}, {}, {}};
  if (last) {
    record.loss = last->loss;
    record.learning_rate = last->learning_rate;
    record.gradient_norm = last->gradient_norm;
  }
  record.layers = trainer.layer_gradient_norms();
  record.evaluation = trainer.evaluate(options.examples);
  record.score_gradients = score_gradients(trainer.row_gradients(options.head_examples));
  record.heads = head_records(trainer.cache(), trainer.model().attentions());
  return record;
}

void run(Trainer& trainer, int64_t n, const RunOptions& options) {
  check("n", n, 0, kMaxCount);
  check(options);
  const bool records = options.record_every > 0 && options.on_record;
  if (records && n > 0 && trainer.steps() == 0) options.on_record(record(trainer, {}, options));
  for (int64_t i = 0; i < n; ++i) {
    const StepResult result = trainer.step();
    if (records && result.step % options.record_every == 0) {
      options.on_record(record(trainer, result, options));
    }
    if (options.on_step && !options.on_step(result)) throw Cancelled(ErrorCode::kCancelled, kOp, "", "", "");
  }
}

}  // namespace sqrtdk
