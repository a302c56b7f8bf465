#pragma once
// The tasks of make_task, one function for each, and their names.
#include <array>

#include "training/task.h"

namespace sqrtdk::tasks {

// sequence_tasks.cpp
std::unique_ptr<Task> sort(const TaskConfig& config);
std::unique_ptr<Task> copy(const TaskConfig& config);
std::unique_ptr<Task> reverse(const TaskConfig& config);
// lookup_tasks.cpp
std::unique_ptr<Task> recall(const TaskConfig& config);
std::unique_ptr<Task> modular_addition(const TaskConfig& config);
std::unique_ptr<Task> coreference(const TaskConfig& config);
// date_task.cpp
std::unique_ptr<Task> dates(const TaskConfig& config);
// text_task.cpp
std::unique_ptr<Task> characters(const TaskConfig& config);

/// Throws ValueError unless low <= value <= high.
void check(const char* argument, int64_t value, int64_t low, int64_t high);

}  // namespace sqrtdk::tasks

namespace sqrtdk {

inline constexpr struct {
  const char* name;
  std::unique_ptr<Task> (*make)(const TaskConfig&);
} kTasks[] = {{"sort", tasks::sort},
              {"copy", tasks::copy},
              {"reverse", tasks::reverse},
              {"recall", tasks::recall},
              {"modular_addition", tasks::modular_addition},
              {"coreference", tasks::coreference},
              {"dates", tasks::dates},
              {"characters", tasks::characters}};

inline constexpr auto kTaskNames = [] {
  std::array<const char*, std::size(kTasks)> names{};
  for (size_t i = 0; i < names.size(); ++i) names[i] = kTasks[i].name;
  return names;
}();

}  // namespace sqrtdk
