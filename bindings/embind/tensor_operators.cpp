// Operators whose results have shapes that they find themselves: a result is written into `out` where that is
// given, else into memory that is the caller's from then on. They answer its address and its dimensions.
#ifdef __EMSCRIPTEN__
#include <malloc.h>
#endif

#include "kernels/arithmetic.h"
#include "kernels/fill.h"
#include "kernels/rearrange.h"
#include "kernels/reduce.h"
#include "operators.h"

namespace sqrtdk::border {
namespace {

class Result {
 public:
  /// Throws ShapeError, bad_alloc.
  Result(const char* op, const View& out, const Shape& shape) : view(out.data, shape) {
    running = op;
    if (out) {
      check_shape(op, "out", out.shape, shape);
      return;
    }
    made_ = allocate(static_cast<double>(shape.size()) * sizeof(float));
    if (!made_) throw std::bad_alloc();
    view.data = reinterpret_cast<float*>(made_);
  }
  ~Result() { std::free(reinterpret_cast<void*>(made_)); }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;

  std::vector<double> answer() {
    std::vector<double> numbers{static_cast<double>(reinterpret_cast<Pointer>(view.data))};
    for (int i = 0; i < view.shape.rank(); ++i) numbers.push_back(static_cast<double>(view.shape[i]));
    made_ = 0;
    return numbers;
  }

  View view;

 private:
  Pointer made_ = 0;  // to be given back unless it is answered
};

/// What is left, of which no more than one too many counts: that is no list for a tensor's dimensions.
template <class T>
class Few {
 public:
  Few(Arguments& rest, T (*next)(Arguments& rest)) {
    while (!rest.ended()) {
      const T each = next(rest);
      if (size_ < std::size(list_)) list_[size_++] = each;
    }
  }
  std::span<const T> list() const { return {list_, size_}; }

 private:
  T list_[Shape::kMaxRank + 1];
  size_t size_ = 0;
};

std::vector<double> filled(float value, const View& out, Arguments& dims) {
  const Few<int64_t> shape(dims, read);
  Result result("full", out, Shape(shape.list().data(), static_cast<int>(shape.list().size())));
  fill(result.view, value);
  return result.answer();
}

std::vector<double> make_arange(double start, double stop, double step, const View& out) {
  Result result("arange", out, {arange_size(start, stop, step)});
  arange(start, step, result.view);
  return result.answer();
}

std::vector<double> reshaped(const ConstView& x, const View& out, Arguments& dims) {
  Result result("reshape", out, reshape_shape(x.shape, Few<int64_t>(dims, read).list()));
  std::copy_n(x.data, x.shape.size(), result.view.data);
  return result.answer();
}

Slice slice_of(Arguments& rest) {
  Slice slice;
  slice.start = read<std::optional<int64_t>>(rest);
  slice.end = read<std::optional<int64_t>>(rest);
  slice.step = read<int64_t>(rest);
  return slice;
}

std::vector<double> sliced(const ConstView& x, const View& out, Arguments& rest) {
  const Few<Slice> slices(rest, slice_of);
  Result result("slice", out, slice_shape(x.shape, slices.list()));
  slice(x, slices.list(), result.view);
  return result.answer();
}

std::vector<double> transposed(const ConstView& x, const View& out, Arguments& rest) {
  const Few<int64_t> order(rest, read);
  Result result("transpose", out, transpose_shape(x.shape, order.list()));
  transpose(x, order.list(), result.view);
  return result.answer();
}

std::vector<double> joined(int64_t axis, const View& out, Arguments& rest) {
  std::vector<ConstView> list;
  while (!rest.ended()) list.push_back(read<ConstView>(rest));
  Result result("concat", out, concat_shape(list, axis));
  concat(list, axis, result.view);
  return result.answer();
}

std::vector<double> calculated(Arithmetic operation, const ConstView& a, const ConstView& b,
                               const View& out) {
  const char* op = Choices<Arithmetic>::kNames[static_cast<size_t>(operation)];
  Result result(op, out, broadcast_shape(operation, a.shape, b.shape));
  arithmetic(operation, a, b, result.view);
  return result.answer();
}

std::vector<double> reduced(Reduce what, const ConstView& x, std::optional<int64_t> axis, bool keep,
                            const View& out) {
  const char* op = Choices<Reduce>::kNames[static_cast<size_t>(what)];
  Result result(op, out, reduce_shape(what, x.shape, axis, keep));
  reduce(what, x, axis, result.view);
  return result.answer();
}

/// Bytes of the module's memory.
double memory_used() {
#ifdef __EMSCRIPTEN__
  return mallinfo().uordblks;
#else
  return 0;  // only its signature is asked for
#endif
}

}  // namespace

std::span<const Operator> tensor_operators() {
  static constexpr Operator kOperators[] = {
      op<filled>("full", "value out? dims"),
      op<make_arange>("arange", "start stop step out?"),
      op<reshaped>("reshape", "x out? dims"),
      op<sliced>("slice", "x out? slices"),
      op<transposed>("transpose", "x out? order"),
      op<joined>("concat", "axis out? list"),
      op<calculated>("arithmetic", "operation a b out?"),
      op<reduced>("reduce", "what x axis? keep out?"),
      op<memory_used>("memory_used", ""),
  };
  return kOperators;
}

}  // namespace sqrtdk::border
