#include "training/tasks.h"

#include "base/decimal.h"
#include "base/errors.h"
#include "base/text.h"
#include "tensor/random.h"

namespace sqrtdk {

void tasks::check(const char* argument, int64_t value, int64_t low, int64_t high) {
  if (value < low || value > high) throw_out_of_range("task", argument, low, high, value);
}

std::string Task::text(int32_t token) const { return token >= 0 && token < vocab() ? written(token) : "?"; }

std::string Task::written(int32_t token) const { return to_text(token); }

void Task::sample(uint64_t seed, uint64_t stream, int64_t first, int64_t n, int32_t* source, int32_t* answer,
                  bool held_out) const {
  float uniform[2 * kMaxLength + 1];
  const auto n_draws = static_cast<uint64_t>(size_.n_draws);
  for (int64_t i = 0; i < n; ++i) {
    philox_uniform(seed, stream, static_cast<uint64_t>(first + i) * n_draws, uniform, size_.n_draws);
    make(ExampleDraws(uniform, held_out), source + i * n_source(), answer + i * n_answer());
  }
}

std::unique_ptr<Task> make_task(const TaskConfig& config) {
  for (const auto& [name, make] : kTasks) {
    if (config.name == name) return make(config);
  }
  throw ValueError(ErrorCode::kUnknownName, "trainer", "task", joined(kTaskNames), config.name);
}

}  // namespace sqrtdk
