#pragma once
// The operators as the raw functions call them.
#include <span>

#include "arguments.h"

namespace sqrtdk::border {

struct Operator {
  const char* name;
  int (*call)(Pointer arguments);  // 0, or 1 where it failed: see convert.h
};

std::span<const Operator> attention_operators();
std::span<const Operator> checkpoint_operators();
std::span<const Operator> choice_operators();
std::span<const Operator> layer_operators();
std::span<const Operator> matrix_operators();
std::span<const Operator> model_operators();
std::span<const Operator> object_operators();
std::span<const Operator> race_operators();
std::span<const Operator> row_operators();
std::span<const Operator> trainer_operators();

/// A raw function from one that reads its arguments.
template <void (*body)(Arguments&)>
int call(Pointer pointer) {
  return guarded("operator", [pointer] {
    Arguments given(pointer);
    body(given);
    given.end();
  });
}

}  // namespace sqrtdk::border
