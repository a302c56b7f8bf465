#include "operators.h"

#include <emscripten/bind.h>

EMSCRIPTEN_BINDINGS(operators) {
  using namespace sqrtdk::border;
  for (const auto operators : {attention_operators(), matrix_operators(), row_operators(), layer_operators(),
                               checkpoint_operators(), model_operators()}) {
    for (const Operator& each : operators) emscripten::function(each.name, each.call);
  }
}
