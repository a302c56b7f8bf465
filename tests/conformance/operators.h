#pragma once
// The operators that cases can ask for, each a function from a case to results.
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/buffers.h"
#include "conformance/case.h"

namespace sqrtdk::conformance {

struct Result {
  const Tensor* expected;
  std::string form;  // of an operator with several, e.g. "tiled"; else empty
  std::vector<int64_t> dims;
  std::vector<double> values;
};

/// What an operator computed. A result that the case does not ask for is ignored.
class Results {
 public:
  explicit Results(const Case& reference) : case_(reference) {}
  template <class Key>  // slot or name
  void add(const Key& key, const Floats& result, const std::string& form = "") {
    if (const Tensor* expected = case_.output(key))
      all_.push_back({expected, form, result.dims(), result.doubles()});
  }
  template <class Key>  // a number, whatever its shape: [] or [1]
  void add_scalar(const Key& key, double value) {
    if (const Tensor* expected = case_.output(key)) all_.push_back({expected, "", expected->dims, {value}});
  }
  const std::vector<Result>& all() const { return all_; }

 private:
  const Case& case_;
  std::vector<Result> all_;
};

/// A case that uses what the library does not offer.
struct Skip : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// May replace expected values that the project decides otherwise (see torch_attention.cpp), and add those of
/// a case whose case.json describes them without files (torch_initialize.cpp).
using Operator = void (*)(Case& reference, Results& results);

/// Null where there is none.
Operator find_operator(Suite suite, const std::string& op);

// onnx_attention.cpp
void onnx_attention(Case& reference, Results& results);
void onnx_flex_attention(Case& reference, Results& results);
// onnx_rows.cpp
void onnx_softmax(Case& reference, Results& results);
void onnx_log_softmax(Case& reference, Results& results);
void onnx_layer_norm(Case& reference, Results& results);
void onnx_rms_norm(Case& reference, Results& results);
void onnx_gelu(Case& reference, Results& results);
void onnx_swish(Case& reference, Results& results);
void onnx_swiglu(Case& reference, Results& results);
// onnx_rotary.cpp
void onnx_rotary(Case& reference, Results& results);
// onnx_loss.cpp
void onnx_cross_entropy(Case& reference, Results& results);
void onnx_negative_log_likelihood(Case& reference, Results& results);
// onnx_optimizers.cpp
void onnx_adagrad(Case& reference, Results& results);
void onnx_adam(Case& reference, Results& results);
void onnx_momentum(Case& reference, Results& results);
// torch_attention.cpp
void torch_attention(Case& reference, Results& results);
// torch_other_attention.cpp
void torch_additive_attention(Case& reference, Results& results);
void torch_cosine_attention(Case& reference, Results& results);
// torch_rows.cpp
void torch_softmax(Case& reference, Results& results);
void torch_log_softmax(Case& reference, Results& results);
void torch_softmax_jacobian(Case& reference, Results& results);
void torch_layer_norm(Case& reference, Results& results);
void torch_rms_norm(Case& reference, Results& results);
void torch_activation(Case& reference, Results& results);
void torch_cross_entropy(Case& reference, Results& results);
// torch_matrix.cpp
void torch_embedding(Case& reference, Results& results);
void torch_linear(Case& reference, Results& results);
// torch_initialize.cpp
void torch_xavier(Case& reference, Results& results);
// torch_layers.cpp
void torch_multi_head_attention(Case& reference, Results& results);
void torch_encoder_layer(Case& reference, Results& results);
void torch_encoder(Case& reference, Results& results);
void torch_decoder_layer(Case& reference, Results& results);
void torch_transformer(Case& reference, Results& results);
void torch_positional_encoding(Case& reference, Results& results);
// torch_optimizers.cpp
void torch_optimizer_steps(Case& reference, Results& results);
void torch_optimizer_mlp(Case& reference, Results& results);
void torch_train_language_model(Case& reference, Results& results);
// weights.cpp
void weights_attention_maps(Case& reference, Results& results);
void weights_sort(Case& reference, Results& results);
void weights_story(Case& reference, Results& results);

}  // namespace sqrtdk::conformance
