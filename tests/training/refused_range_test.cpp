// The ranges that trainers and tasks refuse by.
#include <doctest/doctest.h>

#include "reference/check_range.h"
#include "training/trainer.h"
#include "training/training_case.h"

namespace sqrtdk {
namespace {

using reference::check_range;
using reference::check_refused;
using reference::small_trainer;

TEST_CASE("refusals: examples of a trainer") {
  for (const int64_t beyond : {int64_t{0}, Trainer::kMaxBatch + 1}) {
    check_refused("batch", 1, Trainer::kMaxBatch, beyond, [](int64_t batch) {
      TrainerConfig config = small_trainer();
      config.batch = batch;
      Trainer trainer(config);
    });
  }
  Trainer trainer(small_trainer());
  const auto heads = [&](int64_t n) { trainer.look_at_heads(n); };
  const auto gradients = [&](int64_t n) { trainer.compute_gradients(n); };
  for (const int64_t beyond : {int64_t{0}, Trainer::kMaxBatch + 1}) {
    check_refused("n", 1, Trainer::kMaxBatch, beyond, heads);
    check_refused("n", 1, Trainer::kMaxBatch, beyond, gradients);
  }
  CHECK_NOTHROW(heads(1));
  CHECK_NOTHROW(gradients(1));
}

TEST_CASE("refusals: sizes of a task") {
  for (const char* name : {"sort", "copy", "reverse"}) {
    check_range("length", 1, Task::kMaxLength, [&](int64_t n) { make_task({name, n, 4}); });
    check_range("symbols", 2, Task::kMaxSymbols, [&](int64_t n) { make_task({name, 4, n}); });
  }
  check_range("length", 1, 5, [](int64_t n) { make_task({"recall", n, 5}); });
  check_range("symbols", 2, Task::kMaxSymbols, [](int64_t n) { make_task({"modular_addition", 1, n}); });
  check_range("length", 1, Task::kMaxLength, [](int64_t n) {
    make_task({"characters", n, 4, std::string(400, 'a')});
  });
}

}  // namespace
}  // namespace sqrtdk
