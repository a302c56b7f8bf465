// The raw functions of the module. People use the TypeScript API (index.ts), which alone calls these.
#include <emscripten/bind.h>

#include "convert.h"
#include "kernels/matmul.h"
#include "kernels/softmax.h"
#include "tensor/decimal.h"
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

int experiment_work(Pointer pointer, size_t size) {
  return guarded("work", [&] {
    const Request request(text(pointer, size));
    const Experiment& experiment = find_experiment(request.id);
    const Params params = Params::parse(request.id, experiment.params, request.params);
    set_answer(to_general(experiment.work(params), 17));
  });
}

int run_request(Pointer pointer, size_t size, val callback) {
  return guarded("run", [&] {
    const Request request(text(pointer, size));
    set_answer(run_json(run_experiment(request.id, request.params, progress(callback))));
  });
}

int matmul_call(Pointer pointer) {
  return guarded("matmul", [&] {
    Arguments given(pointer);
    const auto a = given.view<const float>(), b = given.view<const float>();
    const auto out = given.view<float>();
    const auto transpose_a = given.flag() ? Transpose::kYes : Transpose::kNo;
    const auto transpose_b = given.flag() ? Transpose::kYes : Transpose::kNo;
    matmul(a, transpose_a, b, transpose_b, out);
  });
}

int softmax_forward_call(Pointer pointer) {
  return guarded("softmax", [&] {
    Arguments given(pointer);
    const auto x = given.view<const float>();
    softmax_forward(x, given.view<float>());
  });
}

int softmax_backward_call(Pointer pointer) {
  return guarded("softmax_backward", [&] {
    Arguments given(pointer);
    const auto p = given.view<const float>(), dp = given.view<const float>();
    softmax_backward(p, dp, given.view<float>());
  });
}

int attention_forward_call(Pointer pointer) {
  return guarded("attention", [&] {
    Arguments given(pointer);
    const auto q = given.view<const float>(), k = given.view<const float>(), v = given.view<const float>();
    const AttentionOptions options = given.attention_options();
    const auto scores = given.view<float>(), weights = given.view<float>(), out = given.view<float>();
    attention_forward(q, k, v, options, scores, weights, out);
  });
}

int attention_backward_call(Pointer pointer) {
  return guarded("attention_backward", [&] {
    Arguments given(pointer);
    const auto q = given.view<const float>(), k = given.view<const float>(), v = given.view<const float>();
    const AttentionOptions options = given.attention_options();
    const auto weights = given.view<const float>(), dout = given.view<const float>();
    const auto dscores = given.view<float>();
    const auto dq = given.view<float>(), dk = given.view<float>(), dv = given.view<float>();
    attention_backward(q, k, v, options, weights, dout, dscores, dq, dk, dv);
  });
}

// A 64-bit seed as its low and its high word, since a double cannot hold it.
uint64_t seed_of(Arguments& given) {
  const auto low = static_cast<uint32_t>(given.number());
  return uint64_t{static_cast<uint32_t>(given.number())} << 32 | low;
}

int philox_call(Pointer pointer) {
  return guarded("random", [&] {
    Arguments given(pointer);
    const auto out = given.view<float>();
    const auto fill = given.flag() ? philox_normal : philox_uniform;
    const uint64_t seed = seed_of(given);
    fill(seed, static_cast<uint64_t>(given.number()), 0, out.data, out.shape.size());
  });
}

int torch_call(Pointer pointer) {
  return guarded("random", [&] {
    Arguments given(pointer);
    const auto out = given.view<float>();
    const bool normal = given.flag();
    TorchGenerator generator(seed_of(given));
    if (normal) {
      generator.randn(out.data, out.shape.size());
    } else {
      generator.rand(out.data, out.shape.size());
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
  function("experiment_work", &experiment_work);
  function("run_experiment", &run_request);
  function("matmul", &matmul_call);
  function("softmax_forward", &softmax_forward_call);
  function("softmax_backward", &softmax_backward_call);
  function("attention_forward", &attention_forward_call);
  function("attention_backward", &attention_backward_call);
  function("philox", &philox_call);
  function("torch", &torch_call);
  function("read_csv", &csv_numbers);
  function("read_npy", &npy_numbers);
}
