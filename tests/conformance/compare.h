#pragma once
// Whether a result is the expected one.
#include <string>
#include <vector>

#include "conformance/case.h"

namespace sqrtdk::conformance {

struct Comparison {
  bool passed = true;
  double error = 0, bound = 0;  // of the element that comes nearest to its bound, or exceeds it most
  double torch_ratio = 0;       // largest error / what PyTorch loses in float32; 0 where that is unknown
  std::string text;             // one line: the error, where, what was got and expected
};

/// NaN and infinity are compared as such: no tolerance lets a wrong one pass. Otherwise, with the tolerance
/// of the case, |got - expected| <= absolute + relative |expected|; without, and with PyTorch's error in
/// float32, |got - expected| <= 8 times that + 2e-6 max |expected|. Results are rounded to 16 bits where the
/// expected ones are.
Comparison compare(const std::vector<int64_t>& dims, const std::vector<double>& got, const Tensor& expected,
                   const std::optional<Tolerance>& tolerance);

}  // namespace sqrtdk::conformance
