#include "training/records.h"

#include <algorithm>

#include "base/hash.h"
#include "simd/bits.h"
#include "simd/double_math.h"
#include "training/gradients.h"

namespace sqrtdk {
namespace {

// "layers.0" of "layers.0.norm1.weight", "head" of "head.bias"
std::string layer_of(const std::string& name) {
  const size_t layers = name.find("layers.");
  const size_t end = layers == std::string::npos ? name.find('.') : name.find('.', layers + 7);
  return name.substr(0, end);
}

}  // namespace

std::vector<std::string> layer_names(const Parameters& parameters) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters.list()) {  // a layer's lie beside each other
    std::string layer = layer_of(parameter.name);
    if (names.empty() || layer != names.back()) names.push_back(std::move(layer));
  }
  return names;
}

std::vector<GradientNorm> gradient_norms(const Parameters& parameters) {
  const std::span<const Parameter> list = parameters.list();
  const std::span<const float> gradients = parameters.gradients();
  std::vector<GradientNorm> norms;
  size_t i = 0;
  for (const std::string& layer : layer_names(parameters)) {
    const auto start = static_cast<size_t>(list[i].offset);
    while (i < list.size() && layer_of(list[i].name) == layer) ++i;
    const size_t end = i < list.size() ? static_cast<size_t>(list[i].offset) : gradients.size();
    norms.push_back({layer, norm_of(gradients.subspan(start, end - start))});
  }
  return norms;
}

std::vector<HeadRecord> head_records(const Cache& cache,
                                     std::span<const MultiHeadAttention* const> attentions) {
  std::vector<HeadRecord> records;
  for (const MultiHeadAttention* attention : attentions) {
    const View weights = attention->weights(cache);
    const int64_t batch = weights.shape[0], n_heads = weights.shape[1];
    const int64_t n_q = weights.shape[2], n_k = weights.shape[3];
    for (int64_t head = 0; head < n_heads; ++head) {
      double entropy = 0;
      int64_t saturated = 0;
      for (int64_t row = 0; row < batch * n_q; ++row) {
        const float* const p = weights.data + ((row / n_q * n_heads + head) * n_q + row % n_q) * n_k;
        float largest = 0;
        for (int64_t j = 0; j < n_k; ++j) {
          largest = std::max(largest, p[j]);
          if (p[j] != 0) entropy -= p[j] * simd::log(static_cast<double>(p[j]));
        }
        saturated += largest > 0.99f;
      }
      const auto rows = static_cast<double>(batch * n_q);
      records.push_back({attention->name(), head, entropy / rows, static_cast<double>(saturated) / rows});
    }
  }
  return records;
}

uint64_t hash_of(std::span<const float> x) {
  Fnv1a hash;
  for (const float value : x) {
    const auto bits = simd::bit_cast<uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) hash.add(static_cast<uint8_t>(bits >> shift));
  }
  return hash.value();
}

}  // namespace sqrtdk
