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

bool is_embedding(const std::string& name) {
  return name.ends_with("embedding.weight") || name == "positions.weight" ||
         name.ends_with(".positions.weight");
}

bool is_projection(const std::string& name) {  // of attention, not its out_proj
  return name.ends_with("in_proj_weight") || name.ends_with("_proj_weight");
}

// The rows of w_q, w_k and, unless tied, w_v, which are one parameter or several.
int64_t rows_of_one(const Parameters& parameters, const std::string& in_proj) {
  const int out = parameters.find(in_proj.substr(0, in_proj.size() - 14) + "out_proj.weight");
  return out >= 0 ? parameters.shape(out)[1] : parameters.shape(parameters.find(in_proj))[0] / 3;
}

// What makes the whole of w_q, w_k, w_v as large as each alone would be.
float xavier_gain(const Parameters& parameters, View w, const std::string& name, const Initialization& how) {
  if (!how.split_in_proj || !name.ends_with("in_proj_weight")) return how.gain;
  const View w_q(w.data, {rows_of_one(parameters, name), w.shape[1]});
  return static_cast<float>(how.gain * std::sqrt(n_in_and_out(w) / n_in_and_out(w_q)));
}

void initialize_matrix(Parameters& parameters, View w, const std::string& name, const Initialization& how,
                       InitialDraws draws) {
  if (how.projection_std && is_projection(name)) return normal_init(w, *how.projection_std, draws);
  switch (how.scheme) {
    case InitScheme::kPyTorch:
      if (is_projection(name)) return xavier_uniform(w, 1, draws);
      return fill_uniform(w, 1 / std::sqrt(n_in(w)), draws);
    case InitScheme::kXavierUniform:
      return xavier_uniform(w, xavier_gain(parameters, w, name, how), draws);
    case InitScheme::kXavierNormal:
      return xavier_normal(w, xavier_gain(parameters, w, name, how), draws);
    case InitScheme::kKaimingUniform:
      return kaiming_uniform(w, how.gain, draws);
    case InitScheme::kKaimingNormal:
      return kaiming_normal(w, how.gain, draws);
    case InitScheme::kNormal:
      return normal_init(w, how.std, draws);
  }
}

// A Linear's, that PyTorch draws as its weight; a norm's or an attention's is 0.
void initialize_bias(Parameters& parameters, View bias, const std::string& name, InitScheme scheme,
                     InitialDraws draws) {
  constant_init(bias, 0);
  if (scheme != InitScheme::kPyTorch || !name.ends_with(".bias") || name.ends_with("out_proj.bias")) return;
  const int weight = parameters.find(name.substr(0, name.size() - 4) + "weight");
  if (weight < 0 || parameters.shape(weight).rank() != 2) return;
  fill_uniform(bias, 1 / std::sqrt(n_in(parameters.value(weight))), draws);
}

// w_q and w_k of the attention whose w_q lies in this parameter.
void copy_q_to_k(Parameters& parameters, const std::string& name) {
  const View w = parameters.value(parameters.find(name));
  if (name.ends_with("in_proj_weight")) {
    const int64_t size = rows_of_one(parameters, name) * w.shape[1];
    std::copy_n(w.data, size, w.data + size);
    return;
  }
  const std::string attention = name.substr(0, name.size() - 13);
  int k = parameters.find(attention + "k_proj_weight");
  if (k < 0) k = parameters.find(attention + "kv_proj_weight");
  check_shape("initialize", "w_k", parameters.shape(k), w.shape);
  std::copy_n(w.data, w.shape.size(), parameters.value(k).data);
}

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

void initialize(Parameters& parameters, const Initialization& how, uint64_t seed) {
  const float embedding_std = how.embedding_std.value_or(how.scheme == InitScheme::kNormal ? how.std : 1);
  check_size("initialize", "gain", how.gain);
  check_size("initialize", "std", how.std);
  check_size("initialize", "embedding_std", embedding_std);
  check_size("initialize", "projection_std", how.projection_std.value_or(0));
  for (const Parameter& parameter : parameters.list()) {
    const std::string& name = parameter.name;
    const InitialDraws draws{seed, stream_of(name)};
    const View value = parameters.value(parameters.find(name));
    if (is_embedding(name)) {
      fill_normal(value, embedding_std, draws);
    } else if (value.shape.rank() == 2) {
      initialize_matrix(parameters, value, name, how, draws);
    } else if (name.ends_with("weight") || name.ends_with(".scale")) {
      constant_init(value, 1);
    } else {
      initialize_bias(parameters, value, name, how.scheme, draws);
    }
  }
  if (!how.equal_qk) return;
  for (const Parameter& parameter : parameters.list()) {
    const std::string& name = parameter.name;
    if (name.ends_with("in_proj_weight") || name.ends_with("q_proj_weight")) copy_q_to_k(parameters, name);
  }
}

void linear_init(Parameters& parameters, const Linear& linear, uint64_t seed) {
  const double b = 1 / std::sqrt(static_cast<double>(linear.n_in()));
  for (const int index : {linear.weight(), linear.bias()}) {
    if (index < 0) continue;
    fill_uniform(parameters.value(index), b,
                 {seed, stream_of(parameters.list()[static_cast<size_t>(index)].name)});
  }
}

void norm_init(Parameters& parameters, const Norm& norm) {
  if (norm.weight() >= 0) constant_init(parameters.value(norm.weight()), 1);
  if (norm.bias() >= 0) constant_init(parameters.value(norm.bias()), 0);
}

}  // namespace sqrtdk
