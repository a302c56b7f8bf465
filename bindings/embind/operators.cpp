#include "operators.h"

#include <emscripten/bind.h>

EMSCRIPTEN_BINDINGS(operators) {
  using namespace sqrtdk::border;
  for (const auto operators : {
           object_operators(),
           trainer_operators(),
           race_operators(),
#ifndef SQRTDK_WITHOUT_FIRST  // the module of the page's races has no others
           attention_operators(),
           choice_operators(),
           matrix_operators(),
           row_operators(),
           layer_operators(),
           checkpoint_operators(),
           model_operators(),
#endif
       }) {
    for (const Operator& each : operators) emscripten::function(each.name, each.call);
  }
}
