// All that Embind registers: the module's memory and answers, and the operators. People use the TypeScript
// API (index.ts), which alone calls these. Only numbers cross: Embind's own half in JavaScript, with its
// types and their converters, is not linked, and embind_functions.js takes its place.
#include <emscripten/bind.h>

#include "operators.h"

extern "C" int sqrtdk_report(double number);  // of embind_functions.js

namespace sqrtdk::border {
namespace {

// Where the answer is: valid until the next call of any raw function.
Pointer answer_at() { return reinterpret_cast<Pointer>(answer.data()); }
size_t answer_size() { return answer.size(); }

void release(Pointer pointer) { std::free(reinterpret_cast<void*>(pointer)); }

[[gnu::constructor]] void register_functions() {
  using emscripten::function;
  report = [](double number) { return sqrtdk_report(number) != 0; };
  function("answer_at", &answer_at);
  function("answer_size", &answer_size);
  function("allocate", &allocate);
  function("release", &release);
  for (const auto table : kTables) {
    for (const Operator& each : table()) function(each.name, each.call);
  }
}

}  // namespace
}  // namespace sqrtdk::border
