// The raw functions of the module. People use the TypeScript API (index.ts), which alone calls these.
#include "convert.h"

#include <emscripten/bind.h>

#include <cstdio>

#include "kernels/matmul.h"
#include "kernels/softmax.h"
#include "tensor/random.h"
#include "tensor/read_numbers.h"
#include "tensor/torch_generator.h"

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

int work(Pointer pointer, size_t size) {
  return guarded("work", [&] {
    const Request request(text(pointer, size));
    const Experiment& experiment = find_experiment(request.id);
    const Params params = Params::parse(request.id, experiment.params, request.params);
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.17g", experiment.work(params));
    set_answer(digits);
  });
}

int run(Pointer pointer, size_t size, val callback) {
  return guarded("run", [&] {
    const Request request(text(pointer, size));
    set_answer(run_json(run_experiment(request.id, request.params, progress(callback))));
  });
}

int matmul_into(val a, bool transpose_a, val b, bool transpose_b, val out) {
  return guarded("matmul", [&] {
    matmul(view<const float>(a), transpose_a ? Transpose::kYes : Transpose::kNo, view<const float>(b),
           transpose_b ? Transpose::kYes : Transpose::kNo, view<float>(out));
  });
}

int softmax_forward_into(val x, val out) {
  return guarded("softmax", [&] { softmax_forward(view<const float>(x), view<float>(out)); });
}

int softmax_backward_into(val p, val dp, val dx) {
  return guarded("softmax_backward",
                 [&] { softmax_backward(view<const float>(p), view<const float>(dp), view<float>(dx)); });
}

int attention_forward_into(val q, val k, val v, val options, val scores, val weights, val out) {
  return guarded("attention", [&] {
    attention_forward(view<const float>(q), view<const float>(k), view<const float>(v),
                      attention_options(options), view<float>(scores), view<float>(weights),
                      view<float>(out));
  });
}

int attention_backward_into(val q, val k, val v, val options, val weights, val dout, val dscores, val dq,
                            val dk, val dv) {
  return guarded("attention_backward", [&] {
    attention_backward(view<const float>(q), view<const float>(k), view<const float>(v),
                       attention_options(options), view<const float>(weights), view<const float>(dout),
                       view<float>(dscores), view<float>(dq), view<float>(dk), view<float>(dv));
  });
}

uint64_t seed_of(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }

int philox_random(bool normal, uint32_t low, uint32_t high, double stream, val out) {
  return guarded("random", [&] {
    const View numbers = view<float>(out);
    (normal ? philox_normal : philox_uniform)(seed_of(low, high), static_cast<uint64_t>(stream), 0,
                                              numbers.data, numbers.shape.size());
  });
}

int torch_random(bool normal, uint32_t low, uint32_t high, val out) {
  return guarded("random", [&] {
    TorchGenerator generator(seed_of(low, high));
    const View numbers = view<float>(out);
    if (normal) {
      generator.randn(numbers.data, numbers.shape.size());
    } else {
      generator.rand(numbers.data, numbers.shape.size());
    }
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
  function("work", &work);
  function("run", &run);
  function("matmul", &matmul_into);
  function("softmax_forward", &softmax_forward_into);
  function("softmax_backward", &softmax_backward_into);
  function("attention_forward", &attention_forward_into);
  function("attention_backward", &attention_backward_into);
  function("philox", &philox_random);
  function("torch", &torch_random);
  function("read_csv", &csv_numbers);
  function("read_npy", &npy_numbers);
}
