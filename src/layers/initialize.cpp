#include "layers/initialize.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/errors.h"
#include "tensor/random.h"

namespace sqrtdk {
namespace {

void check_size(const char* op, const char* argument, float value) {
  if (value >= 0 && value <= std::numeric_limits<float>::max()) return;
  throw_out_of_range(op, argument, "finite and at least 0", value);
}

void check_matrix(const char* op, View w) {
  if (w.shape.rank() != 2) throw_wrong_shape(op, "w", "(n_out, n_in)", w.shape);
}

// Uniform in [-b, b): 2u - 1 is exact.
void fill_uniform(View w, double b, InitialDraws draws) {
  const int64_t n = w.shape.size();
  philox_uniform(draws.seed, draws.stream, 0, w.data, n);
  for (int64_t i = 0; i < n; ++i) w.data[i] = (2 * w.data[i] - 1) * static_cast<float>(b);
}

void fill_normal(View w, double std, InitialDraws draws) {
  const int64_t n = w.shape.size();
  philox_normal(draws.seed, draws.stream, 0, w.data, n);
  for (int64_t i = 0; i < n; ++i) w.data[i] *= static_cast<float>(std);
}

double n_in(View w) { return static_cast<double>(w.shape[1]); }
double n_in_and_out(View w) { return static_cast<double>(w.shape[0]) + static_cast<double>(w.shape[1]); }

}  // namespace

void xavier_uniform(View w, float gain, InitialDraws draws) {
  check_matrix("xavier_uniform", w);
  check_size("xavier_uniform", "gain", gain);
  fill_uniform(w, gain * std::sqrt(6 / n_in_and_out(w)), draws);
}

void xavier_normal(View w, float gain, InitialDraws draws) {
  check_matrix("xavier_normal", w);
  check_size("xavier_normal", "gain", gain);
  fill_normal(w, gain * std::sqrt(2 / n_in_and_out(w)), draws);
}

void kaiming_uniform(View w, float gain, InitialDraws draws) {
  check_matrix("kaiming_uniform", w);
  check_size("kaiming_uniform", "gain", gain);
  fill_uniform(w, gain * std::sqrt(3 / n_in(w)), draws);
}

void kaiming_normal(View w, float gain, InitialDraws draws) {
  check_matrix("kaiming_normal", w);
  check_size("kaiming_normal", "gain", gain);
  fill_normal(w, gain * std::sqrt(1 / n_in(w)), draws);
}

void normal_init(View w, float std, InitialDraws draws) {
  check_size("normal_init", "std", std);
  fill_normal(w, std, draws);
}

void uniform_init(View w, float b, InitialDraws draws) {
  check_size("uniform_init", "b", b);
  fill_uniform(w, b, draws);
}

void constant_init(View w, float value) { std::fill_n(w.data, w.shape.size(), value); }

void linear_init(Parameters& parameters, const Linear& linear, uint64_t seed) {
  const double b = 1 / std::sqrt(static_cast<double>(linear.n_in()));
  for (const int index : {linear.weight(), linear.bias()}) {
    if (index < 0) continue;
    fill_uniform(parameters.value(index), b,
                 {seed, stream_of(parameters.list()[static_cast<size_t>(index)].name)});
  }
}

void norm_init(Parameters& parameters, const Norm& norm) {
  constant_init(parameters.value(norm.weight()), 1);
  if (norm.bias() >= 0) constant_init(parameters.value(norm.bias()), 0);
}

}  // namespace sqrtdk
