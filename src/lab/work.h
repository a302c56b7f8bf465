#pragma once
// What computing takes, in random draws that take as long: a run tells its progress by it, and the page
// decides by it where to run. Rates are of one core, the same natively and in a browser within a factor of
// two or so.
#include "lab/result.h"

namespace sqrtdk {

/// Numbers drawn, each a normal one.
constexpr double draw_work(Number auto n) { return static_cast<double>(n); }
/// Numbers drawn of Student's t, or from PyTorch's generator: one by one.
constexpr double single_draw_work(Number auto n) { return 8 * static_cast<double>(n); }
/// Weights drawn where a layer begins, in memory that it has just been given.
constexpr double weight_work(Number auto n) { return static_cast<double>(n); }
/// Multiplications of a matrix product, each with its addition.
constexpr double product_work(Number auto n) { return static_cast<double>(n) / 40; }
/// Multiplications of one row with a matrix, which is read for it alone, as when a model tells token after
/// token.
constexpr double row_work(Number auto n) { return static_cast<double>(n) / 20; }
/// Operations of a plain loop over numbers, such as a multiplication with its addition in double.
constexpr double loop_work(Number auto n) { return static_cast<double>(n) / 2; }
/// Functions of single numbers: exp, sine, a rounding to 16 bits.
constexpr double function_work(Number auto n) { return 4 * static_cast<double>(n); }
/// A trial that draws numbers and computes functions of others.
constexpr double trial_work(Number auto draws, Number auto functions) {
  constexpr double kCalls = 32;  // and room for what it measures
  return kCalls + draw_work(draws) + function_work(functions);
}
/// As many trials at each d, one of which takes work(d).
template <class Work>
double trials_work(int64_t trials, const std::vector<int64_t>& d, const Work& work) {
  double total = 0;
  for (const int64_t each : d) total += static_cast<double>(trials) * work(each);
  return total;
}

}  // namespace sqrtdk
