#pragma once
// The arguments of an operator: doubles one after another in the module's memory. A tensor is its address,
// its rank and its dimensions; one that is not given has address 0.
#include "convert.h"
#include "kernels/attention_options.h"
#include "tensor/tensor.h"

namespace sqrtdk::border {

class Arguments {
 public:
  explicit Arguments(Pointer pointer) : next_(reinterpret_cast<const double*>(pointer)) {}
  double number() { return *next_++; }
  float real() { return static_cast<float>(number()); }
  int64_t integer() { return static_cast<int64_t>(number()); }
  bool flag() { return number() != 0; }

  template <class Enum>
  Enum choice() {
    return static_cast<Enum>(static_cast<int>(number()));
  }

  template <class T>
  BasicView<T> view() {
    T* data = reinterpret_cast<T*>(static_cast<Pointer>(number()));
    const int rank = static_cast<int>(number());
    int64_t dims[Shape::kMaxRank];
    for (int i = 0; i < rank; ++i) dims[i] = integer();
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

 private:
  const double* next_;
};

}  // namespace sqrtdk::border
