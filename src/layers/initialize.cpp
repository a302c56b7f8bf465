#include "layers/initialize.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/errors.h"
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

// What makes the whole of w_q, w_k, w_v as large as each alone would be.
float xavier_gain(const Parameters& parameters, int index, const Initialization& how) {
  const std::span<const AttentionParameters> attentions = parameters.attentions();
  const auto its = std::find_if(attentions.begin(), attentions.end(),
                                [&](const AttentionParameters& a) { return a.w_q.parameter == index; });
  if (!how.split_in_proj || its == attentions.end()) return how.gain;
  const auto n_in = static_cast<double>(parameters.shape(index)[1]);
  const auto n_out = static_cast<double>(parameters.shape(index)[0]), n_q = static_cast<double>(its->n_q);
  return static_cast<float>(how.gain * std::sqrt((n_out + n_in) / (n_q + n_in)));
}

void initialize_matrix(Parameters& parameters, int index, const Initialization& how, InitialDraws draws) {
  const View w = parameters.value(index);
  const bool projection = parameters.list()[static_cast<size_t>(index)].role == ParameterRole::kProjection;
  if (how.projection_std && projection) return normal_init(w, *how.projection_std, draws);
  switch (how.scheme) {
    case InitScheme::kPyTorch:
      if (projection) return xavier_uniform(w, 1, draws);
      return fill_uniform(w, 1 / std::sqrt(n_in(w)), draws);
    case InitScheme::kXavierUniform:
      return xavier_uniform(w, xavier_gain(parameters, index, how), draws);
    case InitScheme::kXavierNormal:
      return xavier_normal(w, xavier_gain(parameters, index, how), draws);
    case InitScheme::kKaimingUniform:
      return kaiming_uniform(w, how.gain, draws);
    case InitScheme::kKaimingNormal:
      return kaiming_normal(w, how.gain, draws);
    case InitScheme::kNormal:
      return normal_init(w, how.std, draws);
  }
}

void copy_q_to_k(Parameters& parameters, const AttentionParameters& attention) {
  const View q = parameters.value(attention.w_q.parameter), k = parameters.value(attention.w_k.parameter);
  check_shape("initialize", "w_k", k.shape, q.shape);
  const int64_t n_in = q.shape[1];
  std::copy_n(q.data + attention.w_q.first * n_in, attention.n_q * n_in, k.data + attention.w_k.first * n_in);
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
  const std::span<const Parameter> list = parameters.list();
  for (size_t i = 0; i < list.size(); ++i) {
    const int index = static_cast<int>(i);
    const InitialDraws draws{seed, stream_of(list[i].name)};
    const View value = parameters.value(index);
    switch (list[i].role) {
      case ParameterRole::kEmbedding:
        fill_normal(value, embedding_std, draws);
        break;
      case ParameterRole::kWeight:
      case ParameterRole::kProjection:
        initialize_matrix(parameters, index, how, draws);
        break;
      case ParameterRole::kNormWeight:
      case ParameterRole::kScale:
        constant_init(value, 1);
        break;
      case ParameterRole::kBias:
        if (how.scheme == InitScheme::kPyTorch) {
          fill_uniform(value, 1 / std::sqrt(static_cast<double>(list[i].n_in)), draws);
          break;
        }
        [[fallthrough]];
      case ParameterRole::kProjectionBias:
      case ParameterRole::kNormBias:
      case ParameterRole::kOther:
        constant_init(value, 0);
    }
  }
  if (!how.equal_qk) return;
  for (const AttentionParameters& attention : parameters.attentions()) copy_q_to_k(parameters, attention);
}

}  // namespace sqrtdk
