#pragma once
// Each kernel on random numbers, beside the same formula in double.
#include <cstdint>
#include <span>
#include <vector>

#include "lab/token_rows.h"

namespace sqrtdk {

/// The largest errors of the numbers that one kernel returned.
class KernelErrors {
 public:
  /// Numbers of one kind and their values in double: errors are relative to the largest of them.
  void add(const Tensor& got, const std::vector<double>& expected);
  double absolute() const { return absolute_; }
  double relative() const { return relative_; }  // NaN where a number is none
  /// Over all numbers, each relative to itself: in units of its last place, as a float has it.
  double last_places() const { return last_places_; }

 private:
  double absolute_ = 0, relative_ = 0, last_places_ = 0;
};

/// Random rows: n queries and n keys of d components.
struct KernelInputs {
  int64_t n, d;
  uint64_t seed;
  Tensor normal(uint64_t stream, const Shape& shape) const { return normal_tokens(seed, stream, shape); }
};

enum class Pass { kForward, kBackward };

struct KernelCheck {
  const char* name;
  Pass pass;
  bool by_element;
  double bound;  // of KernelErrors::relative, or of last_places where `by_element`; for all n and d of the
                 // experiment
  void (*run)(const KernelInputs& inputs, KernelErrors& errors);
};

std::span<const KernelCheck> attention_checks();
std::span<const KernelCheck> row_checks();      // products, softmax, norms, losses
std::span<const KernelCheck> element_checks();  // functions of single numbers

}  // namespace sqrtdk
