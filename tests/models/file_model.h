#pragma once
// What models of files compute, in double from the file's own tensors.
#include <doctest/doctest.h>

#include "formats/named_tensor.h"
#include "models/language_model_case.h"

namespace sqrtdk::reference {

struct FileTensors {
  std::map<std::string, Numbers> tensors;
  explicit FileTensors(const std::vector<NamedTensor>& list) {
    for (const NamedTensor& tensor : list) {
      std::vector<float> values(static_cast<size_t>(tensor.shape.size()));
      copy_values(tensor, {values.data(), tensor.shape});
      tensors[tensor.name] = Numbers(values.begin(), values.end());
    }
  }
  const Numbers& operator()(const std::string& name) const { return tensors.at(name); }
};

/// Causal attention of one sequence: q [n, heads d], k and v [n, kv_heads d].
inline Numbers causal_attention(const Numbers& q, const Numbers& k, const Numbers& v, size_t n, size_t heads,
                                size_t kv_heads, double scale) {
  const size_t d = q.size() / n / heads, group = heads / kv_heads;
  Numbers out(q.size());
  for (size_t i = 0; i < n; ++i) {
    for (size_t h = 0; h < heads; ++h) {
      Numbers weights(i + 1);
      Dual total = 0;
      for (size_t j = 0; j <= i; ++j) {
        Dual score = 0;
        for (size_t c = 0; c < d; ++c) {
          score += q[(i * heads + h) * d + c] * k[(j * kv_heads + h / group) * d + c];
        }
        total += weights[j] = exp(score * Dual(scale));
      }
      for (size_t j = 0; j <= i; ++j) {
        for (size_t c = 0; c < d; ++c) {
          out[(i * heads + h) * d + c] += weights[j] / total * v[(j * kv_heads + h / group) * d + c];
        }
      }
    }
  }
  return out;
}

/// A model with its file's weights, its logits held against `exact`, and decode against forward.
template <class Exact>
void check_file_model(LanguageModel& model, int64_t n, Exact exact) {
  Cache cache;
  const Tokens tokens(1, n, model.config().vocab);
  for (const double scale : {1.0, 0.3}) {
    AttentionOptions options;
    options.scale = static_cast<float>(scale);
    const Numbers expected = exact(tokens, static_cast<double>(*options.scale));
    std::vector<double> values;
    for (const Dual& value : expected) values.push_back(value.value);
    const std::vector<float> got = numbers(model.forward(tokens.view(), options, false, cache, {}));
    CHECK(compare(got, values).absolute <= 64 * 0x1p-24 * (1 + max_abs(values)));
    KeyValueCache past = model.make_cache(1);
    const std::vector<float> last = numbers(model.decode(tokens.view(), options, past, cache));
    CHECK(same_bits(last, {got.end() - static_cast<std::ptrdiff_t>(last.size()), got.end()}));
  }
}

}  // namespace sqrtdk::reference
