#pragma once
// The tasks of make_task, one function for each.
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
