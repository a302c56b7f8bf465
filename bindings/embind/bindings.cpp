// All that Embind registers: the module's memory and answers, and the operators. People use the TypeScript
// API (index.ts), which alone calls these. Only numbers cross: Embind's own half in JavaScript, with its
// types and their converters, is not there, and instantiate (module.ts) takes its place.
#include <emscripten/bind.h>

#include "operators.h"
#ifdef SQRTDK_THREADS
#include "base/threads.h"
#endif

extern "C" int sqrtdk_report(double number);  // of module.ts

namespace sqrtdk::border {
namespace {

// Where the answer is: valid until the next call of any raw function.
Pointer answer_at() { return reinterpret_cast<Pointer>(answer.data()); }
size_t answer_size() { return answer.size(); }

void release(Pointer pointer) { std::free(reinterpret_cast<void*>(pointer)); }

#ifdef SQRTDK_THREADS
// Functions that workers call by their addresses, which are 0 where there is not enough memory.
Pointer take_part_at(int n) {
  try {
    return reinterpret_cast<Pointer>(prepare_threads(n));
  } catch (...) {
    return 0;
  }
}
Pointer lose_thread_at() { return reinterpret_cast<Pointer>(&lose_thread); }
#endif

[[gnu::constructor]] void register_functions() {
  using emscripten::function;
  report = [](double number) { return sqrtdk_report(number) != 0; };
  function("answer_at", &answer_at);
  function("answer_size", &answer_size);
  function("allocate", &allocate);
  function("release", &release);
#ifdef SQRTDK_THREADS
  function("take_part_at", &take_part_at);
  function("lose_thread_at", &lose_thread_at);
#endif
  for (const auto table : kTables) {
    for (const Operator& each : table()) function(each.name, each.call);
  }
}

}  // namespace
}  // namespace sqrtdk::border
