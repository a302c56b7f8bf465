#pragma once
// The arguments of an operator: doubles in the module's memory, of which the first is the number of the
// others. A number is its kind, 0, and itself; a tensor is its kind, 1, its address, its rank and its
// dimensions, and one that is not given has address 0. raw.ts writes them; what is read otherwise than it was
// written is an error of this library.
#include <stdexcept>

#include "convert.h"
#include "kernels/attention/attention_options.h"
#include "tensor/tensor.h"

namespace sqrtdk::border {

class Arguments {
 public:
  explicit Arguments(Pointer pointer)
      : next_(reinterpret_cast<const double*>(pointer) + 1), end_(next_ + static_cast<int64_t>(next_[-1])) {}

  double number() {
    kind(kNumber);
    return next();
  }
  float real() { return static_cast<float>(number()); }
  int64_t integer() { return static_cast<int64_t>(number()); }
  bool flag() { return number() != 0; }

  template <class Enum>
  Enum choice() {
    return static_cast<Enum>(static_cast<int>(number()));
  }

  template <class T>
  BasicView<T> view() {
    kind(kTensor);
    T* data = reinterpret_cast<T*>(static_cast<Pointer>(next()));
    const int rank = static_cast<int>(next());
    if (rank < 0 || rank > Shape::kMaxRank) mismatch();
    int64_t dims[Shape::kMaxRank];
    for (int i = 0; i < rank; ++i) dims[i] = static_cast<int64_t>(next());
    return {data, Shape(dims, rank)};
  }
  ConstView input() { return view<const float>(); }
  View output() { return view<float>(); }
  IndexView indices() { return view<const int32_t>(); }
  MaskView mask() { return view<const uint8_t>(); }

  /// NaN: not given.
  std::optional<float> optional() {
    const double value = number();
    return value == value ? std::optional(static_cast<float>(value)) : std::nullopt;
  }

  /// Bytes or text: address and size.
  std::string_view bytes() {
    const auto pointer = static_cast<Pointer>(number());
    return text(pointer, static_cast<size_t>(number()));
  }

  /// A 64-bit number as its low and its high word, since a double cannot hold it.
  uint64_t words() {
    const auto low = static_cast<uint32_t>(number());
    return uint64_t{static_cast<uint32_t>(number())} << 32 | low;
  }

  /// scale (NaN: not given), softcap, causal, n_past, mask, bias, lengths
  AttentionOptions attention_options() {
    AttentionOptions options;
    options.scale = optional();
    options.softcap = real();
    options.causal = choice<Causal>();
    options.n_past = integer();
    options.mask = mask();
    options.bias = input();
    options.lengths = indices();
    return options;
  }

  /// Throws where some were not read.
  void end() const {
    if (next_ != end_) mismatch();
  }

 private:
  static constexpr double kNumber = 0, kTensor = 1;

  double next() {
    if (next_ == end_) mismatch();
    return *next_++;
  }
  void kind(double expected) {
    if (next() != expected) mismatch();
  }
  [[noreturn]] static void mismatch() {
    throw std::logic_error("the arguments are not those that the operator reads");
  }

  const double* next_;
  const double* end_;
};

}  // namespace sqrtdk::border
