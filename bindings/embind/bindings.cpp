// The raw functions of the module; those of operators are in operators.cpp. People use the TypeScript API
// (index.ts), which alone calls these.
#include <emscripten/bind.h>

#include "base/decimal.h"
#include "convert.h"
#include "formats/read_numbers.h"

namespace sqrtdk::border {
namespace {

using emscripten::typed_memory_view;

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

int describe_all() {
  return guarded("describe_all", [] { set_answer(describe_all_json()); });
}

int experiment_work(Pointer pointer, size_t size) {
  return guarded("work", [&] {
    const Request request(text(pointer, size));
    set_answer(to_general(estimated_work(request.id, request.params), 17));
  });
}

int run_request(Pointer pointer, size_t size, val callback) {
  return guarded("run", [&] {
    const Request request(text(pointer, size));
    set_answer(run_json(run_experiment(request.id, request.params, progress(callback))));
  });
}

// The answer is "address,dimension,dimension,..."; the caller releases the address.
void answer_array(const NumberArray& array) {
  std::string dims;
  for (const int64_t dim : array.shape) dims += "," + std::to_string(dim);
  const Pointer copy = allocate(static_cast<double>(array.values.size() * sizeof(float)));
  if (!copy) throw std::bad_alloc();
  std::copy(array.values.begin(), array.values.end(), reinterpret_cast<float*>(copy));
  set_answer(std::to_string(copy) + dims);
}

int csv_numbers(Pointer pointer, size_t size) {
  return guarded("read_csv", [&] { answer_array(read_csv(text(pointer, size), "read_csv", "text")); });
}

int npy_numbers(Pointer pointer, size_t size) {
  return guarded("read_npy", [&] {
    answer_array(read_npy(reinterpret_cast<const uint8_t*>(pointer), size, "read_npy", "bytes"));
  });
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
  function("describe_all", &describe_all);
  function("experiment_work", &experiment_work);
  function("run_experiment", &run_request);
  function("read_csv", &csv_numbers);
  function("read_npy", &npy_numbers);
}
