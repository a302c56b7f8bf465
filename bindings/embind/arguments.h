#pragma once
// The arguments of an operator as they come: doubles in the module's memory, of which the first is the number
// of the others. Each argument begins with its kind:
//   kNone    not given
//   kNumber  itself; a 64-bit number is two of them, its low and its high word
//   kText    how many bytes of UTF-8, and each of them
//   kBytes   their address in the module's memory, and how many
//   kTensor  its address, its rank and its dimensions
//   kList    how many arguments, and each of them
// raw.ts writes them; what is read otherwise than it was written is an error of this library.
#include <optional>
#include <stdexcept>

#include "convert.h"
#include "tensor/tensor.h"

namespace sqrtdk::border {

/// Among the arguments, as long as these are there: a number for each byte.
struct GivenText {
  const double *begin, *end;
  std::string string() const {
    std::string bytes;
    for (const double* at = begin; at != end; ++at) bytes += static_cast<char>(static_cast<uint8_t>(*at));
    return bytes;
  }
};

class Arguments {
 public:
  explicit Arguments(Pointer pointer)
      : next_(reinterpret_cast<double*>(pointer) + 1), end_(next_ + static_cast<int64_t>(next_[-1])) {}

  bool ended() const { return next_ == end_; }
  bool is_number() const { return next_ != end_ && *next_ == kNumber; }

  /// Whether the next argument is none, which is then read.
  bool none() {
    const bool found = next_ != end_ && *next_ == kNone;
    if (found) ++next_;
    return found;
  }

  [[gnu::noinline]] double number() {
    kind(kNumber);
    return next();
  }
  bool flag() { return number() != 0; }
  template <class Enum>
  Enum choice() {
    return static_cast<Enum>(static_cast<int>(number()));
  }

  uint64_t bits64() {
    const auto low = static_cast<uint32_t>(number());
    return uint64_t{static_cast<uint32_t>(number())} << 32 | low;
  }

  [[gnu::noinline]] GivenText text() {
    kind(kText);
    const auto size = static_cast<int64_t>(next());
    if (size < 0 || size > end_ - next_) mismatch();
    next_ += size;
    return {next_ - size, next_};
  }

  /// How many of the arguments that follow are a list; nothing where the next is none.
  std::optional<int64_t> list() {
    if (next_ == end_ || *next_ != kList) return {};
    ++next_;
    return static_cast<int64_t>(next());
  }

  [[gnu::noinline]] std::string_view bytes() {
    kind(kBytes);
    const auto* const data = reinterpret_cast<const char*>(static_cast<Pointer>(next()));
    return {data, static_cast<size_t>(next())};
  }

  /// Empty where none is given.
  template <class T>
  BasicView<T> view() {
    Shape shape;
    const Pointer pointer = tensor(shape);
    return {reinterpret_cast<T*>(pointer), shape};
  }

  /// Room for a float for each argument from here on, where these are; they are not read again after it is
  /// written.
  float* room() const { return reinterpret_cast<float*>(next_); }

  /// Throws where some are left.
  void end() const {
    if (next_ != end_) mismatch();
  }

 private:
  [[gnu::noinline]] Pointer tensor(Shape& shape) {
    if (none()) return 0;
    kind(kTensor);
    const auto pointer = static_cast<Pointer>(next());
    const int rank = static_cast<int>(next());
    if (rank < 0 || rank > Shape::kMaxRank) mismatch();
    int64_t dims[Shape::kMaxRank];
    for (int i = 0; i < rank; ++i) dims[i] = static_cast<int64_t>(next());
    shape = Shape(dims, rank);
    return pointer;
  }

  static constexpr double kNone = 0, kNumber = 1, kText = 2, kBytes = 3, kTensor = 4, kList = 5;

  [[gnu::noinline]] double next() {
    if (next_ == end_) mismatch();
    return *next_++;
  }
  [[gnu::noinline]] void kind(double expected) {
    if (next() != expected) mismatch();
  }
  [[noreturn, gnu::noinline]] static void mismatch() {
    throw std::logic_error("the arguments are not those that the operator reads");
  }

  double* next_;
  double* end_;
};

}  // namespace sqrtdk::border
