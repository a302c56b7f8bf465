#pragma once
// The operators' formulas once more, as plain loops in double: what the kernels' errors are measured against.
// Matrices are row-major vectors; nothing is shared with src/kernels.
#include <cstdint>
#include <span>
#include <vector>

namespace sqrtdk::exact {

using Doubles = std::vector<double>;

Doubles of(std::span<const float> x);
Doubles transposed(const Doubles& x, int64_t rows, int64_t cols);
/// a [m, k] · b [k, n]
Doubles product(const Doubles& a, const Doubles& b, int64_t m, int64_t k, int64_t n);

double erf(double x);  // by its power series: |x| up to 5, within 1e-6 there and 1e-15 up to 2
double tanh(double x);

/// For rows of n.
Doubles softmax(const Doubles& x, int64_t n);
Doubles softmax_backward(const Doubles& p, const Doubles& dp, int64_t n);
Doubles log_softmax(const Doubles& x, int64_t n);

/// weights = softmax(scores), out = weights · v for one head, and what comes back to the scores and to v.
struct Attended {
  Doubles weights, out, dscores, dv;
};
Attended attend(const Doubles& scores, const Doubles& v, const Doubles& dout, int64_t n_q, int64_t n_k,
                int64_t d_v);

}  // namespace sqrtdk::exact
