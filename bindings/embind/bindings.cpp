// All that Embind registers: the module's memory and answers, and the operators. People use the TypeScript
// API (index.ts), which alone calls these.
#include <emscripten/bind.h>

#include "operators.h"

namespace sqrtdk::border {
namespace {

using emscripten::typed_memory_view;
using emscripten::val;

// A view of the module's memory: valid until the next call of any raw function.
val view_answer() {
  return val(typed_memory_view(answer.size(), reinterpret_cast<const uint8_t*>(answer.data())));
}
val view_bytes(Pointer pointer, size_t n) {
  return val(typed_memory_view(n, reinterpret_cast<uint8_t*>(pointer)));
}
val view_floats(Pointer pointer, size_t n) {
  return val(typed_memory_view(n, reinterpret_cast<float*>(pointer)));
}

void release(Pointer pointer) { std::free(reinterpret_cast<void*>(pointer)); }

val* reported = nullptr;
void report_to(val callback) {
  reported = new val(callback);  // once for a module
  report = [](double number) { return (*reported)(number).as<bool>(); };
}

}  // namespace
}  // namespace sqrtdk::border

EMSCRIPTEN_BINDINGS(sqrtdk) {
  using namespace sqrtdk::border;
  using emscripten::function;
  function("answer", &view_answer);
  function("bytes", &view_bytes);
  function("floats", &view_floats);
  function("allocate", &allocate);
  function("release", &release);
  function("report_to", &report_to);
  for (const auto table : kTables) {
    for (const Operator& each : table()) function(each.name, each.call);
  }
}
